"""A study on the disk: its runs, their puzzles and networks, and what they found. Nothing is run or
written here."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from erm.data.recipe import Recipe
from erm.errors import InputError
from erm.evaluate.energies import DECODED, named_energies
from erm.evaluate.results import summarise_search, summarise_temper
from erm.json_file import read_object
from erm.report.document import Section
from erm.report.outcome import Origin, Outcome, Search, Temper
from erm.reproduce.networks import Missing, Role, network_of
from erm.reproduce.request import Machine, Options, Request, words
from erm.reproduce.suites import ALL, GENERATED_COUNT, SUITES, Budget, Suite
from erm.run_folder import RunFolder, Sample
from erm.search.options import SearchOptions
from erm.search.solver import NO_NETWORK
from erm.search.temper import TemperOptions

SETTLED = "settled.json"
"""All processes of a study read it."""


class Settled(Outcome):
    """What is known of a run once its data and network are at hand."""

    puzzles: int = 0
    """How many it does; 0 where there can be no such run."""
    remark: str = ""
    """On puzzles that the network cannot read, or why there are none."""


@dataclass(frozen=True)
class Run:
    """One run of `erm evaluate` or `erm temper`, but for the number of puzzles."""

    suite: Suite
    task: str
    kind: str
    options: Options
    role: Role = "alone"
    energies: tuple[str, ...] = ()
    """Scores to temper with, each on its own."""
    cost: float = 1.0
    """Share of a time-boxed budget, times the suite's."""

    @property
    def name(self) -> str:
        """Also of its folder."""
        several = [self.task] if len(self.suite.tasks) > 1 else []
        return "-".join([self.suite.name, *several, self.kind])


def runs_of(
    suite: Suite,
    kind: str,
    options: Options,
    role: Role = "alone",
    energies: tuple[str, ...] = (),
    cost: float = 1.0,
) -> list[Run]:
    """The same run for each task of a suite."""
    return [Run(suite, task, kind, options, role, energies, cost) for task in suite.tasks]


def full(budget: Budget, suite: Suite) -> list[Run]:
    """The paper's protocol: K candidates to depth D, every selector, a look after every step."""
    options = SearchOptions(budget.depth, budget.width, "full", trace=True)
    return runs_of(suite, "full", options, cost=6)


@dataclass(frozen=True)
class Source:
    """The puzzles of one task of a suite."""

    path: Path
    title: str
    recipe: Recipe | None = None
    """What to generate; None where a file is given."""
    count: int = 0

    @property
    def command(self) -> str | None:
        """What makes the file again, where it is generated."""
        if self.recipe is None:
            return None
        where = shlex.join(["--count", str(self.count), "--out", str(self.path)])
        return f"{self.recipe.command} {where}"


@dataclass(frozen=True)
class Group:
    """What the runs of a suite found together."""

    samples: list[Sample]
    origins: list[Origin]
    missing: dict[str, str] = field(default_factory=dict)
    """Tasks that are not in it, and why."""
    titles: Sequence[str] = ()

    @cached_property
    def search(self) -> Search | None:
        return Search(**summarise_search(_both_readings(self.samples))) if self.samples else None

    @cached_property
    def temper(self) -> Temper | None:
        return Temper(**summarise_temper(self.samples)) if self.samples else None

    @property
    def data(self) -> str:
        return ", ".join(dict.fromkeys(self.titles))

    @property
    def networks(self) -> str:
        """Name and architecture of each network."""
        every = [one for origin in self.origins for one in origin.weights]
        return ", ".join(dict.fromkeys(f"{one.name} ({one.architecture})" for one in every))

    @property
    def remark(self) -> str:
        """What is missing, and why."""
        reasons = "; ".join(dict.fromkeys(self.missing.values()))
        if not self.missing or not self.samples:
            return reasons
        return f"without {', '.join(self.missing)} ({reasons})"


def _both_readings(samples: list[Sample]) -> list[Sample]:
    """Where some tasks have two readings of the energy (Eq. 6 and 7), the one reading of the
    others, which is on decoded answers, stands for both."""
    if not any(DECODED in sample["choices"] for sample in samples):
        return samples
    return [
        {**sample, "choices": {DECODED: sample["choices"]["energy"], **sample["choices"]}}
        for sample in samples
    ]


