"""Figure 2, the appendix' table at D = 16 and energy stopping: what depth does."""

from __future__ import annotations

from erm.evaluate.results import depth_curve, selector_rows, stopping
from erm.report import plot
from erm.report.document import Figure, Section
from erm.report.table import DASH, Column, Row, number, text
from erm.reproduce.budget import Budget
from erm.reproduce.catalogue import ENERGIES, full_search, shallow_search
from erm.reproduce.columns import (
    NAMES,
    OURS,
    PAPER,
    PAPER_TOKEN,
    STATUS,
    TOKEN,
    ours,
    paper_table,
    theirs,
)
from erm.reproduce.exhibit import Exhibit
from erm.reproduce.findings import Findings, Group
from erm.reproduce.paper.printed import (
    DEPTH_POINTS,
    SHALLOW,
    SHALLOW_DEPTH,
    SHALLOW_TASK,
    STOPPING,
    STOPPING_DEPTHS,
    TASKS,
    TITLES,
)
from erm.reproduce.plan import Runs

SCORES = {
    "qhead": "minus q (logit)",
    "confidence": "minus confidence (nats per cell)",
    "energy": "ERM energy",
}
"""What is on the left axis of each panel."""


def full_searches(budget: Budget) -> list[Runs]:
    return [full_search(budget, task) for task in TASKS]


def shallow_searches(budget: Budget) -> list[Runs]:
    return [shallow_search(budget)]


def build_curves(findings: Findings) -> Section:
    figures, absent = [], []
    # What the paper shows comes first.
    for task in sorted(TASKS, key=lambda task: task not in DEPTH_POINTS):
        group = findings.gather(full_search(findings.budget, task))
        if group.samples:
            figures.append(_curves(findings, task, group))
        else:
            absent.append(f"{TITLES[task]}: {group.status}.")
    return Section(figures=figures, text=" ".join(absent))


def _curves(findings: Findings, task: str, group: Group) -> Figure:
    curves = depth_curve(group.samples)
    depths = list(range(1, findings.budget.depth + 1))
    rows: list[Row] = [
        {
            "task": TITLES[task],
            "selector": name,
            "depth": depth,
            "score": curves[name]["score"][depth - 1],
            "exact": 100 * curves[name]["exact"][depth - 1],
            "oracle": 100 * curves["oracle"]["exact"][depth - 1],
            "puzzles": len(group.samples),
        }
        for name in ENERGIES
        for depth in depths
    ]
    points = DEPTH_POINTS.get(task, {})
    with plot.style():
        figure, axes = plot.panels(len(ENERGIES), 3.6, 3.3)
        right = None
        for left, name in zip(axes, ENERGIES, strict=True):
            own = [row for row in rows if row["selector"] == name]
            colour = plot.SELECTOR_COLOURS[name]
            left.plot(depths, [row["score"] for row in own], color=colour, linewidth=2)
            left.set(xlabel="recurrent depth D (steps)", ylabel=SCORES[name], title=NAMES[name])
            left.set_xlim(1, max(depths))
            right = left.twinx()
            right.grid(False)
            right.spines["right"].set_visible(True)
            right.plot(depths, [row["exact"] for row in own], "--", color=plot.GREY, linewidth=1.5)
            plot.percent_axis(right, bottom=-3)
            known = [depth for depth in points if depth <= max(depths)]
            plot.diamonds(right, known, [points[depth][name].exact for depth in known])
        plot.legend_below(figure, _handles(any(depth <= max(depths) for depth in points)))
    paper = " (the paper's figure)" if points else " (beyond the paper)"
    caption = (
        f"Figure 2, {TITLES[task]}{paper}: mean selected score (solid, left axis) and exact "
        f"accuracy (dashed, right axis) at every depth, K = {findings.budget.width}, "
        f"{len(group.samples)} puzzles of {group.data}."
    )
    if points:
        at = " and ".join(f"D = {depth}" for depth in points)
        caption += f" Diamonds: the paper's accuracies at {at}."
    name = "figure2" if points else f"figure2-{task}"
    return Figure(name, caption, figure, rows)


