"""Carrying out a study: data and runs, by one process or many, resumable throughout.

What has to be done once (making data, timing a run) is done by the process that comes first, under
a lock for which the others wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from erm.data.generate import generate
from erm.errors import InputError
from erm.evaluate.run import evaluate, temper_all
from erm.evaluate.solving import readable, seconds_per_puzzle
from erm.files import write_json
from erm.formats.dataset import Dataset, load_dataset
from erm.progress import counted, messages
from erm.reproduce.networks import Missing
from erm.reproduce.study import SETTLED, Run, Settled, Source, Study
from erm.run_folder import RunFolder, Share, lock
from erm.search.solver import NO_NETWORK
from erm.search.temper import TemperOptions

TIMING_SECONDS = 5.0
TIMING_PUZZLES = 8
SAFETY = 1.25
"""A time-boxed run allows for puzzles that take this much longer than those it was timed on."""
LEAST = 4
"""Puzzles that a time-boxed run does at least."""


@dataclass(frozen=True)
class Executor:
    """One process's share of a study."""

    study: Study
    share: Share
    quiet: bool = False
    seconds: float | None = None
    """Time for a run of cost 1, of a time-boxed budget."""
    _loaded: dict[tuple[str, str], Dataset] = field(default_factory=dict, repr=False)

    def execute(self, runs: Sequence[Run]) -> None:
        """Do all of them, one after the other; each continues where it was."""
        RunFolder(self.study.out, "study").claim(self.study.identity())
        for number, run in enumerate(runs, 1):
            settled = self.settle(run)
            if not settled.puzzles:
                continue
            if not self.quiet and self.share.rank == 0:
                line = f"[{number}/{len(runs)}] {run.name}: {counted(settled.puzzles, 'puzzle')}"
                messages.print(line, highlight=False)
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
        network, source = self.study.network(run), self.study.source(run)
        if isinstance(network, Missing):
            return Settled(remark=network)
        if isinstance(source, Missing):
            return Settled(remark=source)
        try:
            self._make(source)
            data, remark = self._data(run)
        except InputError as error:
            return Settled(remark=f"no data: {error}")
        if not len(data):
            return Settled(remark=remark)
        most = min(len(data), run.suite.most[self.study.budget.name])
        return Settled(puzzles=min(most, self._affordable(run, network, data)), remark=remark)

    def _affordable(self, run: Run, network: str, data: Dataset) -> int:
        """How many puzzles fit into the run's share of the time, by the time of the first ones."""
        if self.seconds is None:
            return len(data)
        if not self.quiet:
            messages.print(f"timing {run.name}", highlight=False)
        machine = self.study.request.machine
        each = seconds_per_puzzle(
            network,
            data.puzzles[:TIMING_PUZZLES],
            machine.fitted(run.options),
            run.energies,
            TIMING_SECONDS,
            machine.device,
            machine.compile and network != NO_NETWORK,
        )
        seconds = self.seconds * run.cost * run.suite.weight * self.share.world
        return max(LEAST, int(seconds / (SAFETY * each)))

    def _make(self, source: Source) -> None:
        """Generate the file, unless it is there, by this process alone."""
        if source.recipe is None or source.path.exists():
            return
        source.path.parent.mkdir(parents=True, exist_ok=True)
        if not self.quiet:
            messages.print(f"making {source.count} x {source.recipe}", highlight=False)
        generate(source.recipe, source.count, source.path, 1, self.quiet, Share())

    def _data(self, run: Run) -> tuple[Dataset, str]:
        """The puzzles that the run's network can read, and a remark on the others."""
        source, network = self.study.source(run), self.study.network(run)
        assert isinstance(source, Source), "a run without data was settled before"
        key = str(source.path), run.task
        if key not in self._loaded:
            self._loaded[key] = load_dataset(source.path, run.task)
        data = self._loaded[key]
        kept, reason = readable(network, data.puzzles, self.study.request.machine.device)
        left = len(data) - len(kept)
        remark = f"{left} of {len(data)} puzzles left out: {reason}" if left else ""
        return replace(data, puzzles=kept), remark

    def _run(self, run: Run, puzzles: int) -> None:
        data, _ = self._data(run)
        data = replace(data, puzzles=data.puzzles[:puzzles])
        network, out = self.study.network(run), self.study.folder(run).path
        machine = self.study.request.machine
        options = machine.fitted(run.options)
        common = {"share": self.share, "quiet": self.quiet, "device": machine.device}
        compiled = machine.compile and network != NO_NETWORK
        if isinstance(options, TemperOptions):
            temper_all(network, data, options, run.energies, out, compiled=compiled, **common)
        else:
            energies = self.study.energies
            evaluate(network, data, options, out, compiled=compiled, energies=energies, **common)
