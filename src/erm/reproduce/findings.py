"""What the runs of a study found, as it lies on the disk; nothing is run or written here."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from erm.evaluate.energies import DECODED
from erm.reproduce.budget import Budget
from erm.reproduce.data import GENERATED
from erm.reproduce.missing import Missing
from erm.reproduce.plan import ModelCount, Plan, PlannedRun, Runs
from erm.reproduce.settled import Settled, read_settled
from erm.run_folder import RunFolder, Sample
from erm.search.options import SearchOptions
from erm.search.temper import TemperOptions


@dataclass(frozen=True)
class Group:
    """What several runs found together."""

    samples: list[Sample]
    missing: dict[str, Missing] = field(default_factory=dict)
    """Tasks that are not in it."""
    data: str = ""
    """For people."""

    @property
    def status(self) -> str:
        """Empty where all is there; else what is missing and why."""
        if not self.missing:
            return ""
        reasons = list(dict.fromkeys(map(str, self.missing.values())))
        if not self.samples:
            return "; ".join(reasons)
        return f"without {', '.join(self.missing)} ({'; '.join(reasons)})"


@dataclass(frozen=True)
class Findings:
    """A plan and what has become of it."""

    plan: Plan
    _samples: dict[str, list[Sample]] = field(default_factory=dict, repr=False)

    @property
    def budget(self) -> Budget:
        return self.plan.budget

    @cached_property
    def settled(self) -> dict[str, Settled]:
        return read_settled(self.plan.out)

    def folder(self, run: PlannedRun | ModelCount) -> RunFolder:
        return RunFolder(self.plan.folder(run))

    def is_done(self, run: PlannedRun | ModelCount) -> bool:
        return self.folder(run).is_done

    def is_over(self, run: PlannedRun | ModelCount) -> bool:
        """Whether there is nothing left to do: it is done, or there can be no such run."""
        return self.is_done(run) or self.missing(run) is not None

    def missing(self, run: PlannedRun | ModelCount) -> Missing | None:
        """Why there can be no such run, where that is known."""
        if isinstance(run, ModelCount):
            return None
        checkpoint = self.plan.checkpoint(run)
        if isinstance(checkpoint, Missing):
            return checkpoint
        reason = self.settled.get(run.name, Settled()).missing
        return Missing(reason) if reason else None

    def results(self, run: PlannedRun | ModelCount) -> dict[str, Any]:
        return self.folder(run).read_results()

    def samples(self, run: PlannedRun) -> list[Sample]:
        if run.name not in self._samples:
            self._samples[run.name] = self.folder(run).read_samples()
        return self._samples[run.name]

    def gather(self, runs: Runs) -> Group:
        """The samples of runs together, with what is missing."""
        samples: list[Sample] = []
        missing: dict[str, Missing] = {}
        titles: list[str] = []
        for task, run in runs.items():
            if self.is_done(run):
                samples += self.samples(run)
                titles.append(self.plan.source(run).title)
            else:
                missing[task] = self.missing(run) or Missing("not run yet")
        return Group(_both_readings(samples), missing, _joined(list(dict.fromkeys(titles))))

    def command(self, run: PlannedRun) -> str:
        """The same run by hand."""
        options, results = run.options, self.results(run)
        data, name = results["data"], results["checkpoint"]["name"]
        words = ["erm", "temper" if run.energies else "evaluate", name, data["path"]]
        words += ["--task", run.task, "--depth", str(options.depth)]
        if isinstance(options, TemperOptions):
            words += ["--ladders", str(options.ladders), "--rungs", str(options.rungs)]
            if options.temperatures is not None:
                words += ["--temperatures", *(f"{one:g}" for one in options.temperatures)]
            words += ["--metropolis"] if options.metropolis else []
            words += ["--energy", *run.energies]
        else:
            words += ["--width", str(options.width), "--mode", options.mode]
            words += [] if options.sigma is None else ["--sigma", str(options.sigma)]
            words += ["--curve"] if options.trace else []
            words += [] if options.rules else ["--no-rules"]
            words += ["--energy", *self.plan.request.energies] if self.plan.energies else []
        words += ["--limit", str(data["count"]), "--seed", str(options.seed)]
        words += self.plan.request.machine.words(isinstance(options, SearchOptions))
        words += self.plan.request.including()
        return shlex.join([*words, "--out", str(self.plan.folder(run))])


def _both_readings(samples: list[Sample]) -> list[Sample]:
    """Where some tasks of a group have two readings of the energy (Eq. 6 and 7), the one reading
    of the others, which is on decoded answers, stands for both."""
    if not any(DECODED in sample.get("choices", ()) for sample in samples):
        return samples
    return [
        {**sample, "choices": {DECODED: sample["choices"]["energy"], **sample["choices"]}}
        for sample in samples
    ]


def _joined(titles: list[str]) -> str:
    """A list for people; what they all begin with is said once."""
    made = [title.removeprefix(GENERATED) for title in titles if title.startswith(GENERATED)]
    found = [title for title in titles if not title.startswith(GENERATED)]
    return ", ".join(found + ([GENERATED + ", ".join(made)] if made else []))
