"""A study on the disk: its runs, their puzzles and networks, and what they found. Nothing is run or
written here."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from erm.data.recipe import Recipe
from erm.errors import InputError
from erm.evaluate.energies import DECODED, named_energies
from erm.evaluate.results import summarise_search, summarise_temper
from erm.json_file import read_object
from erm.report.document import Section
from erm.report.outcome import Origin, Outcome, Rate, Search, Temper
from erm.reproduce.networks import Missing, Role, check_given, network_of
from erm.reproduce.request import Request, words
from erm.reproduce.suites import BUDGETS, SUITES, Budget, Suite
from erm.rulebook.registry import included_files
from erm.run_folder import RunFolder, Sample
from erm.search.options import SearchOptions
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
    options: SearchOptions | TemperOptions
    role: Role = "alone"
    energies: tuple[str, ...] = ()
    """Scores to temper with, each on its own."""
    cost: float = 1.0
    """Share of a time-boxed budget, times the suite's weight."""

    @property
    def name(self) -> str:
        """Also of its folder."""
        several = [self.task] if len(self.suite.tasks) > 1 else []
        return "-".join([self.suite.name, *several, self.kind])


def runs_of(
    suite: Suite, kind: str, options: SearchOptions | TemperOptions, role: Role = "alone",
    energies: tuple[str, ...] = (), cost: float = 1.0,
) -> list[Run]:  # fmt: skip
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

    samples: list[Sample] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    titles: dict[str, None] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    """Tasks that are not in it, and why."""

    @cached_property
    def search(self) -> Search | None:
        return Search(**summarise_search(_both_readings(self.samples))) if self.samples else None

    @cached_property
    def temper(self) -> Temper | None:
        return Temper(**summarise_temper(self.samples)) if self.samples else None

    @property
    def rates(self) -> dict[str, Rate]:
        """Every selector's accuracy, base and oracle among them; empty where there is no run."""
        return {} if self.search is None else self.search.rates

    def about(self) -> dict[str, str]:
        """Networks, data, and what is missing."""
        every = [one for origin in self.origins for one in origin.networks]
        names = dict.fromkeys(map(_network, every))
        remark = "; ".join(dict.fromkeys(self.missing.values()))
        if self.missing and self.samples:
            remark = f"without {', '.join(self.missing)} ({remark})"
        return {"network": ", ".join(names), "data": ", ".join(self.titles), "remark": remark}


