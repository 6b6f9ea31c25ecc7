"""From a request to a report: plan, run, resume, render."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from erm.errors import InputError
from erm.reproduce.execute import Executor
from erm.reproduce.exhibits.accounting import ACCOUNTING
from erm.reproduce.exhibits.advice import ADVICE
from erm.reproduce.exhibits.depth import FIGURE2, MAZE16, STOP
from erm.reproduce.exhibits.guidance import GUIDANCE
from erm.reproduce.exhibits.ptrm import PTRM
from erm.reproduce.exhibits.solver import RULES
from erm.reproduce.exhibits.table1 import FIGURE1, TABLE1
from erm.reproduce.exhibits.table2 import FIGURE3, TABLE2
from erm.reproduce.exhibits.transformer import ET
from erm.reproduce.render import render
from erm.reproduce.request import Request
from erm.reproduce.study import Exhibit, Run, Study
from erm.rulebook.registry import include, included_files
from erm.run_folder import Share, lock

EXHIBITS = (
    TABLE1, FIGURE1, FIGURE2, TABLE2, FIGURE3, MAZE16, STOP, ET, PTRM, ACCOUNTING, GUIDANCE, ADVICE,
    RULES,
)  # fmt: skip
"""In the order of the report."""


def plan(request: Request) -> tuple[Study, list[Exhibit]]:
    """The study and the exhibits of `--only`, checked before any work is done."""
    known = [exhibit.name for exhibit in EXHIBITS]
    for name in request.names():
        if name not in known:
            raise InputError(
                f"--only {name}: there is no such table or figure; known: {', '.join(known)}"
            )
    wanted = request.names() or known
    return Study.of(request), [one for one in EXHIBITS if one.name in wanted]


def runs_of(study: Study, exhibits: Sequence[Exhibit]) -> list[Run]:
    """Every run behind them, each once."""
    named = {run.name: run for one in exhibits for run in one.runs(study.budget)}
    return list(named.values())


def execute(request: Request, share: Share) -> None:
    """Make the runs behind what is wanted; the same call continues."""
    study, wanted = plan(request)
    seconds = None
    if study.budget.minutes is not None:
        every = [run for run in runs_of(study, EXHIBITS) if study.missing(run) is None]
        costs = sum(run.cost * run.suite.weight for run in every)
        seconds = 60 * study.budget.minutes / max(costs, 1.0)
    Executor(study, share, seconds).execute(runs_of(study, wanted))


def rendered(request: Request) -> Path | None:
    """Write the report, or None while other processes still have runs to end.

    Exhibits beyond those of `--only` are in it if their runs are there.
    """
    study, wanted = plan(request)
    if not all(map(study.is_over, runs_of(study, wanted))):
        return None
    complete = [
        one for one in EXHIBITS if one in wanted or all(map(study.is_over, runs_of(study, [one])))
    ]
    return render(study, complete, [one.name for one in EXHIBITS if one not in complete])


def reproduce(request: Request, share: Share | None = None) -> Path | None:
    """Every table and figure (or those of `only`) in `out`; the same call continues.

    Gives the path of report.html, or None while other processes still have puzzles to do.
    """
    execute(request, share or Share.from_environment())
    # Of several processes the last to end its runs writes the report.
    with lock(request.out / "report.lock", "study", wait=True):
        return rendered(request)


def reproduce_with(request: Request) -> Path | None:
    """The same by the processes of `--processes`; torchrun starts its own."""
    if request.processes is not None and request.processes < 1:
        raise InputError(f"--processes must be at least 1, got {request.processes}")
    alone = request.budget == "smoke" or request.device != "cpu"
    count = request.processes or (1 if alone else os.cpu_count() or 1)
    if count == 1 or "RANK" in os.environ:
        return reproduce(request)
    plan(request)  # errors come before processes start
    from torch.multiprocessing.spawn import ProcessExitedException, spawn

    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        spawn(_work, (request, count, included_files()), count, daemon=True)
    except ProcessExitedException as error:
        sys.exit(error.exit_code if error.exit_code > 0 else 128 - error.exit_code)
    return rendered(request)


def _work(rank: int, request: Request, count: int, files: Sequence[Path]) -> None:
    """One process's share, with the tasks that the command has included."""
    try:
        for file in files:
            include(file)
        execute(request, Share(rank, count))
    except (InputError, OSError) as error:
        print(f"erm reproduce: {error}", file=sys.stderr)
        sys.exit(2)
