"""Pencil Puzzle Bench by type, next to PTRM's figures on the golden puzzles of its sizes."""

from __future__ import annotations

from collections.abc import Callable

from erm.evaluate.energies import DECODED
from erm.evaluate.intervals import wilson
from erm.report.document import Section
from erm.report.table import DASH, Column, Row, text
from erm.reproduce.budget import Budget
from erm.reproduce.catalogue import (
    adaptive_search,
    full_search,
    one_network,
    ptrm,
    rules_search,
    sigmas,
    trm,
)
from erm.reproduce.columns import STATUS, paper_table
from erm.reproduce.exhibit import Exhibit
from erm.reproduce.findings import Findings, Group
from erm.reproduce.paper.printed import GOLDEN, GOLDEN_COUNTS, PTRM_SIDES
from erm.reproduce.plan import Runs
from erm.reproduce.suites import SUITES
from erm.run_folder import Sample

SUITE = "ppbench"
TYPES = SUITES[SUITE].tasks
Keep = Callable[[Sample], bool]


def methods(budget: Budget) -> list[tuple[str, Runs, str, tuple[str, ...]]]:
    """Label, runs, selector and footnotes of each of our rows."""
    plain = full_search(budget, SUITE)
    size = f"D = {budget.depth}, K = {budget.width}"
    limit = f"D = {budget.adaptive_depth}, K <= {budget.adaptive_width}"
    noisy = [
        (f"ours, PTRM, sigma = {sigma:g}", ptrm(budget, SUITE, sigma), "qhead", ("fixed-start",))
        for sigma in sigmas(budget, SUITE)
    ]
    return [
        ("ours, TRM", trm(budget, SUITE), "first", ("fixed-start",)),
        *noisy,
        (f"ours, one rollout, D = {budget.depth}", plain, "first", ()),
        (f"ours, q-head, {size}", plain, "qhead", ()),
        (f"ours, ERM, {size}", plain, "energy", ("verifier", "two-readings")),
        (f"ours, ERM on decoded answers, {size}", plain, DECODED, ("two-readings",)),
        (f"ours, oracle, {size}", plain, "oracle", ()),
        (
            f"ours, adaptive search, {limit}",
            adaptive_search(budget, SUITE),
            "energy",
            ("adaptive",),
        ),
        ("rules, no network's number", rules_search(budget, SUITE), "energy", ("rules",)),
        *(
            (f"ours, one network for all types, {label}, {size}", one, selector, ())
            for one in [one_network(budget, SUITE)]
            for selector, label in (("first", "one rollout"), ("energy", "ERM"))
        ),
    ]


def runs(budget: Budget) -> list[Runs]:
    return [runs for _, runs, _, _ in methods(budget)]


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
        marks = [_mark(sample, selector) for sample in own]
        correct = sum(mark["correct"] for mark in marks)
        row |= {f"{name}_correct": correct, f"{name}_total": len(marks)}
        if marks:
            low, high = wilson(correct, len(marks))
            row |= {f"{name}_low": 100 * low, f"{name}_high": 100 * high}
    return row


def _mark(sample: Sample, selector: str) -> Sample:
    if selector == "oracle":
        return sample["oracle"]
    # Where no task of the group has two readings of its energy, there is the one.
    return {DECODED: sample["choices"]["energy"], **sample["choices"]}[selector]


def _rows(findings: Findings, keep: Keep) -> list[Row]:
    return [
        _row(label, findings.gather(runs), selector, keep, notes)
        for label, runs, selector, notes in methods(findings.budget)
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


def build(findings: Findings) -> Section:
    columns = [
        text("method", "method"),
        *map(_show, (*TYPES, "all")),
        Column("95% interval of all", _interval),
        STATUS,
    ]
    data = findings.gather(full_search(findings.budget, SUITE)).data or DASH
    sizes = ", ".join(
        f"{name} {side}x{side} ({GOLDEN_COUNTS[name]})" for name, side in PTRM_SIDES.items()
    )
    same = _rows(findings, in_ptrm_sizes)
    tables = [
        paper_table(
            "golden",
            f"PTRM's sizes, in brackets how many golden puzzles have them: {sizes}. "
            f"Our data: {data}.",
            columns,
            [*_published(), *same],
        ),
        paper_table(
            "golden-all-sizes",
            f"All sizes by the same networks. Our data: {data}.",
            columns,
            _rows(findings, everything),
        ),
    ]
    return Section(tables)


GOLDEN_EXHIBIT = Exhibit("golden", "Beyond the paper: Pencil Puzzle Bench by type", runs, build)