@dataclass(frozen=True)
class Study:
    """A request, and what has become of it."""

    request: Request
    budget: Budget
    files: dict[str, Path]
    _gathered: dict[tuple[str, ...], Group] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, request: Request) -> Study:
        """The request, checked before any work is done."""
        request.check()
        return cls(request, request.plan(), request.files())

    @property
    def out(self) -> Path:
        return self.request.out

    @cached_property
    def energies(self) -> list[str]:
        """Further selectors."""
        return named_energies(self.request.energies)

    def data(self) -> dict[str, str]:
        return {suite: str(self.files.get(suite, "generated")) for suite in SUITES}

    def identity(self) -> dict[str, Any]:
        """What makes two studies the same study."""
        return {
            "command": "reproduce",
            "budget": self.budget.name,
            "data": self.data(),
            "checkpoints": dict(self.request.checkpoints),
            "precision": self.request.machine.precision,
        }

    def source(self, run: Run) -> Source | Missing:
        suite = run.suite
        if suite.name in self.files:
            path = self.files[suite.name]
            return Source(path, path.name)
        if not suite.generated:
            return Missing(f"no data: --data {suite.name}=FILE or --data-folder")
        boards = suite.boards[run.task]
        side = boards.small if self.budget.name == "smoke" else boards.side
        recipe = Recipe(run.task, side, side, suite.seed, boards.options)
        most = suite.most[self.budget.name]
        asked = "".join(f", {value} {name}" for name, value in boards.options.items())
        return Source(
            self.out / "data" / f"{suite.name}-{run.task}.jsonl",
            f"generated {recipe}{asked}",
            recipe,
            GENERATED_COUNT if most == ALL else most,
        )

    def network(self, run: Run) -> str | Missing:
        return network_of(run.role, run.suite, run.task, self.request.checkpoints)

    def folder(self, run: Run) -> RunFolder:
        return RunFolder(self.out / "runs" / run.name)

    def settled(self) -> dict[str, Settled]:
        """What is known of each run whose data and network were looked at."""
        path = self.out / SETTLED
        try:
            return {name: Settled(**one) for name, one in read_object(path).items()}
        except FileNotFoundError:
            return {}
        except (TypeError, ValueError):
            raise InputError(f"{path} is damaged; delete it to settle it again") from None

    def missing(self, run: Run) -> str | None:
        """Why there can be no such run, where that is known."""
        network, settled = self.network(run), self.settled().get(run.name)
        if isinstance(network, Missing):
            return network
        return settled.remark if settled is not None and not settled.puzzles else None

    def is_over(self, run: Run) -> bool:
        """Whether there is nothing left to do."""
        return self.folder(run).is_done or self.missing(run) is not None

    def gather(self, runs: Sequence[Run]) -> Group:
        """The samples of runs together, with what is missing."""
        key = tuple(run.name for run in runs)
        if key not in self._gathered:
            self._gathered[key] = self._gather(runs)
        return self._gathered[key]

    def _gather(self, runs: Sequence[Run]) -> Group:
        group = Group([], [], {}, titles := [])
        for run in runs:
            folder, source = self.folder(run), self.source(run)
            if folder.is_done and not isinstance(source, Missing):
                group.samples.extend(folder.read_samples())
                group.origins.append(Origin(**folder.read_results()))
                titles.append(source.title)
            else:
                group.missing[run.task] = self.missing(run) or "not run yet"
        return group

    def command(self, run: Run) -> str:
        """The same run by hand."""
        options = self.request.machine.fitted(run.options)
        origin = Origin(**self.folder(run).read_results())
        name, data = origin.weights[0].name, origin.data
        machine = Machine(self.request.machine.device, compile=self.request.machine.compile)
        if isinstance(options, TemperOptions):
            told = ["temper", name, data.path, *words(options, TemperOptions())]
            told += ["--energies", *run.energies]
        else:
            usual = SearchOptions()
            told = ["evaluate", name, data.path, "--mode", options.mode]
            told += words(options, usual, leave=["mode"])
            told += ["--energy", *self.request.energies] if self.request.energies else []
        told += ["--task", run.task, "--limit", str(data.count)]
        if name != NO_NETWORK:
            told += words(machine, Machine())
        told += [*self.request.including(), "--out", str(self.folder(run).path)]
        return shlex.join(["erm", *told])


@dataclass(frozen=True)
class Exhibit:
    """One table or figure, or a few that belong together."""

    name: str
    """As `--only` takes it."""
    title: str
    runs: Callable[[Budget], list[Run]]
    build: Callable[[Study], Section]
    """Makes tables and figures of what is there."""
