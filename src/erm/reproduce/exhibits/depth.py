"""Figure 2, the appendix' table at D = 16 and energy stopping: what depth does."""

from __future__ import annotations

from erm.report import plot
from erm.report.document import Figure, Section
from erm.report.figures import Line, lines
from erm.report.outcome import Row
from erm.report.table import Table
from erm.reproduce import paper
from erm.reproduce.exhibits.table1 import BESIDE, NAMES, groups, rates, runs
from erm.reproduce.study import Exhibit, Run, Study, full, runs_of
from erm.reproduce.suites import MAIN, SHALLOW, SUITES, Budget, of_budget
from erm.search.options import SearchOptions

SCORES = {
    "qhead": "minus q (logit)",
    "confidence": "minus confidence (nats per cell)",
    "energy": "ERM energy",
}
"""Selectors of Figure 2 with what is on their left axis."""
SHOWN = ("base", "majority", "qhead", "confidence", "convergence", *BESIDE, "energy", "oracle")


def shallow_runs(budget: Budget) -> list[Run]:
    options = SearchOptions(budget.shallow, budget.width, "full")
    return runs_of(SUITES[SHALLOW], "shallow", options, cost=2)


def build_curves(study: Study) -> Section:
    figures: list[Figure] = []
    absent: list[str] = []
    for suite in of_budget(MAIN, study.budget):
        group = study.gather(full(study.budget, suite))
        if group.search is None:
            absent.append(f"{suite.title}: {group.remark}.")
            continue
        panels: dict[str, list[Line]] = {}
        for name, label in SCORES.items():
            curve, best = (group.search.depth_curve[one] for one in (name, "oracle"))
            depths = range(1, len(curve.score) + 1)
            panels[NAMES[name]] = [
                Line(label, depths, curve.score, plot.SELECTOR_COLOURS[name], percent=False),
                Line("exact (right)", depths, _percent(curve.exact), plot.GREY, "--"),
                Line("oracle (right)", depths, _percent(best.exact), plot.BLACK, ":"),
            ]
        caption = (
            f"Figure 2, {suite.title}: mean selected score (solid, left axis) and exact accuracy "
            f"(dashed, right axis) at every depth, K = {study.budget.width}, "
            f"{group.search.puzzles.total} puzzles, {group.data}."
        )
        across = "recurrent depth D (steps)"
        figures.append(lines(f"figure2-{suite.name}", caption, panels, across))
    printed = ", ".join(f"{NAMES[n]} {one.percent:.2f}%" for n, one in paper.SHALLOW.items())
    return Section(
        figures=figures,
        text=" ".join([*absent, f"The paper shows Maze; it prints for D = 16: {printed}."]),
        notes=[paper.DEPTH],
    )


def _percent(shares: list[float]) -> list[float]:
    return [100 * share for share in shares]


def build_shallow(study: Study) -> Section:
    group = study.gather(shallow_runs(study.budget))
    found = rates(group)
    rows: list[Row] = [
        {
            "method": NAMES[name],
            "ours": found.get(name),
            "paper": paper.SHALLOW.get(name),
            "remark": group.remark,
        }
        for name in SHOWN
    ]
    columns = {
        "method": "method",
        "ours": "ours",
        "paper": "the paper, D = 16, K = 128",
        "remark": "remark",
    }
    caption = (
        f"{SUITES[SHALLOW].title} at D = {study.budget.shallow}, K = {study.budget.width}, exact "
        f"accuracy. Network: {group.networks or 'none'}; data: {group.data or 'none'}."
    )
    return Section([Table("maze16", caption, columns, rows, [paper.VERIFIER, paper.DEPTH])])


def build_stopping(study: Study) -> Section:
    rows: list[Row] = []
    for title, group in groups(study).items():
        row: Row = {"task": title, "remark": group.remark}
        if group.search is not None and group.search.stopping is not None:
            stop = group.search.stopping
            row |= {"mean": stop.depth_mean, "least": stop.depth_min, "most": stop.depth_max}
            row |= {"exact": stop, "full": group.search.selectors["energy"]}
        rows.append(row)
    mean, least, most = paper.STOPPING_DEPTHS
    row = {"task": "the paper: Maze, D = 64", "mean": mean, "least": least, "most": most}
    rows.append({**row, "exact": paper.STOPPING, "full": paper.SHARED["Maze"]["energy"]})
    columns = {
        "task": "task",
        "mean": "mean depth",
        "least": "least",
        "most": "most",
        "exact": "ERM where it stops",
        "full": "ERM at full depth",
        "remark": "remark",
    }
    caption = f"Energy stopping from D = {study.budget.depth}, K = {study.budget.width}."
    return Section([Table("stopping", caption, columns, rows, [paper.STOPPING_NOTE])])


FIGURE2 = Exhibit("figure2", "Figure 2: every depth", runs, build_curves)
MAZE16 = Exhibit("maze16", "Appendix: Maze at D = 16", shallow_runs, build_shallow)
STOP = Exhibit("stopping", "Appendix: energy stopping", runs, build_stopping)