def _handles(with_paper: bool) -> list:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=plot.BLACK, linewidth=2, label="mean selected score (left)"),
        Line2D([], [], color=plot.GREY, linestyle="--", label="exact accuracy (right)"),
    ]
    return [*handles, plot.paper_handle()] if with_paper else handles


def build_shallow(findings: Findings) -> Section:
    group = findings.gather(shallow_search(findings.budget))
    found = selector_rows(group.samples) if group.samples else {}
    rows: list[Row] = []
    for name in ("first", "majority", "qhead", "confidence", "convergence", "energy-mu0", "rules",
                 "energy", "oracle"):  # fmt: skip
        printed = SHALLOW.get(name)
        notes = ("oracle-token",) if name in ("qhead", "oracle") else ()
        row = {"method": NAMES[name], **ours(found.get(name), group.status), **theirs(printed)}
        rows.append({**row, "data": group.data, "notes": notes})
    caption = (
        f"{TITLES[SHALLOW_TASK]} at D = {findings.budget.shallow}, K = {findings.budget.width}, "
        f"beside the paper's at D = {SHALLOW_DEPTH}, K = 128. Our data: {group.data or DASH}."
    )
    columns = [text("method", "method"), *OURS, TOKEN, *PAPER, PAPER_TOKEN, STATUS]
    return Section(
        [paper_table(SHALLOW_EXHIBIT.name, caption, columns, rows, ("verifier", "depth"))]
    )


def build_stopping(findings: Findings) -> Section:
    rows = []
    for task in TASKS:
        group = findings.gather(full_search(findings.budget, task))
        row: Row = {"task": TITLES[task], "budget": findings.budget.depth}
        if group.samples:
            found = stopping(group.samples)
            row |= {key: found[f"depth_{key}"] for key in ("mean", "min", "max")}
            row |= ours(found, group.status)
            row["full_depth"] = ours(selector_rows(group.samples)["energy"])["exact"]
        else:
            row |= ours(None, group.status)
        if task in STOPPING:
            mean, least, most = STOPPING_DEPTHS[task]
            row |= theirs(STOPPING[task])
            row |= {"paper_mean": mean, "paper_min": least, "paper_max": most}
            row["notes"] = ("stopping",)
        rows.append(row)
    columns = [
        text("task", "task"),
        number("mean depth", "mean"),
        Column("range", lambda row: _range(row, "")),
        *OURS,
        TOKEN,
        number("ERM % at full depth", "full_depth"),
        number("mean depth (paper)", "paper_mean"),
        Column("range (paper)", lambda row: _range(row, "paper_")),
        *PAPER,
        PAPER_TOKEN,
        STATUS,
    ]
    caption = (
        f"Energy stopping from D = {findings.budget.depth} (the paper's: 64, "
        f"{', '.join(TITLES[task] for task in STOPPING)} only): "
        "a puzzle ends when the best energy of its pool has changed by less than 1% in two steps "
        "in a row, after at least four."
    )
    return Section([paper_table("stopping", caption, columns, rows)])


def _range(row: Row, prefix: str) -> str:
    least = row.get(f"{prefix}min")
    return DASH if least is None else f"{least} to {row[f'{prefix}max']}"


FIGURE2 = Exhibit("figure2", "Figure 2: depth curves", full_searches, build_curves)
SHALLOW_EXHIBIT = Exhibit(
    f"{SHALLOW_TASK}{SHALLOW_DEPTH}",
    f"Appendix: {TITLES[SHALLOW_TASK]} at D = {SHALLOW_DEPTH}",
    shallow_searches,
    build_shallow,
)
STOP = Exhibit("stopping", "Appendix: energy stopping", full_searches, build_stopping)
