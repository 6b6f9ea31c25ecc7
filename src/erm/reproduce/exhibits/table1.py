"""Table 1, shared-candidate selection by networks alone, and the bars at the bottom of Figure 1."""

from __future__ import annotations

from erm.evaluate.diagnosis import diagnose_search
from erm.evaluate.energies import DECODED
from erm.evaluate.results import summarise_search
from erm.report import plot
from erm.report.document import Section
from erm.report.figures import Bar, bars
from erm.report.outcome import Rate, Row
from erm.report.table import Table
from erm.reproduce import paper
from erm.reproduce.study import Exhibit, Group, Run, Study, full
from erm.reproduce.suites import MAIN, Budget, of_budget

NAMES = {
    "base": "base (one rollout, mean of K)",
    "first": "first candidate",
    "majority": "majority",
    "cell-majority": "cell majority",
    "qhead": "q-head",
    "confidence": "confidence",
    "convergence": "convergence (EqR)",
    "residual": "residual of z_H",
    "energy-mu0": "ERM, mu = 0",
    "energy-gamma": "ERM + confidence, gamma = 64",
    DECODED: "ERM on decoded answers (Eq. 7)",
    "rules": "rule checker",
    "energy": "ERM",
    "et": "ET energy",
    "oracle": "oracle",
}
"""Selectors as people read them."""
COLUMNS = ("base", "majority", "qhead", "confidence", "energy", "oracle")
"""The columns of the paper's table; base is the mean over the K candidates."""
BESIDE = ("rules", "energy-mu0")
"""What the paper does not tabulate and a reader of it needs."""
TELLING = (0.4, 0.9)
"""One rollout's accuracy in which selectors can be told apart."""


def runs(budget: Budget) -> list[Run]:
    return [run for suite in of_budget(MAIN, budget) for run in full(budget, suite)]


def groups(study: Study) -> dict[str, Group]:
    """What Table 1's runs found, by the title of the suite."""
    suites = of_budget(MAIN, study.budget)
    return {suite.title: study.gather(full(study.budget, suite)) for suite in suites}


def rates(group: Group) -> dict[str, Rate]:
    """Every selector's accuracy, base and oracle among them; empty where there is no run."""
    if group.search is None:
        return {}
    base = {} if group.search.base is None else {"base": group.search.base}
    return {**base, **group.search.selectors}


def name_of(selector: str) -> str:
    return NAMES.get(selector) or f"ERM, {selector.removeprefix('energy:')}"


def main_table(study: Study) -> Table:
    """Ours, then the paper's rows."""
    rows: list[Row] = []
    for title, group in groups(study).items():
        found = rates(group)
        gap = group.search.selectors["energy"].gap if group.search else None
        kept = {name: found.get(name) for name in (*COLUMNS, *BESIDE)}
        about = {"network": group.networks, "data": group.data, "remark": group.remark}
        rows.append({"task": title, **kept, "gap": gap, **about})
    for task, row in paper.SHARED.items():
        gap = row["oracle"].correct - row["energy"].correct
        title = f"the paper: {task} ({paper.TASKS[task]})"
        rows.append({"task": title, **row, "gap": gap, "network": "EqR, as printed"})
    labels = {name: NAMES[name].removesuffix(" (one rollout, mean of K)") for name in COLUMNS}
    columns = {
        "task": "task",
        **labels,
        "gap": "gap",
        **{name: NAMES[name] for name in BESIDE},
        "network": "network alone",
        "data": "data",
        "remark": "remark",
    }
    budget = study.budget
    caption = (
        f"Shared-candidate selection by networks alone, exact accuracy at D = {budget.depth}, "
        f"K = {budget.width}, with counts and 95% intervals. Base is the mean over the K "
        "candidates; the gap is oracle minus ERM, in puzzles."
    )
    notes = [paper.VERIFIER, paper.DATA, *_outside(study)]
    return Table("table1", caption, columns, rows, notes)


def _outside(study: Study) -> list[str]:
    """Suites on which one rollout is too weak or too strong to tell selectors apart."""
    low, high = TELLING
    found = {title: rates(group).get("base") for title, group in groups(study).items()}
    return [
        f"{title}: one rollout has {base.percent:.1f}%, outside the {100 * low:.0f} to "
        f"{100 * high:.0f}% in which selectors can be told apart."
        for title, base in found.items()
        if base is not None and base.exact is not None and not low <= base.exact <= high
    ]


def build_table(study: Study) -> Section:
    rows: list[Row] = []
    notes = [paper.EQR_SELECTOR, paper.TWO_READINGS]
    for title, group in groups(study).items():
        found = rates(group)
        for name in sorted(found, key=[*NAMES, *found].index):
            tally = group.search.selectors.get(name) if group.search else None
            about = {key: getattr(tally, key) for key in ("token", "ties", "gap")} if tally else {}
            if about.get("token") is not None:
                about["token"] *= 100
            rows.append({"task": title, "method": name_of(name), "selector": name})
            rows[-1] |= {"exact": found[name], **about}
        if group.search is None:
            rows.append({"task": title, "remark": group.remark})
        elif group.samples:
            summary = summarise_search(group.samples)
            notes.append(f"{title}: {diagnose_search(summary, group.samples)}")
    columns = {
        "task": "task",
        "method": "selector",
        "exact": "exact (count, 95% interval)",
        "token": "token %",
        "ties": "ties",
        "gap": "gap",
        "remark": "remark",
    }
    caption = (
        "Every selector on the same candidates. Ties: puzzles in which candidates with different "
        "answers shared the best score."
    )
    return Section([main_table(study), Table("table1-selectors", caption, columns, rows, notes)])


def build_figure(study: Study) -> Section:
    panels: dict[str, list[Bar]] = {}
    found = {title: rates(group) for title, group in groups(study).items()}
    printed = {f"the paper: {task}": dict(row) for task, row in paper.SHARED.items()}
    for title, row in {**found, **printed}.items():
        colours = plot.SELECTOR_COLOURS
        panels[title] = [
            Bar(name.replace("energy", "ERM"), row.get(name), colours[name]) for name in COLUMNS
        ]
    caption = (
        "Figure 1, bottom: exact accuracy of each selector on the same candidates, with 95% "
        "intervals; the last three panels are the paper's."
    )
    return Section(figures=[bars("figure1", caption, panels)])


TABLE1 = Exhibit("table1", "Table 1: shared-candidate selection", runs, build_table)
FIGURE1 = Exhibit("figure1", "Figure 1, bottom: selectors beside the oracle", runs, build_figure)
