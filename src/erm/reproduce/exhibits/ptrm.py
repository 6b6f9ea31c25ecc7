"""TRM, PTRM at several sigmas, and EqR: each by networks that are that."""

from __future__ import annotations

from erm.report import plot
from erm.report.document import Section
from erm.report.figures import Line, lines
from erm.report.outcome import Row
from erm.report.table import Table
from erm.reproduce import paper
from erm.reproduce.exhibits.rows import COLUMNS, NAMES, of_group
from erm.reproduce.study import Exhibit, Group, Run, Study, runs_of
from erm.reproduce.suites import MAIN, Budget, Suite, of_budget
from erm.search.options import SearchOptions

SHOWN = ("base", "qhead", "convergence", "energy", "oracle")


def suites(budget: Budget) -> list[Suite]:
    """Those of one task; networks of the published kinds read boards of one size."""
    return [suite for suite in of_budget(MAIN, budget) if len(suite.tasks) == 1]


def methods(budget: Budget, suite: Suite) -> dict[str, list[Run]]:
    depth, width = budget.depth, min(paper.PTRM_WIDTH, budget.width)
    one = SearchOptions(min(paper.TRM_DEPTH, depth), 1, "full")
    plain = SearchOptions(depth, budget.width, "full")
    return {
        f"TRM, D = {one.depth}, K = 1": runs_of(suite, "trm", one, "trm", cost=0.2),
        f"EqR, D = {depth}, K = {budget.width}": runs_of(suite, "eqr", plain, "eqr", cost=2),
    } | {
        f"PTRM, sigma = {sigma:g}, D = {depth}, K = {width}": own
        for sigma, own in swept(budget, suite).items()
    }


def swept(budget: Budget, suite: Suite) -> dict[float, list[Run]]:
    """PTRM's runs by sigma."""
    depth, width = budget.depth, min(paper.PTRM_WIDTH, budget.width)
    return {
        sigma: runs_of(
            suite, f"ptrm-{sigma:g}", SearchOptions(depth, width, "full", sigma=sigma), "trm"
        )
        for sigma in budget.sigmas
    }


def runs(budget: Budget) -> list[Run]:
    every = [methods(budget, suite).values() for suite in suites(budget)]
    return [run for groups in every for own in groups for run in own]


def build(study: Study) -> Section:
    rows: list[Row] = []
    panels: dict[str, list[Line]] = {}
    notes = [paper.PTRM_NOISE, paper.EQR_SELECTOR]
    for suite in suites(study.budget):
        for label, own in methods(study.budget, suite).items():
            rows += of_group(suite.title, label, study.gather(own), SHOWN)
        sweep = {s: study.gather(own) for s, own in swept(study.budget, suite).items()}
        sweep = {sigma: group for sigma, group in sweep.items() if group.rates}
        if len(sweep) > 1:
            panels[suite.title] = [_line(sweep, name) for name in SHOWN]
            notes.append(f"{suite.title}: {_chosen(sweep)}")
    rows += [
        {"task": "as printed", "method": method, "printed": percent}
        for method, percent in paper.NOISE.items()
    ]
    caption = "TRM, PTRM and EqR by networks of that kind, and the figures that their papers print."
    text = "PTRM: exact accuracy over sigma, the noise before each step."
    figures = [lines("ptrm", text, panels, "sigma", log=True)] if panels else []
    return Section([Table("ptrm", caption, COLUMNS, rows, notes)], figures)


def _line(sweep: dict[float, Group], name: str) -> Line:
    percents = [group.rates[name].percent or 0.0 for group in sweep.values()]
    return Line(NAMES[name], list(sweep), percents, plot.SELECTOR_COLOURS.get(name, plot.PURPLE))


def _chosen(sweep: dict[float, Group]) -> str:
    """Sigma chosen on every second puzzle and counted on the others."""

    def right(group: Group, odd: int) -> list[bool]:
        own = [one for one in group.samples if one["index"] % 2 == odd and "oracle" in one]
        return [one["choices"]["qhead"]["correct"] for one in own]

    best = max(sweep, key=lambda sigma: sum(right(sweep[sigma], 1)))
    other = right(sweep[best], 0)
    return (
        f"the q-head is best at sigma = {best:g} on the puzzles of odd number; on those of even "
        f"number it has {sum(other)}/{len(other)} with it."
    )


PTRM = Exhibit("ptrm", "TRM, PTRM's sigma sweep and EqR", runs, build)
