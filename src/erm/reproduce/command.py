"""From a request to a report: plan, execute, render."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from erm.errors import InputError
from erm.reproduce.execute import Executor
from erm.reproduce.exhibit import Exhibit
from erm.reproduce.exhibits.accounting import ACCOUNTING
from erm.reproduce.exhibits.compute import COMPUTE
from erm.reproduce.exhibits.depth import FIGURE2, SHALLOW_EXHIBIT, STOP
from erm.reproduce.exhibits.golden import GOLDEN_EXHIBIT
from erm.reproduce.exhibits.noise import NOISE
from erm.reproduce.exhibits.selection import FIGURE1, TABLE1
from erm.reproduce.exhibits.sizes import SIZES
from erm.reproduce.exhibits.tempering import FIGURE3, TABLE2
from erm.reproduce.exhibits.transformer import ET
from erm.reproduce.findings import Findings
from erm.reproduce.missing import Missing
from erm.reproduce.plan import ModelCount, Plan, PlannedRun, Request
from erm.reproduce.render import render
from erm.reproduce.workers import run_workers
from erm.run_folder import Share, lock

EXHIBITS = (
    TABLE1,
    FIGURE1,
    FIGURE2,
    TABLE2,
    FIGURE3,
    SHALLOW_EXHIBIT,
    STOP,
    ET,
    ACCOUNTING,
    NOISE,
    GOLDEN_EXHIBIT,
    SIZES,
    COMPUTE,
)
"""In the order of the report."""


@dataclass(frozen=True)
class Study:
    """A plan with the exhibits that are wanted."""

    plan: Plan
    wanted: tuple[Exhibit, ...]

    @classmethod
    def of(cls, request: Request) -> Study:
        """Everything that was asked for, checked before any work is done."""
        known = [exhibit.name for exhibit in EXHIBITS]
        for name in request.only:
            if name not in known:
                raise InputError(
                    f"--only {name}: there is no such table or figure; known: {', '.join(known)}"
                )
        wanted = [one for one in EXHIBITS if not request.only or one.name in request.only]
        return cls(Plan.of(request), tuple(wanted))

    def execute(self, share: Share, quiet: bool = False) -> None:
        """Make the runs behind what is wanted; the same call continues."""
        executor = Executor(self.plan, share, quiet, self._seconds_per_weight())
        executor.claim()
        executor.execute(self._jobs(self.wanted))

    def render(self) -> Path | None:
        """Write the report, or None while other processes still have runs to end.

        Exhibits that nobody asks for now are in it if their runs are there.
        """
        found, budget = Findings(self.plan), self.plan.budget
        if not all(map(found.is_over, self._jobs(self.wanted))):
            return None
        complete = [
            exhibit
            for exhibit in EXHIBITS
            if exhibit in self.wanted or all(map(found.is_over, exhibit.needs(budget)))
        ]
        left_out = [exhibit.name for exhibit in EXHIBITS if exhibit not in complete]
        return render(found, complete, left_out)

    def _jobs(self, exhibits: Sequence[Exhibit]) -> list[PlannedRun | ModelCount]:
        budget = self.plan.budget
        named = {job.name: job for exhibit in exhibits for job in exhibit.needs(budget)}
        return list(named.values())

    def _seconds_per_weight(self) -> float | None:
        """What a time-boxed budget gives a run of weight 1, if all exhibits were made."""
        minutes = self.plan.budget.minutes
        if minutes is None:
            return None
        weights = [
            job.weight
            for job in self._jobs(EXHIBITS)
            if isinstance(job, PlannedRun) and not isinstance(self.plan.checkpoint(job), Missing)
        ]
        return 60 * minutes / max(sum(weights), 1.0)


def reproduce(request: Request, share: Share | None = None, quiet: bool = False) -> Path | None:
    """Every table and figure (or those of `only`) in `out`; the same call continues.

    Gives the path of report.html, or None while other processes still have puzzles to do.
    """
    study = Study.of(request)
    study.execute(share or Share.from_environment(), quiet)
    # Of several processes the last to end its runs writes the report.
    with lock(request.out / "report.lock", "study", wait=True):
        return study.render()


def reproduce_with(processes: int, request: Request, quiet: bool = False) -> Path | None:
    """The same by so many processes of this machine."""
    study = Study.of(request)
    run_workers(_Execution(study, quiet), processes, "erm reproduce")
    return study.render()


@dataclass(frozen=True)
class _Execution:
    """What a worker does; a class, because workers are sent what they call."""

    study: Study
    quiet: bool

    def __call__(self, share: Share) -> None:
        self.study.execute(share, self.quiet)
