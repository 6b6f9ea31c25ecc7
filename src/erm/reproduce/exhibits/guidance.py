"""Networks with energy guidance beside the same networks alone, at equal D x K."""

from __future__ import annotations

from erm.report.document import Section
from erm.report.outcome import Row
from erm.report.table import Table
from erm.reproduce.exhibits.rows import COLUMNS, cost, of_group
from erm.reproduce.study import Exhibit, Run, Study, full, runs_of
from erm.reproduce.suites import MAIN, Budget, Suite, of_budget
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
    every = [lanes(budget, suite).values() for suite in of_budget(MAIN, budget)]
    return [run for groups in every for own in groups for run in own]


def build(study: Study) -> Section:
    rows: list[Row] = []
    for suite in of_budget(MAIN, study.budget):
        for lane, own in lanes(study.budget, suite).items():
            group = study.gather(own)
            found = of_group(suite.title, lane, group, ("base", "energy", "oracle"))
            rows += [{**row, **cost(group)} for row in found]
    caption = f"Energy guidance at D = {study.budget.depth}, K = {study.budget.width}."
    return Section([Table("guidance", caption, {**COLUMNS, "method": "lane"}, rows, [NOTE])])


GUIDANCE = Exhibit("guidance", "Networks with energy guidance", runs, build)
