"""Networks with advice, beside the controls: the network alone, and the rules without a network."""

from __future__ import annotations

from erm.report.document import Section
from erm.report.table import Table
from erm.reproduce.exhibits.rows import COLUMNS, lane_rows, lane_runs
from erm.reproduce.study import Exhibit, Run, Study, full, runs_of
from erm.reproduce.suites import Budget, Suite
from erm.search.options import SearchOptions

CADENCES = (1, 2)
"""Steps a decision of the control without a network."""


def lanes(budget: Budget, suite: Suite) -> dict[str, list[Run]]:
    size = budget.depth, budget.width, "full"
    control = {step: SearchOptions(*size, cadence=step) for step in CADENCES}
    return {
        "network with advice": runs_of(suite, "advised", SearchOptions(*size), "advised", cost=2),
        "network alone": full(budget, suite),
    } | {
        f"rules, {step} a decision": runs_of(suite, f"control-{step}", one, "none", cost=0.5)
        for step, one in control.items()
    }


def runs(budget: Budget) -> list[Run]:
    return lane_runs(lanes, budget)


def build(study: Study) -> Section:
    rows = lane_rows(lanes, study)
    caption = (
        f"Networks with advice at D = {study.budget.depth}, K = {study.budget.width}: the "
        "rulebook's answer to the marginals is an input of each step. Controls: the network "
        "alone, and K random searches by the rules without a network, one or two steps a decision."
    )
    note = "A network with advice shares its number with the rules; it has to beat both controls."
    return Section([Table("advice", caption, {**COLUMNS, "method": "lane"}, rows, [note])])


ADVICE = Exhibit("advice", "Networks with advice", runs, build)
