"""An exhibit of the report: a table or figure, with the runs that it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from erm.report.document import Section
from erm.reproduce.budget import Budget
from erm.reproduce.findings import Findings
from erm.reproduce.plan import ModelCount, PlannedRun, Runs


@dataclass(frozen=True)
class Exhibit:
    """One table or figure, or a few that belong together."""

    name: str
    """As `--only` takes it."""
    title: str
    runs: Callable[[Budget], Sequence[Runs]]
    build: Callable[[Findings], Section]
    """Makes tables and figures of what is there."""
    counts_models: bool = False
    """Whether it shows the parameters and compute of models."""

    def needs(self, budget: Budget) -> list[PlannedRun | ModelCount]:
        """Every run behind it, each once."""
        named: dict[str, PlannedRun | ModelCount] = {
            run.name: run for group in self.runs(budget) for run in group.values()
        }
        return [*named.values(), *([ModelCount()] if self.counts_models else [])]


def no_runs(budget: Budget) -> list[Runs]:
    return []
