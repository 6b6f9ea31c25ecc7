"""Carrying out a study: data and runs, by one process or many, resumable throughout.

What has to be done once (making data, timing a run) is done by the process that comes first, under
a lock for which the others wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from erm.data.generate import generate
from erm.errors import InputError
from erm.evaluate.run import evaluate, temper_all
from erm.evaluate.solving import readable, seconds_per_puzzle
from erm.files import write_json
from erm.formats.dataset import Dataset, load_dataset
from erm.progress import counted, messages
from erm.reproduce.study import SETTLED, Run, Settled, Source, Study
from erm.run_folder import RunFolder, Share, lock
from erm.search.temper import TemperOptions

TIMING_SECONDS, TIMING_PUZZLES = 5.0, 8
SAFETY = 1.25
"""A time-boxed run allows for puzzles that take this much longer than those it was timed on."""
LEAST = 4
"""Puzzles that a time-boxed run does at least."""


@dataclass(frozen=True)
class Executor:
    """One process's share of a study."""

    study: Study
    share: Share
    seconds: float | None = None
    """Time for a run of cost 1, of a time-boxed budget."""

    def execute(self, runs: Sequence[Run]) -> None:
        """Do all of them, one after the other; each continues where it was."""
        RunFolder(self.study.out, "study").claim(self.study.identity())
        for number, run in enumerate(runs, 1):
            settled = self.settle(run)
            if settled.puzzles and self.study.missing(run) is None:
                puzzles = counted(settled.puzzles, "puzzle")
                if self.share.rank == 0:
                    self._print(f"[{number}/{len(runs)}] {run.name}: {puzzles}")
                self._run(run, settled.puzzles)

    def settle(self, run: Run) -> Settled:
        """How many puzzles a run does; the first process finds it out."""
        with lock(self.study.out / "settle.lock", "study", wait=True):
            before = self.study.settled()
            if run.name not in before:
                before[run.name] = self._settle(run)
                known = {name: one.model_dump() for name, one in before.items()}
                write_json(self.study.out / SETTLED, known)
            return before[run.name]

    def _settle(self, run: Run) -> Settled:
        if missing := self.study.missing(run):
            return Settled(remark=missing)
        source = self.study.source(run)
        assert isinstance(source, Source), "nothing is missing"
        try:
            if source.recipe is not None and not source.path.exists():
                source.path.parent.mkdir(parents=True, exist_ok=True)
                self._print(f"making {source.count} x {source.recipe}")
                quiet = self.study.request.quiet
                generate(source.recipe, source.count, source.path, 1, quiet, Share())
            data, remark = self._data(run)
        except InputError as error:
            return Settled(remark=f"no data: {error}")
        most = min(len(data), run.suite.most[self.study.budget.name])
        if self.seconds is not None and most:
            most = min(most, self._affordable(run, data, self.seconds))
        return Settled(puzzles=most, remark=remark)

    def _affordable(self, run: Run, data: Dataset, seconds: float) -> int:
        """How many puzzles fit into the run's share of the time, by the time of the first ones."""
        self._print(f"timing {run.name}")
        request = self.study.request
        each = seconds_per_puzzle(
            self.study.network(run),
            data.puzzles[:TIMING_PUZZLES],
            self.study.options(run),
            run.energies,
            TIMING_SECONDS,
            request.device,
            request.compile and run.role != "none",
        )
        seconds *= run.cost * run.suite.weight * self.share.world
        return max(LEAST, int(seconds / (SAFETY * each)))

    def _data(self, run: Run) -> tuple[Dataset, str]:
        """The puzzles that the run's network can read, and a remark on the others."""
        source = self.study.source(run)
        assert isinstance(source, Source), "a run without data was settled before"
        data = _load(source.path, run.task)
        kept, reason = readable(self.study.network(run), data.puzzles, self.study.request.device)
        left = len(data) - len(kept)
        remark = f"{left} of {len(data)} puzzles left out: {reason}" if left else ""
        return replace(data, puzzles=kept), remark

    def _run(self, run: Run, puzzles: int) -> None:
        data, _ = self._data(run)
        data = replace(data, puzzles=data.puzzles[:puzzles])
        study, options, request = self.study, self.study.options(run), self.study.request
        network, out = study.network(run), study.folder(run).path
        compiled = request.compile and run.role != "none"
        machine = {"share": self.share, "device": request.device, "quiet": request.quiet}
        if isinstance(options, TemperOptions):
            temper_all(network, data, options, run.energies, out, compiled=compiled, **machine)
        else:
            energies = study.energies
            evaluate(network, data, options, out, compiled=compiled, energies=energies, **machine)

    def _print(self, line: str) -> None:
        if not self.study.request.quiet:
            messages.print(line, highlight=False)


@lru_cache(maxsize=16)
def _load(path: Path, task: str) -> Dataset:
    return load_dataset(path, task)
