"""From a request to a report: plan, run, resume, render."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from erm.errors import InputError
from erm.reproduce.execute import Executor
from erm.reproduce.exhibits.accounting import ACCOUNTING
from erm.reproduce.exhibits.advice import ADVICE
from erm.reproduce.exhibits.depth import FIGURE2, MAZE16, STOP
from erm.reproduce.exhibits.golden import GOLDEN
from erm.reproduce.exhibits.ptrm import PTRM
from erm.reproduce.exhibits.solver import RULES
from erm.reproduce.exhibits.table1 import FIGURE1, TABLE1
from erm.reproduce.exhibits.table2 import FIGURE3, TABLE2
from erm.reproduce.exhibits.transformer import ET
from erm.reproduce.networks import Missing
from erm.reproduce.render import render
from erm.reproduce.request import Request
from erm.reproduce.study import Exhibit, Run, Study
from erm.reproduce.workers import run_workers
from erm.run_folder import Share, lock

EXHIBITS = (
    TABLE1, FIGURE1, FIGURE2, TABLE2, FIGURE3, MAZE16, STOP, ET, PTRM, GOLDEN, ACCOUNTING, ADVICE,
    RULES,
)  # fmt: skip
"""In the order of the report."""


def wanted_of(request: Request) -> list[Exhibit]:
    """The exhibits of `--only`, or all."""
    known = [exhibit.name for exhibit in EXHIBITS]
    for name in request.only:
        if name not in known:
            raise InputError(
                f"--only {name}: there is no such table or figure; known: {', '.join(known)}"
            )
    return [one for one in EXHIBITS if not request.only or one.name in request.only]


def runs_of(study: Study, exhibits: Sequence[Exhibit]) -> list[Run]:
    """Every run behind them, each once."""
    named = {run.name: run for one in exhibits for run in one.runs(study.budget)}
    return list(named.values())


def execute(request: Request, share: Share, quiet: bool = False) -> None:
    """Make the runs behind what is wanted; the same call continues."""
    study, wanted = Study.of(request), wanted_of(request)
    seconds = None
    if study.budget.minutes is not None:
        every = [
            run
            for run in runs_of(study, EXHIBITS)
            if not isinstance(study.network(run), Missing)
            and not isinstance(study.source(run), Missing)
        ]
        seconds = 60 * study.budget.minutes / sum(run.cost * run.suite.weight for run in every)
    Executor(study, share, quiet, seconds).execute(runs_of(study, wanted))


def rendered(request: Request) -> Path | None:
    """Write the report, or None while other processes still have runs to end.

    Exhibits beyond those of `--only` are in it if their runs are there.
    """
    study, wanted = Study.of(request), wanted_of(request)
    if not all(map(study.is_over, runs_of(study, wanted))):
        return None
    complete = [
        one for one in EXHIBITS if one in wanted or all(map(study.is_over, runs_of(study, [one])))
    ]
    return render(study, complete, [one.name for one in EXHIBITS if one not in complete])


def reproduce(request: Request, share: Share | None = None, quiet: bool = False) -> Path | None:
    """Every table and figure (or those of `only`) in `out`; the same call continues.

    Gives the path of report.html, or None while other processes still have puzzles to do.
    """
    execute(request, share or Share.from_environment(), quiet)
    # Of several processes the last to end its runs writes the report.
    with lock(request.out / "report.lock", "study", wait=True):
        return rendered(request)


def reproduce_with(processes: int, request: Request, quiet: bool = False) -> Path | None:
    """The same by so many processes of this machine."""
    study, wanted = Study.of(request), wanted_of(request)  # errors before processes start
    if runs_of(study, wanted):
        run_workers(_Execution(request, quiet), processes, "erm reproduce")
    else:
        execute(request, Share(), quiet)
    return rendered(request)


@dataclass(frozen=True)
class _Execution:
    """The work of one process; a class, because it is pickled."""

    request: Request
    quiet: bool

    def __call__(self, share: Share) -> None:
        execute(self.request, share, self.quiet)
