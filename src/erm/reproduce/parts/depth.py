"""Figure 2, the Maze table at D = 16 and energy stopping: what depth does."""

from __future__ import annotations

from erm.evaluate.results import depth_curve, selector_rows, stopping
from erm.reproduce import plot
from erm.reproduce.catalogue import ENERGIES, shallow, shared
from erm.reproduce.compare import (
    NAMES,
    OURS,
    PAPER,
    PAPER_TOKEN,
    STATUS,
    TOKEN,
    ours,
    theirs,
)
from erm.reproduce.paper.printed import (
    SHALLOW_DEPTH,
    SHALLOW_MAZE,
    SHARED,
    STOPPING,
    STOPPING_DEPTHS,
    TASKS,
    TITLES,
)
from erm.reproduce.part import Figure, Part, Section
from erm.reproduce.study import Group, Runs, Study
from erm.reproduce.table import DASH, Column, Row, Table, number, text

PAPER_DEPTH = 64
SCORES = {
    "qhead": "minus q (logit)",
    "confidence": "minus confidence (nats a cell)",
    "energy": "ERM energy",
}
"""What is on the left axis of each panel."""


def all_shared(study: Study) -> list[Runs]:
    return [shared(study, task) for task in TASKS]


def only_shallow(study: Study) -> list[Runs]:
    return [shallow(study)]


def build_curves(study: Study) -> Section:
    figures, absent = [], []
    for task in ("maze", "sudoku", "ppbench"):
        group = study.gather(shared(study, task))
        if group.samples:
            figures.append(_curves(study, task, group))
        else:
            absent.append(f"{TITLES[task]}: {group.status}.")
    return Section(figures=figures, text=" ".join(absent))


def _curves(study: Study, task: str, group: Group) -> Figure:
    curves = depth_curve(group.samples)
    depths = list(range(1, study.budget.depth + 1))
    rows: list[Row] = [
        {
            "task": TITLES[task],
            "selector": name,
            "depth": depth,
            "score": curves[name]["score"][depth - 1],
            "exact": 100 * curves[name]["exact"][depth - 1],
            "puzzles": len(group.samples),
        }
        for name in ENERGIES
        for depth in depths
    ]
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
            if task == "maze":
                _paper_points(right, name, max(depths))
        plot.legend_below(figure, _handles(task == "maze" and max(depths) >= SHALLOW_DEPTH))
    paper = " (the paper's figure)" if task == "maze" else " (beyond the paper)"
    caption = (
        f"Figure 2, {TITLES[task]}{paper}: mean selected score (solid, left axis) and exact "
        f"accuracy (dashed, right axis) at every depth, K = {study.budget.width}, "
        f"{len(group.samples)} puzzles of {group.data}."
    )
    if task == "maze":
        caption += " Diamonds: the paper's accuracies at D = 16 and D = 64."
    name = "figure2" if task == "maze" else f"figure2-{task}"
    return Figure(name, caption, figure, rows)


def _paper_points(axes, name: str, deepest: int) -> None:
    known = {SHALLOW_DEPTH: SHALLOW_MAZE[name].exact, PAPER_DEPTH: SHARED["maze"][name].exact}
    places = [depth for depth in known if depth <= deepest]
    plot.diamonds(axes, places, [known[depth] for depth in places])


def _handles(with_paper: bool) -> list:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=plot.BLACK, linewidth=2, label="mean selected score (left)"),
        Line2D([], [], color=plot.GREY, linestyle="--", label="exact accuracy (right)"),
    ]
    return [*handles, plot.paper_handle()] if with_paper else handles


def build_shallow(study: Study) -> Section:
    group = study.gather(shallow(study))
    found = selector_rows(group.samples) if group.samples else {}
    rows: list[Row] = []
    for name in ("first", "majority", "qhead", "confidence", "residual", "energy-mu0", "rules",
                 "energy", "oracle"):  # fmt: skip
        printed = SHALLOW_MAZE.get(name)
        notes = ("oracle-token",) if name in ("qhead", "oracle") else ()
        row = {"method": NAMES[name], **ours(found.get(name), group.status), **theirs(printed)}
        rows.append({**row, "data": group.data, "notes": notes})
    caption = (
        f"Maze at D = {study.budget.shallow}, K = {study.budget.width}, beside the paper's at "
        f"D = {SHALLOW_DEPTH}, K = 128. Our data: {group.data or DASH}."
    )
    columns = [text("method", "method"), *OURS, TOKEN, *PAPER, PAPER_TOKEN, STATUS]
    return Section([Table("maze16", caption, columns, rows, ("verifier", "depth"))])


def build_stopping(study: Study) -> Section:
    rows = []
    for task in TASKS:
        group = study.gather(shared(study, task))
        row: Row = {"task": TITLES[task], "budget": study.budget.depth}
        if group.samples:
            found = stopping(group.samples)
            row |= {key: found[f"depth_{key}"] for key in ("mean", "min", "max")}
            row |= ours(found, group.status)
            row["full_depth"] = ours(selector_rows(group.samples)["energy"])["exact"]
        else:
            row |= ours(None, group.status)
        if task == "maze":
            mean, least, most = STOPPING_DEPTHS
            row |= theirs(STOPPING)
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
        f"Energy stopping from a budget of D = {study.budget.depth} (the paper's: 64, Maze only): "
        "a puzzle ends when the best energy of its pool has changed by less than 1% in two steps "
        "in a row, after at least four."
    )
    return Section([Table("stopping", caption, columns, rows)])


def _range(row: Row, prefix: str) -> str:
    least = row.get(f"{prefix}min")
    return DASH if least is None else f"{least} to {row[f'{prefix}max']}"


FIGURE2 = Part("figure2", "Figure 2: depth curves", all_shared, build_curves)
MAZE16 = Part("maze16", "Appendix: Maze at D = 16", only_shallow, build_shallow)
STOP = Part("stopping", "Appendix: energy stopping", all_shared, build_stopping)
