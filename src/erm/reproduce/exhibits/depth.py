"""Figure 2, the appendix' table at D = 16 and energy stopping: what depth does."""

from __future__ import annotations

from erm.report import plot
from erm.report.document import Figure, Section
from erm.report.figures import Line, lines
from erm.report.outcome import Row
from erm.report.table import Table
from erm.reproduce import paper
from erm.reproduce.exhibits.rows import COLUMNS, NAMES, of_group, selected
from erm.reproduce.exhibits.table1 import PRINTED, groups, runs
from erm.reproduce.study import Exhibit, Run, Study, full, runs_of
from erm.reproduce.suites import MAIN, SHALLOW, SUITES, Budget, of_budget
from erm.search.options import SearchOptions

SCORES = {
    "qhead": "minus q (logit)",
    "confidence": "minus confidence (nats per cell)",
    "energy": "ERM energy",
}
"""Selectors of Figure 2 with what is on their left axis."""
STOPPED = {
    "task": "task",
    "depth_mean": "mean depth",
    "depth_min": "least",
    "depth_max": "most",
    "exact": "ERM where it stops",
    "full": "ERM at full depth",
    "remark": "remark",
}


def build_curves(study: Study) -> Section:
    figures: list[Figure] = []
    absent: list[str] = []
    for suite in of_budget(MAIN, study.budget):
        group = study.gather(full(study.budget, suite))
        if group.search is None:
            absent.append(f"{suite.title}: {group.about()['remark']}.")
            continue
        curves, panels = group.search.depth_curve, {}
        depths = range(1, len(curves["energy"]["score"]) + 1)
        for name, label in SCORES.items():
            exact, best = ([100 * one for one in curves[n]["exact"]] for n in (name, "oracle"))
            colour = plot.SELECTOR_COLOURS[name]
            panels[NAMES[name]] = [
                Line(label, depths, curves[name]["score"], colour, percent=False),
                Line("exact (right)", depths, exact, plot.GREY, "--"),
                Line("oracle (right)", depths, best, plot.BLACK, ":"),
            ]
        caption = (
            f"Figure 2, {suite.title}: mean selected score (left axis) and exact accuracy (right "
            f"axis) at every depth, K = {study.budget.width}, {len(group.samples)} puzzles."
        )
        across = "recurrent depth D (steps)"
        figures.append(lines(f"figure2-{suite.name}", caption, panels, across))
    return Section((), figures, " ".join(absent), notes=[paper.DEPTH])


def shallow_runs(budget: Budget) -> list[Run]:
    options = SearchOptions(budget.shallow, budget.width, "full")
    return runs_of(SUITES[SHALLOW], "shallow", options, cost=2)


def build_shallow(study: Study) -> Section:
    group, suite = study.gather(shallow_runs(study.budget)), SUITES[SHALLOW]
    shown = [*PRINTED[:-1], "convergence", "rules", "energy-mu0", "oracle"]
    method = f"D = {study.budget.shallow}, K = {study.budget.width}"
    rows = of_group(suite.title, method, group, shown)
    rows += selected("the paper: Maze", "D = 16, K = 128", paper.SHALLOW, shown)
    caption = "Few steps and many candidates: the networks of Table 1 at the depth of the appendix."
    return Section([Table("maze16", caption, COLUMNS, rows, [paper.VERIFIER, paper.DEPTH])])


def build_stopping(study: Study) -> Section:
    rows: list[Row] = []
    for title, group in groups(study).items():
        row: Row = {"task": title, **group.about()}
        if group.search is not None and group.search.stopping is not None:
            stop = group.search.stopping
            row |= {key: getattr(stop, key) for key in ("depth_mean", "depth_min", "depth_max")}
            row |= {"exact": stop, "full": group.search.selectors["energy"]}
        rows.append(row)
    row = {"task": "the paper: Maze, D = 64", **paper.STOPPING_DEPTHS, "exact": paper.STOPPING}
    rows.append({**row, "full": paper.SHARED["Maze"]["energy"]})
    caption = f"Energy stopping from D = {study.budget.depth}, K = {study.budget.width}."
    return Section([Table("stopping", caption, STOPPED, rows, [paper.STOPPING_NOTE])])


FIGURE2 = Exhibit("figure2", "Figure 2: every depth", runs, build_curves)
MAZE16 = Exhibit("maze16", "Appendix: Maze at D = 16", shallow_runs, build_shallow)
STOP = Exhibit("stopping", "Appendix: energy stopping", runs, build_stopping)
