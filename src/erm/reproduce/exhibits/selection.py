"""Table 1, shared-candidate selection, and the bars at the bottom of Figure 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from erm.evaluate.diagnosis import diagnose_search
from erm.evaluate.energies import DECODED, is_changed_energy
from erm.evaluate.results import selector_rows, summarise_search
from erm.report import plot
from erm.report.document import Figure, Section
from erm.report.table import DASH, Column, Row, Table, text
from erm.reproduce.budget import Budget
from erm.reproduce.catalogue import full_search
from erm.reproduce.columns import (
    DATA,
    NAMES,
    OURS,
    PAPER,
    STATUS,
    TIES,
    TOKEN,
    name_of,
    ours,
    paper_table,
    theirs,
)
from erm.reproduce.exhibit import Exhibit
from erm.reproduce.findings import Findings, Group
from erm.reproduce.paper.printed import SHARED, TASKS, TITLES
from erm.reproduce.plan import Runs

COLUMNS = ("first", "majority", "qhead", "confidence", "energy", "oracle")
"""The columns of the paper's table."""
BEYOND = (
    "cell-majority",
    "convergence",
    "residual",
    "energy-mu0",
    "energy-gamma",
    DECODED,
    "rules",
)
"""Selectors that the paper does not tabulate."""
FIGURE_NAMES = {"first": "base", "energy": "ERM"}
FOOTNOTES = {
    "majority": ("eqr-selector",),
    "convergence": ("eqr-selector",),
    DECODED: ("two-readings",),
}

Pools = Callable[[Budget, str], Runs]
"""The runs that candidates come from, by budget and suite."""


def runs(budget: Budget) -> list[Runs]:
    return [full_search(budget, task) for task in TASKS]


def runs_of_table(budget: Budget) -> list[Runs]:
    return runs(budget)


def selector_table(findings: Findings, pools: Pools = full_search) -> list[Row]:
    """One row per task and selector, the paper's number beside ours where it has one."""
    rows = []
    for task in TASKS:
        group = findings.gather(pools(findings.budget, task))
        rows += _task_rows(task, group, findings.plan.energies)
    return rows


def _task_rows(task: str, group: Group, further: Sequence[str]) -> list[Row]:
    found = selector_rows(group.samples) if group.samples else {}
    rows: list[Row] = []
    asked = [
        name
        for name in found
        if (is_changed_energy(name) or name in further) and name not in (*COLUMNS, *BEYOND)
    ]
    shown = [name for name in (*COLUMNS[:-1], *BEYOND, *asked) if name != DECODED or name in found]
    for name in (*shown, "oracle"):
        notes = FOOTNOTES.get(name, ())
        rows.append(
            {
                "task": TITLES[task],
                "method": name_of(name),
                "selector": name,
                **ours(found.get(name), group.status),
                "gap": found[name]["gap"] if name in found else None,
                **theirs(SHARED[task].get(name)),
                "data": group.data,
                "notes": notes,
            }
        )
    return rows


def _wide(rows: list[Row]) -> list[Row]:
    wide = []
    for task in TASKS:
        own = {row["selector"]: row for row in rows if row["task"] == TITLES[task]}
        line: Row = {"task": TITLES[task], "notes": (f"{task}-data",)}
        for name in COLUMNS:
            line[name] = own[name]["exact"]
            line[f"{name}_paper"] = own[name].get("paper_exact")
        energy = own["energy"]
        line |= {key: energy.get(key) for key in ("correct", "total", "low", "high", "data")}
        line |= {"gap": energy["gap"], "status": energy["status"]}
        wide.append(line)
    return wide


def _pair(name: str) -> Column:
    """Ours, with the paper's in brackets."""

    def show(row: Row) -> str:
        mine = DASH if row[name] is None else f"{row[name]:.2f}"
        return f"{mine} ({row[f'{name}_paper']:.2f})"

    return Column(FIGURE_NAMES.get(name, NAMES[name]), show)


def _energy_count(row: Row) -> str:
    if row.get("total") is None:
        return DASH
    return f"{row['correct']}/{row['total']} ({row['low']:.1f} to {row['high']:.1f})"


def main_table(findings: Findings) -> Table:
    """The table that the README shows."""
    budget = findings.budget
    columns = [
        text("task", "task"),
        *map(_pair, COLUMNS),
        Column("gap", lambda row: DASH if row["gap"] is None else str(row["gap"])),
        Column("ERM count (95% interval)", _energy_count),
        DATA,
        STATUS,
    ]
    caption = (
        f"Shared-candidate selection, exact %: ours at D = {budget.depth}, K = {budget.width} "
        "(the paper's at D = 64, K = 128 in brackets). The gap is oracle minus ERM, in puzzles."
    )
    return paper_table("table1", caption, columns, _wide(selector_table(findings)), ("verifier",))


def build_table(findings: Findings) -> Section:
    columns = [
        text("task", "task"),
        text("method", "method"),
        *OURS,
        TOKEN,
        TIES,
        Column("gap", lambda row: DASH if row.get("gap") is None else str(row["gap"])),
        *PAPER,
        STATUS,
    ]
    every = paper_table(
        "table1-selectors",
        "Every selector on the same candidates. Ties: puzzles in which candidates with different "
        "answers shared the best score.",
        columns,
        selector_table(findings),
        ("verifier",),
        tuple(_diagnoses(findings)),
    )
    return Section([main_table(findings), every])


def _diagnoses(findings: Findings, pools: Pools = full_search) -> Iterator[str]:
    """What loses right answers in each task."""
    for task in TASKS:
        samples = findings.gather(pools(findings.budget, task)).samples
        if samples:
            yield f"{TITLES[task]}: {diagnose_search(summarise_search(samples), samples)}"


def build_figure(findings: Findings) -> Section:
    rows = [row for row in selector_table(findings) if row["selector"] in COLUMNS]
    with plot.style():
        figure, axes = plot.panels(len(TASKS))
        for one, task in zip(axes, TASKS, strict=True):
            own = [row for row in rows if row["task"] == TITLES[task]]
            places = list(range(len(own)))
            colours = [plot.SELECTOR_COLOURS[row["selector"]] for row in own]
            plot.bars(one, places, own, colours)
            plot.diamonds(one, places, [row.get("paper_exact") for row in own])
            names = [FIGURE_NAMES.get(row["selector"], NAMES[row["selector"]]) for row in own]
            one.set_xticks(places, names, rotation=35, ha="right", rotation_mode="anchor")
            one.grid(False, axis="x")
            one.set_title(_panel_title(TITLES[task], own))
            plot.percent_axis(one)
        size = f"D = {findings.budget.depth}, K = {findings.budget.width}"
        handles = [plot.patch_handle(f"ours (bars), {size}", plot.BLUE), plot.paper_handle()]
        if any(row["exact"] is None for row in rows):
            handles.append(plot.missing_handle())
        plot.legend_below(figure, handles)
    caption = (
        "Figure 1, bottom: exact accuracy of each selector on the same candidates, with 95% "
        "Wilson intervals; diamonds are the paper's figures at D = 64, K = 128."
    )
    return Section(figures=[Figure("figure1", caption, figure, rows)])


def _panel_title(title: str, rows: list[Row]) -> str:
    totals = {row["total"] for row in rows if row.get("total")}
    return f"{title}, {max(totals)} puzzles" if totals else title


TABLE1 = Exhibit("table1", "Table 1: shared-candidate selection", runs_of_table, build_table)
FIGURE1 = Exhibit("figure1", "Figure 1, bottom: ERM reaches the oracle", runs, build_figure)
