"""Pencil Puzzle Bench by type, next to PTRM's figures on the golden puzzles of its sizes."""

from __future__ import annotations

from collections.abc import Callable

from erm.evaluate.intervals import wilson
from erm.puzzles.ppbench import PTRM_SIDES, TYPES
from erm.reproduce.catalogue import adaptive, guided, ptrm, shared, sigmas, trm
from erm.reproduce.compare import STATUS
from erm.reproduce.paper.printed import GOLDEN, GOLDEN_COUNTS
from erm.reproduce.part import Part, Section
from erm.reproduce.study import Group, Runs, Study
from erm.reproduce.table import DASH, Column, Row, Table, text
from erm.run_folder import Sample

SUITE = "ppbench"
Keep = Callable[[Sample], bool]


def methods(study: Study) -> list[tuple[str, Runs, str, tuple[str, ...]]]:
    """Label, runs, selector and footnotes of each of our rows."""
    budget = study.budget
    plain = shared(study, SUITE)
    size = f"D = {budget.depth}, K = {budget.width}"
    limit = f"D = {budget.adaptive_depth}, K <= {budget.adaptive_width}"
    noisy = [
        (f"ours, PTRM, sigma = {sigma:g}", ptrm(study, SUITE, sigma), "qhead", ("fixed-start",))
        for sigma in sigmas(study, SUITE)
    ]
    return [
        ("ours, TRM", trm(study, SUITE), "first", ("fixed-start",)),
        *noisy,
        (f"ours, one rollout, D = {budget.depth}", plain, "first", ()),
        (f"ours, q-head, {size}", plain, "qhead", ()),
        (f"ours, ERM, {size}", plain, "energy", ("verifier",)),
        (f"ours, oracle, {size}", plain, "oracle", ()),
        (f"ours, adaptive search, {limit}", adaptive(study, SUITE), "energy", ("adaptive",)),
        (f"ours, guided search, {limit}", guided(study, SUITE), "energy", ("guided",)),
    ]


def runs(study: Study) -> list[Runs]:
    return [runs for _, runs, _, _ in methods(study)]


def in_ptrm_sizes(sample: Sample) -> bool:
    side = PTRM_SIDES[sample["task"]]
    return sample["shape"] == [side, side]


def everything(sample: Sample) -> bool:
    return True


def _row(label: str, group: Group, selector: str, keep: Keep, notes: tuple[str, ...]) -> Row:
    row: Row = {"method": label, "notes": notes, "status": group.status}
    for name in (*TYPES, "all"):
        own = [
            sample
            for sample in group.samples
            if keep(sample) and name in (sample["task"], "all") and "oracle" in sample
        ]
        marks = [
            sample["oracle"] if selector == "oracle" else sample["choices"][selector]
            for sample in own
        ]
        correct = sum(mark["correct"] for mark in marks)
        row |= {f"{name}_correct": correct, f"{name}_total": len(marks)}
        if marks:
            low, high = wilson(correct, len(marks))
            row |= {f"{name}_low": 100 * low, f"{name}_high": 100 * high}
    return row


def _rows(study: Study, keep: Keep) -> list[Row]:
    return [
        _row(label, study.gather(runs), selector, keep, notes)
        for label, runs, selector, notes in methods(study)
    ]


def _show(name: str) -> Column:
    def show(row: Row) -> str:
        if f"{name}_percent" in row:
            return f"{row[f'{name}_percent']:.1f}%"
        correct, total = row[f"{name}_correct"], row[f"{name}_total"]
        return f"{correct}/{total} ({100 * correct / total:.1f}%)" if total else DASH

    return Column(name, show)


def _interval(row: Row) -> str:
    return f"{row['all_low']:.1f} to {row['all_high']:.1f}" if "all_low" in row else DASH


def _published() -> list[Row]:
    return [
        {
            "method": f"published, {label}",
            **{f"{name}_percent": value for name, value in row.items()},
            "notes": ("ptrm-runs",),
        }
        for label, row in GOLDEN.items()
    ]


def build(study: Study) -> Section:
    columns = [
        text("method", "method"),
        *map(_show, (*TYPES, "all")),
        Column("95% interval of all", _interval),
        STATUS,
    ]
    data = study.gather(shared(study, SUITE)).data or DASH
    counts = ", ".join(f"{count} {name}" for name, count in GOLDEN_COUNTS.items())
    same = _rows(study, in_ptrm_sizes)
    tables = [
        Table(
            "golden",
            f"PTRM's sizes, 9x9 Sudokus and 10x10 boards of the rest (of the golden puzzles: "
            f"{counts}). Our data: {data}.",
            columns,
            [*_published(), *same],
        ),
        Table(
            "golden-all-sizes",
            f"All sizes by the same networks. Our data: {data}.",
            columns,
            _rows(study, everything),
        ),
    ]
    return Section(tables)


GOLDEN_PART = Part("golden", "Beyond the paper: Pencil Puzzle Bench by type", runs, build)
