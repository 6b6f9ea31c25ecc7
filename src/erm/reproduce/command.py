"""From a request to a report: do the runs, build the parts, write everything down."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from erm.errors import InputError
from erm.reproduce.budget import BUDGETS, BudgetName
from erm.reproduce.parts.accounting import ACCOUNTING
from erm.reproduce.parts.compute import COMPUTE
from erm.reproduce.parts.depth import FIGURE2, MAZE16, STOP
from erm.reproduce.parts.golden import GOLDEN_PART
from erm.reproduce.parts.noise import NOISE
from erm.reproduce.parts.selection import FIGURE1, TABLE1
from erm.reproduce.parts.sizes import SIZES
from erm.reproduce.parts.tempering import FIGURE3, TABLE2
from erm.reproduce.parts.transformer import ET
from erm.reproduce.report import chapter, write_report
from erm.reproduce.runs import Run
from erm.reproduce.study import Study
from erm.run_folder import Share

PARTS = (
    TABLE1,
    FIGURE1,
    FIGURE2,
    TABLE2,
    FIGURE3,
    MAZE16,
    STOP,
    ET,
    ACCOUNTING,
    NOISE,
    GOLDEN_PART,
    SIZES,
    COMPUTE,
)
"""In the order of the report."""


def reproduce(
    out: str | Path,
    budget: BudgetName = "laptop",
    checkpoints: Mapping[str, str] | None = None,
    data: Mapping[str, str | Path] | None = None,
    only: Sequence[str] = (),
    share: Share | None = None,
    quiet: bool = False,
    minutes: float | None = None,
) -> Path | None:
    """Every table and figure (or those of `only`) in `out`; the same call continues.

    Gives the path of report.html, or None while other processes still have puzzles to do.
    """
    study = open_study(out, budget, checkpoints, data, only, share, quiet, minutes)
    wanted = [part for part in PARTS if not only or part.name in only]
    if study.budget.minutes is not None:
        weights = sum(run.weight for run in _all_runs(study, PARTS))
        study.seconds_per_weight = 60 * study.budget.minutes / max(weights, 1.0)
    study.opens_data = True
    wanted_runs = _all_runs(study, wanted)
    study.opens_data = False
    study.execute(wanted_runs)
    # Others may have finished runs that this process had to leave: the last one to end reports.
    if not all(map(study.is_done, wanted_runs)):
        return None
    complete = [
        part for part in PARTS if part in wanted or all(map(study.is_done, part.needs(study)))
    ]
    arguments = _arguments(study)
    chapters = [chapter(study, part, arguments) for part in complete]
    left_out = [part.name for part in PARTS if part not in complete]
    command = shlex.join(["erm", "reproduce", *arguments])
    return write_report(study, chapters, left_out, command)


def open_study(
    out: str | Path,
    budget: BudgetName,
    checkpoints: Mapping[str, str] | None = None,
    data: Mapping[str, str | Path] | None = None,
    only: Sequence[str] = (),
    share: Share | None = None,
    quiet: bool = False,
    minutes: float | None = None,
) -> Study:
    """Everything that was asked for, checked before any work is done."""
    known = [part.name for part in PARTS]
    for name in only:
        if name not in known:
            raise InputError(f"--only {name}: there is no such part; known: {', '.join(known)}")
    if budget not in BUDGETS:
        raise InputError(f"--budget {budget}: there is no such budget; known: {', '.join(BUDGETS)}")
    if minutes is not None and not minutes > 0:
        raise InputError(f"--minutes must be above 0, got {minutes}")
    chosen = BUDGETS[budget] if minutes is None else replace(BUDGETS[budget], minutes=minutes)
    files = {name: Path(path) for name, path in (data or {}).items()}
    share = share or Share.from_environment()
    return Study(Path(out), chosen, checkpoints or {}, files, share, quiet)


def _all_runs(study: Study, parts: Sequence) -> list[Run]:
    named = {run.name: run for part in parts for run in part.needs(study)}
    return list(named.values())


def _arguments(study: Study) -> list[str]:
    words = ["--out", str(study.out), "--budget", study.budget.name]
    if study.budget.minutes != BUDGETS[study.budget.name].minutes:
        words += ["--minutes", f"{study.budget.minutes:g}"]
    given = (("--checkpoint", study.backbones.given), ("--data", study.sources.given))
    for option, pairs in given:
        if pairs:
            words += [option, *(f"{name}={value}" for name, value in pairs.items())]
    return words
