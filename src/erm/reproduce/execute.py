"""Carrying out a plan: data, checkpoints and runs, by one process or many, resumable throughout.

What has to be done once (making data, timing a run) is done by whichever process comes first,
under a lock for which the others wait.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from erm.errors import InputError
from erm.evaluate import accounting
from erm.evaluate.run import evaluate, temper_all
from erm.evaluate.solving import readable, seconds_per_puzzle
from erm.files import write_json
from erm.formats.dataset import Dataset
from erm.progress import counted, messages
from erm.reproduce.checkpoints import FixedStart
from erm.reproduce.missing import Missing
from erm.reproduce.plan import ModelCount, Plan, PlannedRun
from erm.reproduce.settled import Settled, read_settled, write_settled
from erm.reproduce.suites import SUITES
from erm.run_folder import RunFolder, Share, lock
from erm.search.temper import TemperOptions

TIMING_SECONDS = 5.0
TIMING_PUZZLES = 8
SAFETY = 1.25
"""A time-boxed run counts on puzzles that take this much longer than those it was timed on."""
LEAST = 4
"""Puzzles that a time-boxed run does at least."""


@dataclass(frozen=True)
class Executor:
    """One process's hands on a study."""

    plan: Plan
    share: Share
    quiet: bool = False
    seconds_per_weight: float | None = None
    """Of a time-boxed budget."""
    _loaded: dict[tuple[str, str, str], tuple[Dataset, str] | Missing] = field(
        default_factory=dict, repr=False
    )

    def claim(self) -> None:
        """Make the folder this study's own."""
        out = self.plan.out
        if (out / "plan.json").exists() and not (out / "config.json").exists():
            raise InputError(
                f"{out} holds a study of an older version of erm; choose another --out (its runs/ "
                "can still be read by erm rescore and erm compare)"
            )
        RunFolder(out, "study").claim(self.plan.identity())

    def execute(self, jobs: Iterable[PlannedRun | ModelCount]) -> None:
        """Do all of them, one after the other; each continues where it was."""
        jobs = list(jobs)
        for number, job in enumerate(jobs, 1):
            if isinstance(job, ModelCount):
                self._count_models(job)
                continue
            settled = self.settle(job)
            if settled.missing:
                continue
            if not self.quiet and self.share.rank == 0:
                line = f"[{number}/{len(jobs)}] {job.name}: {counted(settled.puzzles, 'puzzle')}"
                messages.print(line, highlight=False)
            self._run(job, settled.puzzles)

    def settle(self, run: PlannedRun) -> Settled:
        """How many puzzles a run does, found out by the first process that asks."""
        with lock(self.plan.out / "settle.lock", "study", wait=True):
            before = read_settled(self.plan.out)
            if run.name not in before:
                before[run.name] = self._settle(run)
                write_settled(self.plan.out, before)
            return before[run.name]

    def _settle(self, run: PlannedRun) -> Settled:
        checkpoint = self.plan.checkpoint(run)
        if isinstance(checkpoint, Missing):
            return Settled(missing=str(checkpoint))
        if isinstance(checkpoint, FixedStart):
            checkpoint.make()
        try:
            self.plan.source(run).make(self.quiet)
        except InputError as error:
            return Settled(missing=f"no data: {error}")
        found = self._data(run)
        if isinstance(found, Missing):
            return Settled(missing=str(found))
        data, remark = found
        most = min(len(data), SUITES[run.suite].most[self.plan.budget.name])
        return Settled(min(most, self._affordable(run, data, most)), remark)

    def _affordable(self, run: PlannedRun, data: Dataset, most: int) -> int:
        """How many puzzles fit into the run's share of the time, judged by the first ones."""
        if self.seconds_per_weight is None:
            return most
        if not self.quiet:
            messages.print(f"timing {run.name}", highlight=False)
        each = seconds_per_puzzle(
            self._checkpoint(run),
            data.puzzles[:TIMING_PUZZLES],
            self.plan.request.machine.fitted(run.options),
            run.energies,
            TIMING_SECONDS,
            self.plan.request.machine.device,
            self.plan.request.machine.compile,
        )
        seconds = self.seconds_per_weight * run.weight * self.share.world
        return max(LEAST, int(seconds / (SAFETY * each)))

    def _run(self, run: PlannedRun, puzzles: int) -> None:
        found = self._data(run)
        assert not isinstance(found, Missing), "a run that was settled has data"
        data = replace(found[0], puzzles=found[0].puzzles[:puzzles])
        machine, out = self.plan.request.machine, self.plan.folder(run)
        common: dict[str, Any] = {
            "share": self.share,
            "quiet": self.quiet,
            "device": machine.device,
            "compiled": machine.compile,
        }
        options = machine.fitted(run.options)
        if isinstance(options, TemperOptions):
            temper_all(self._checkpoint(run), data, options, run.energies, out, **common)
        else:
            evaluate(
                self._checkpoint(run),
                data,
                options,
                out,
                energies=self.plan.energies,
                **common,
            )

    def _count_models(self, job: ModelCount) -> None:
        if self.share.rank == 0:
            write_json(RunFolder(self.plan.folder(job)).results, accounting.as_json())

    def _checkpoint(self, run: PlannedRun) -> str:
        checkpoint = self.plan.checkpoint(run)
        assert not isinstance(checkpoint, Missing), "a run that was settled has a checkpoint"
        return str(checkpoint.folder) if isinstance(checkpoint, FixedStart) else checkpoint

    def _data(self, run: PlannedRun) -> tuple[Dataset, str] | Missing:
        """The puzzles that the run's checkpoint can read, and a word on the others."""
        checkpoint = self._checkpoint(run)
        key = run.suite, run.task, checkpoint
        if key not in self._loaded:
            data = self.plan.source(run).load()
            device = self.plan.request.machine.device
            if not isinstance(data, Missing):
                data = _fitting(checkpoint, data, device)
            self._loaded[key] = data
        return self._loaded[key]


def _fitting(checkpoint: str, data: Dataset, device: str) -> tuple[Dataset, str] | Missing:
    kept, reason = readable(checkpoint, data.puzzles, device)
    if not kept:
        return Missing(str(reason))
    left_out = len(data) - len(kept)
    remark = f"{left_out} of {len(data)} puzzles left out: {reason}" if left_out else ""
    return replace(data, puzzles=kept), remark
