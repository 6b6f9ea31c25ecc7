"""Networks with energy guidance beside the same networks alone, at equal D x K."""

from __future__ import annotations

from erm.report.document import Section
from erm.report.table import Table
from erm.reproduce.exhibits.rows import COLUMNS, lane_rows, lane_runs
from erm.reproduce.study import Exhibit, Run, Study, full, runs_of
from erm.reproduce.suites import Budget, Suite
from erm.search.options import SearchOptions

ETAS = (0.02, 0.1, 0.3)
"""All are printed: none was chosen on these boards."""
NOTE = (
    "Guidance moves z_H by eta down the gradient of a candidate's own energy between steps; the "
    "network then has the rules' retrieval inside, so this is a lane of its own. Controls (an "
    "untrained network, energy descent without a network, a wrong rulebook): "
    "benchmarks/guidance_controls.py."
)


def lanes(budget: Budget, suite: Suite) -> dict[str, list[Run]]:
    """The network alone, and guided with each eta."""
    guided = {eta: SearchOptions(budget.depth, budget.width, "full", guidance=eta) for eta in ETAS}
    return {"network alone": full(budget, suite)} | {
        f"guidance, eta = {eta:g}": runs_of(suite, f"guidance-{eta:g}", options, cost=2)
        for eta, options in guided.items()
    }


def runs(budget: Budget) -> list[Run]:
    return lane_runs(lanes, budget)


def build(study: Study) -> Section:
    rows = lane_rows(lanes, study)
    caption = f"Energy guidance at D = {study.budget.depth}, K = {study.budget.width}."
    return Section([Table("guidance", caption, {**COLUMNS, "method": "lane"}, rows, [NOTE])])


GUIDANCE = Exhibit("guidance", "Networks with energy guidance", runs, build)
