"""TRM, PTRM at several sigmas, and EqR: each by networks that are that."""

from __future__ import annotations

from erm.report import plot
from erm.report.document import Section
from erm.report.figures import Line, lines
from erm.report.outcome import Rate, Row
from erm.report.table import Table
from erm.reproduce import paper
from erm.reproduce.exhibits.table1 import NAMES, rates
from erm.reproduce.study import Exhibit, Group, Run, Study, runs_of
from erm.reproduce.suites import MAIN, Budget, Suite, of_budget
from erm.search.options import SearchOptions

SWEPT = ("base", "qhead", "energy", "oracle")


def suites(budget: Budget) -> list[Suite]:
    """Those of one task; networks of the published kinds read boards of one size."""
    return [suite for suite in of_budget(MAIN, budget) if len(suite.tasks) == 1]


def methods(budget: Budget, suite: Suite) -> dict[str, tuple[list[Run], tuple[str, ...], float]]:
    """By label: runs, selectors to show, sigma."""
    depth, width = budget.depth, min(paper.PTRM_WIDTH, budget.width)
    one = SearchOptions(min(paper.TRM_DEPTH, depth), 1, "full")
    noisy = {sigma: SearchOptions(depth, width, "full", sigma=sigma) for sigma in budget.sigmas}
    plain = SearchOptions(depth, budget.width, "full")
    shown = ("base", "qhead", "convergence", "energy", "oracle")
    return {
        f"TRM, D = {one.depth}, K = 1": (runs_of(suite, "trm", one, "trm", cost=0.2), SWEPT[:1], 0),
        **{
            f"PTRM, sigma = {sigma:g}, D = {depth}, K = {width}": (
                runs_of(suite, f"ptrm-{sigma:g}", options, "trm"),
                SWEPT,
                sigma,
            )
            for sigma, options in noisy.items()
        },
        f"EqR, D = {depth}, K = {budget.width}": (
            runs_of(suite, "eqr", plain, "eqr", cost=2),
            shown,
            0,
        ),
    }


def runs(budget: Budget) -> list[Run]:
    every = [methods(budget, suite).values() for suite in suites(budget)]
    return [run for group in every for own, _, _ in group for run in own]


def build(study: Study) -> Section:
    rows: list[Row] = []
    panels: dict[str, list[Line]] = {}
    notes = [paper.PTRM_NOISE, paper.EQR_SELECTOR]
    for suite in suites(study.budget):
        swept: dict[float, Group] = {}
        for label, (own, shown, sigma) in methods(study.budget, suite).items():
            group = study.gather(own)
            found = rates(group)
            about = {"task": suite.title, "method": label, "sigma": sigma}
            for name in shown if found else ():
                row = {**about, "selector": NAMES[name], "exact": found.get(name)}
                rows.append({**row, "network": group.networks})
            if not found:
                rows.append({**about, "remark": group.remark})
            elif sigma:
                swept[sigma] = group
        if len(swept) > 1:
            panels[suite.title] = [_line(swept, name) for name in SWEPT]
            notes.append(f"{suite.title}: {_chosen(swept)}")
    for method, settings, sigma, percent in paper.NOISE:
        row = {"task": "as printed", "method": f"{method}, {settings}", "sigma": sigma}
        rows.append({**row, "printed": percent})
    columns = {
        "task": "task",
        "method": "method",
        "selector": "selector",
        "exact": "exact (count, 95% interval)",
        "printed": "printed %",
        "network": "network",
        "remark": "remark",
    }
    caption = "TRM, PTRM and EqR by networks of that kind, and the figures that their papers print."
    figures = []
    if panels:
        text = "PTRM: exact accuracy over sigma, the noise before each step."
        figures = [lines("ptrm", text, panels, "sigma", log=True)]
    return Section([Table("ptrm", caption, columns, rows, notes)], figures)


def _line(swept: dict[float, Group], name: str) -> Line:
    found = {sigma: rates(group).get(name, Rate()).percent or 0.0 for sigma, group in swept.items()}
    return Line(NAMES[name], list(found), list(found.values()), plot.SELECTOR_COLOURS[name])


def _chosen(swept: dict[float, Group]) -> str:
    """Sigma chosen on every second puzzle and counted on the others."""

    def right(group: Group, odd: int) -> list[bool]:
        own = [one for one in group.samples if one["index"] % 2 == odd and "oracle" in one]
        return [one["choices"]["qhead"]["correct"] for one in own]

    best = max(swept, key=lambda sigma: sum(right(swept[sigma], 1)))
    other = right(swept[best], 0)
    return (
        f"the q-head is best at sigma = {best:g} on the puzzles of odd number; on those of even "
        f"number it has {sum(other)}/{len(other)} with it."
    )


PTRM = Exhibit("ptrm", "TRM, PTRM's sigma sweep and EqR", runs, build)