def _network(one: dict[str, Any]) -> str:
    """Name, mixer and size; which published kind it is, its role states."""
    if "architecture" not in one:
        return "none"
    return f"{one['name']} ({one['architecture'].split()[-1]}, {one['parameters']:,} parameters)"


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
    """By suite; what is not there is generated."""
    checkpoints: dict[str, str]
    energies: list[str]
    """Further selectors."""
    _gathered: dict[tuple[str, ...], Group] = field(default_factory=dict, repr=False)
    _networks: dict[tuple[str, str, str], str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, request: Request) -> Study:
        """The request, checked before any work is done."""
        budget, given = BUDGETS[request.budget], request.checkpoints()
        if request.minutes is not None:
            if not request.minutes > 0:
                raise InputError(f"--minutes must be above 0, got {request.minutes}")
            budget = replace(budget, minutes=request.minutes)
        check_given(given)
        return cls(request, budget, _files(request), given, named_energies(request.energy))

    @property
    def out(self) -> Path:
        return self.request.out

    def identity(self) -> dict[str, Any]:
        """What makes two studies the same study."""
        return {
            "command": "reproduce",
            "budget": self.budget.name,
            "data": {suite: str(self.files.get(suite, "generated")) for suite in SUITES},
            "checkpoints": self.checkpoints,
            "precision": self.request.precision,
        }

    def source(self, run: Run) -> Source | Missing:
        suite, boards = run.suite, run.suite.boards[run.task]
        if suite.name in self.files:
            path = self.files[suite.name]
            return Source(path, path.name)
        if suite.seed is None:
            return Missing(f"no data: --data {suite.name}=FILE or --data-folder")
        side = boards.small if self.budget.name == "smoke" else boards.side
        recipe = Recipe(run.task, side, side, suite.seed, boards.options)
        changed = "".join(f", {value} {name}" for name, value in boards.options.items())
        path = self.out / "data" / f"{suite.name}-{run.task}.jsonl"
        return Source(path, f"generated {recipe}{changed}", recipe, suite.most[self.budget.name])

    def network(self, run: Run) -> str | Missing:
        key = run.role, run.suite.name, run.task
        if key not in self._networks:
            self._networks[key] = network_of(run.role, run.suite, run.task, self.checkpoints)
        return self._networks[key]

    def options(self, run: Run) -> SearchOptions | TemperOptions:
        """A run's options for this machine."""
        request, options = self.request, run.options
        if isinstance(options, SearchOptions):
            options = replace(options, rows=request.rows)
        return replace(options, chunk=request.chunk, precision=request.precision)

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
        for one in (self.network(run), self.source(run)):
            if isinstance(one, Missing):
                return str(one)
        settled = self.settled().get(run.name)
        return settled.remark if settled is not None and not settled.puzzles else None

    def is_over(self, run: Run) -> bool:
        """Whether there is nothing left to do."""
        return self.folder(run).is_done or self.missing(run) is not None

    def gather(self, runs: Sequence[Run]) -> Group:
        """The samples of runs together, with what is missing."""
        key = tuple(run.name for run in runs)
        if key not in self._gathered:
            group = self._gathered[key] = Group()
            for run in runs:
                folder, source = self.folder(run), self.source(run)
                if folder.is_done and isinstance(source, Source):
                    group.samples.extend(folder.read_samples())
                    group.origins.append(Origin(**folder.read_results()))
                    group.titles[source.title] = None
                else:
                    group.missing[run.task] = self.missing(run) or "not run yet"
        return self._gathered[key]

    def command(self, run: Run, origin: Origin) -> str:
        """The same run by hand."""
        options, request, data = self.options(run), self.request, origin.data
        name = "temper" if run.energies else "evaluate"
        line = ["erm", name, origin.networks[0]["name"], data["path"]]
        line += [] if run.energies else ["--mode", options.mode]  # pyright: ignore
        line += [*words(options, leave=["mode"]), "--task", run.task]
        line += ["--energy", *run.energies] if run.energies else []
        line += ["--energy", *request.energy] if request.energy and not run.energies else []
        line += ["--limit", str(data["count"]), "--device", request.device]
        line += ["--compile"] if request.compile and run.role != "none" else []
        line += [f"--include={file}" for file in included_files()]
        return shlex.join([*line, "--out", str(self.folder(run).path)])


def _files(request: Request) -> dict[str, Path]:
    """The files by suite: those named one by one, then those that lie in the folder."""
    given, folder = request.files(), request.data_folder
    for name, path in given.items():
        if name not in SUITES:
            known = ", ".join(SUITES)
            raise InputError(f"--data {name}={path}: there is no data set {name!r}; known: {known}")
        if not path.exists():
            raise InputError(f"--data {name}={path}: there is no such file or folder")
    if folder is None:
        return given
    paths = {name: folder / one.file for name, one in SUITES.items() if one.file}
    lying = {name: path for name, path in paths.items() if path.exists()}
    if not lying:
        known = ", ".join(str(path.relative_to(folder)) for path in paths.values())
        raise InputError(f"--data-folder {folder} holds none of {known}")
    return {**lying, **given}


@dataclass(frozen=True)
class Exhibit:
    """One table or figure, or a few that belong together."""

    name: str
    """As `--only` takes it."""
    title: str
    runs: Callable[[Budget], list[Run]]
    build: Callable[[Study], Section]
    """Makes tables and figures of what is there."""
