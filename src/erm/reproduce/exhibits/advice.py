"""Networks with advice, beside the controls: the network alone, and the rules without a network."""

from __future__ import annotations

from dataclasses import replace

from erm.report.document import Section
from erm.report.outcome import Row
from erm.report.table import Table
from erm.reproduce.exhibits.table1 import rates
from erm.reproduce.study import Exhibit, Group, Run, Study, full, runs_of
from erm.reproduce.suites import MAIN, Budget, Suite, of_budget
from erm.search.options import SearchOptions

CADENCES = (1, 2)
"""Steps a decision of the control without a network."""
COLUMNS = {
    "task": "task",
    "lane": "lane",
    "base": "one rollout",
    "energy": "ERM",
    "oracle": "oracle",
    "evaluations": "model evaluations",
    "propagations": "propagations",
    "seconds": "seconds",
    "share": "of them propagation",
    "network": "network",
    "remark": "remark",
}
"""Costs are per puzzle."""
SHOWN = ("base", "energy", "oracle")


def lanes(budget: Budget, suite: Suite) -> dict[str, list[Run]]:
    options = SearchOptions(budget.depth, budget.width, "full")
    return {
        "network with advice": runs_of(suite, "advised", options, "advised", cost=2),
        "network alone": full(budget, suite),
        **{
            f"rules, a decision in {one}": runs_of(
                suite, f"control-{one}", replace(options, cadence=one), "none", cost=0.5
            )
            for one in CADENCES
        },
    }


def runs(budget: Budget) -> list[Run]:
    every = [lanes(budget, suite).values() for suite in of_budget(MAIN, budget)]
    return [run for groups in every for own in groups for run in own]


def cost_of(group: Group) -> Row:
    """What a puzzle costs on average: model evaluations, propagations, seconds."""
    found = group.search
    if found is None:
        return {}
    count = found.puzzles.total
    return {
        "evaluations": found.evaluations_mean,
        "propagations": found.propagation.boards / count,
        "seconds": found.seconds / count,
        "share": f"{100 * found.propagation.seconds / max(found.seconds, 1e-9):.0f}%",
    }


def build(study: Study) -> Section:
    rows: list[Row] = []
    for suite in of_budget(MAIN, study.budget):
        for lane, own in lanes(study.budget, suite).items():
            group = study.gather(own)
            found = {name: rates(group).get(name) for name in SHOWN}
            about = {"network": group.networks, "remark": group.remark}
            rows.append({"task": suite.title, "lane": lane, **found, **cost_of(group), **about})
    budget = study.budget
    caption = (
        f"Networks with advice at D = {budget.depth}, K = {budget.width}: the rulebook's answer to "
        "the network's belief is an input of each step. Controls: the network alone, and K random "
        "searches by the rules without a network, a decision in one step or in two."
    )
    note = "A network with advice shares its number with the rules; it has to beat both controls."
    return Section([Table("advice", caption, COLUMNS, rows, [note])])


ADVICE = Exhibit("advice", "Networks with advice", runs, build)
