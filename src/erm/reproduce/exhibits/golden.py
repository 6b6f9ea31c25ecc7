"""Pencil Puzzle Bench by type, by networks alone, next to PTRM's figures."""

from __future__ import annotations

from erm.evaluate.results import base, tally
from erm.report.document import Section
from erm.report.outcome import Base, Rate, Row, Tally
from erm.report.table import Table
from erm.reproduce import paper
from erm.reproduce.exhibits.table1 import NAMES
from erm.reproduce.study import Exhibit, Run, Study, full
from erm.reproduce.suites import BY_TYPE, SUITES, Budget
from erm.run_folder import Sample

SHOWN = ("base", "qhead", "energy", "oracle")


def runs(budget: Budget) -> list[Run]:
    return full(budget, SUITES[BY_TYPE])


def build(study: Study) -> Section:
    group = study.gather(runs(study.budget))
    same = [one for one in group.samples if set(one["shape"]) == {paper.SIDES[one["task"]]}]
    types = SUITES[BY_TYPE].tasks
    columns = {"method": "method", **{one: one for one in types}, "all": "all", "remark": "remark"}
    printed: list[Row] = [
        {"method": f"as printed: {method}", **row} for method, row in paper.GOLDEN.items()
    ]
    counts = ", ".join(
        f"{name} {side}x{side} ({paper.GOLDEN_COUNTS[name]})" for name, side in paper.SIDES.items()
    )
    budget = study.budget
    size = f"networks alone, D = {budget.depth}, K = {budget.width}; data: {group.data or 'none'}"
    captions = {
        "golden": (f"PTRM's sizes, in brackets its golden puzzles: {counts}; {size}.", same),
        "golden-all-sizes": (f"All sizes; {size}.", group.samples),
    }
    tables = []
    for name, (caption, samples) in captions.items():
        rows = [{**_row(samples, one, types), "remark": group.remark} for one in SHOWN]
        every = [*printed, *rows] if name == "golden" else rows
        tables.append(Table(name, caption, columns, every, [paper.GOLDEN_NOTE], {}))
    return Section(tables)


def _row(samples: list[Sample], selector: str, types: tuple[str, ...]) -> Row:
    cells = {
        name: _rate([one for one in samples if name in (one["task"], "all")], selector)
        for name in (*types, "all")
    }
    return {"method": NAMES[selector], **cells}


def _rate(samples: list[Sample], selector: str) -> Rate | None:
    if not samples:
        return None
    if selector == "base":
        found = base(samples)
        return None if found is None else Base(**found)
    marks = [one["choices"].get(selector) or one.get(selector, {}) for one in samples]
    return Tally(**tally(marks))


GOLDEN = Exhibit("golden", "Pencil Puzzle Bench by type", runs, build)
