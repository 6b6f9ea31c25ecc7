"""Rows that most tables share: a task, a method, a selector, its accuracy and its cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from erm.evaluate.energies import DECODED
from erm.report.outcome import Rate, Row
from erm.reproduce.study import Group, Run, Study
from erm.reproduce.suites import MAIN, Budget, Suite, of_budget

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
COLUMNS = {
    "task": "task",
    "method": "method",
    "name": "selector",
    "exact": "exact (count, 95% interval)",
    "printed": "printed %",
    "evaluations": "model evaluations per puzzle",
    "propagations": "propagations per puzzle",
    "seconds": "seconds per puzzle",
    "propagating": "of them propagation",
    "network": "network",
    "data": "data",
    "remark": "remark",
}
"""Those without a value are not printed."""


def name_of(selector: str) -> str:
    return NAMES.get(selector) or f"ERM, {selector.removeprefix('energy:')}"


def selected(
    task: str, method: str, rates: Mapping[str, Rate], shown: Iterable[str], **about: object
) -> list[Row]:
    """A row for each selector that is there."""
    found = [name for name in shown if name in rates]
    return [
        {"task": task, "method": method, "selector": name, "name": name_of(name)}
        | {"exact": rates[name], **about}
        for name in found
    ]


def of_group(task: str, method: str, group: Group, shown: Sequence[str]) -> list[Row]:
    """A group's selectors, or one row with what is missing."""
    about = group.about()
    rows = selected(task, method, group.rates, shown, **about)
    return rows or [{"task": task, "method": method, **about}]


def cost(group: Group) -> Row:
    """What a puzzle costs on average: model evaluations, propagations, seconds."""
    found = group.search
    if found is None:
        return {}
    count, spent = found.puzzles["total"], found.propagation
    return {
        "evaluations": found.evaluations_mean,
        "propagations": spent["boards"] / count,
        "seconds": found.seconds / count,
        "propagating": f"{100 * spent['seconds'] / max(found.seconds, 1e-9):.0f}%",
    }


Lanes = Callable[[Budget, Suite], Mapping[str, list[Run]]]
"""The runs of each lane on a suite."""


def lane_runs(lanes: Lanes, budget: Budget) -> list[Run]:
    """All of them, on the main suites."""
    every = [lanes(budget, suite).values() for suite in of_budget(MAIN, budget)]
    return [run for groups in every for own in groups for run in own]


def lane_rows(lanes: Lanes, study: Study) -> list[Row]:
    """One rollout, energy and oracle of each lane, with what they cost."""
    rows: list[Row] = []
    for suite in of_budget(MAIN, study.budget):
        for lane, own in lanes(study.budget, suite).items():
            group = study.gather(own)
            found = of_group(suite.title, lane, group, ("base", "energy", "oracle"))
            rows += [{**row, **cost(group)} for row in found]
    return rows
