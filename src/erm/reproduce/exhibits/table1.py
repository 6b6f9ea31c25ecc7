"""Table 1, shared-candidate selection by networks alone, and the bars at the bottom of Figure 1."""

from __future__ import annotations

from erm.evaluate.diagnosis import diagnose_search
from erm.evaluate.results import summarise_search
from erm.report import plot
from erm.report.document import Section
from erm.report.figures import Bar, bars
from erm.report.outcome import Row
from erm.report.table import Table
from erm.reproduce import paper
from erm.reproduce.exhibits.rows import COLUMNS, NAMES, of_group
from erm.reproduce.study import Exhibit, Group, Run, Study, full
from erm.reproduce.suites import MAIN, Budget, of_budget

WIDE = {
    "task": "task",
    "base": "base",
    **{name: NAMES[name] for name in ("majority", "qhead", "confidence", "energy", "oracle")},
    "gap": "gap",
    "rules": NAMES["rules"],
    "energy-mu0": NAMES["energy-mu0"],
    "network": "network alone",
    "data": "data",
    "remark": "remark",
}
"""The paper's columns, then what a reader of them needs."""
PRINTED = list(WIDE)[1:7]
TELLING = (0.4, 0.9)
"""One rollout's accuracy in which selectors differ enough to compare."""


def runs(budget: Budget) -> list[Run]:
    return [run for suite in of_budget(MAIN, budget) for run in full(budget, suite)]


def groups(study: Study) -> dict[str, Group]:
    """What the runs found, by the title of the suite."""
    suites = of_budget(MAIN, study.budget)
    return {suite.title: study.gather(full(study.budget, suite)) for suite in suites}


def main_table(study: Study) -> Table:
    """Ours, then the paper's rows."""
    rows: list[Row] = []
    notes = [paper.VERIFIER, paper.DATA]
    for title, group in groups(study).items():
        gap = group.search.selectors["energy"].gap if group.search else None
        rows.append({"task": title, **group.rates, "gap": gap, **group.about()})
        base, (low, high) = group.rates.get("base"), TELLING
        if base is not None and base.exact is not None and not low <= base.exact <= high:
            notes.append(
                f"{title}: one rollout has {base.percent:.1f}%, outside the {100 * low:.0f} to "
                f"{100 * high:.0f}% in which selectors differ enough to compare."
            )
    for task, row in paper.SHARED.items():
        gap = row["oracle"].correct - row["energy"].correct
        rows.append({"task": f"the paper: {task}", **row, "gap": gap, "data": paper.TASKS[task]})
    caption = (
        f"Shared-candidate selection by networks alone, exact accuracy at D = {study.budget.depth},"
        f" K = {study.budget.width} (the paper's rows: D = 64, K = 128), with counts and 95% "
        "intervals. Base is the mean over the K candidates; the gap is oracle minus ERM, in "
        "puzzles."
    )
    return Table("table1", caption, WIDE, rows, notes)


def build_table(study: Study) -> Section:
    rows: list[Row] = []
    notes = [paper.EQR_SELECTOR, paper.TWO_READINGS]
    for title, group in groups(study).items():
        own = of_group(title, "", group, sorted(group.rates, key=[*NAMES, *group.rates].index))
        for row in own:
            row |= {key: getattr(row.get("exact"), key, None) for key in ("ties", "gap")}
        rows += own
        if group.samples:
            found = diagnose_search(summarise_search(group.samples), group.samples)
            notes.append(f"{title}: {found}")
    caption = (
        "Every selector on the same candidates. Ties: puzzles in which candidates with different "
        "answers shared the best score."
    )
    columns = {**{key: COLUMNS[key] for key in ("task", "name", "exact")}, "ties": "ties"}
    columns |= {"gap": "gap", "remark": "remark"}
    return Section([main_table(study), Table("table1-selectors", caption, columns, rows, notes)])


def build_figure(study: Study) -> Section:
    found = {title: group.rates for title, group in groups(study).items()}
    printed = {f"the paper: {task}": dict(row) for task, row in paper.SHARED.items()}
    panels = {
        title: [Bar(WIDE[name], row.get(name), plot.SELECTOR_COLOURS[name]) for name in PRINTED]
        for title, row in {**found, **printed}.items()
    }
    caption = (
        "Figure 1, bottom: exact accuracy of each selector on the same candidates, with 95% "
        "intervals; the last three panels are the paper's."
    )
    return Section(figures=[bars("figure1", caption, panels)])


TABLE1 = Exhibit("table1", "Table 1: shared-candidate selection", runs, build_table)
FIGURE1 = Exhibit("figure1", "Figure 1, bottom: selectors beside the oracle", runs, build_figure)
