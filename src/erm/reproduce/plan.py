"""The plan of a study: what was asked for, and which runs that means. Nothing is run or written.

A plan follows from the request alone; how many puzzles a time-boxed run does and which boards a
checkpoint cannot read is settled when it is executed.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from erm.errors import InputError
from erm.evaluate.energies import named_energies
from erm.model.device import Precision
from erm.reproduce.budget import BUDGETS, Budget, BudgetName
from erm.reproduce.checkpoints import FixedStart, check_roles, checkpoint_of
from erm.reproduce.data import DataSource, StudyData, find_files
from erm.reproduce.missing import Missing
from erm.search.options import SearchOptions
from erm.search.temper import TemperOptions


@dataclass(frozen=True)
class Machine:
    """Where and how the networks run; only precision makes another study."""

    device: str = "cpu"
    precision: Precision = "float32"
    compile: bool = False
    chunk: int | None = None
    rows: int | None = None

    def fitted(self, options: SearchOptions | TemperOptions) -> SearchOptions | TemperOptions:
        """A run's options for this machine."""
        if isinstance(options, SearchOptions):
            options = replace(options, rows=self.rows)
        return replace(options, chunk=self.chunk, precision=self.precision)

    def words(self, rows: bool = True) -> list[str]:
        """The options that differ from what is usual."""
        words = [] if self.device == "cpu" else ["--device", self.device]
        words += [] if self.precision == "float32" else ["--precision", self.precision]
        words += ["--compile"] if self.compile else []
        words += [] if self.chunk is None else ["--chunk", str(self.chunk)]
        return words + ([] if self.rows is None or not rows else ["--rows", str(self.rows)])


@dataclass(frozen=True)
class Request:
    """What `erm reproduce` was told."""

    out: Path
    budget: BudgetName = "laptop"
    checkpoints: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, Path] = field(default_factory=dict)
    data_folder: Path | None = None
    only: Sequence[str] = ()
    minutes: float | None = None
    energies: Sequence[str] = ()
    """Further energies to select with, such as `tau=2,mu=0`."""
    included: Sequence[Path] = ()
    """Files with selectors of one's own, for whoever repeats a command."""
    machine: Machine = field(default_factory=Machine)

    def words(self) -> list[str]:
        """The options again, but for `--only`."""
        words = ["--out", str(self.out), "--budget", self.budget]
        words += ["--minutes", f"{self.minutes:g}"] if self.minutes is not None else []
        words += ["--data-folder", str(self.data_folder)] if self.data_folder else []
        for option, pairs in (("--checkpoint", self.checkpoints), ("--data", self.data)):
            words += [option, *(f"{k}={v}" for k, v in pairs.items())] if pairs else []
        words += ["--energy", *self.energies] if self.energies else []
        return [*words, *self.machine.words(), *self.including()]

    def including(self) -> list[str]:
        return [f"--include={file}" for file in self.included]

    def command(self, *more: str) -> str:
        return shlex.join(["erm", "reproduce", *self.words(), *more])


@dataclass(frozen=True)
class PlannedRun:
    """What `erm evaluate` or `erm temper` will be told, but for the number of puzzles."""

    name: str
    """Also the name of its folder."""
    suite: str
    task: str
    options: SearchOptions | TemperOptions
    role: str | None = None
    """Whose checkpoint it is; its suite's or its task's where none is named."""
    fixed_start: bool = False
    """With TRM's start instead of random ones."""
    energies: tuple[str, ...] = ()
    """Scores to temper with, each on its own."""
    weight: float = 1.0
    """Its share of a time-boxed budget."""


@dataclass(frozen=True)
class ModelCount:
    """The parameters and compute of models, counted; needs neither checkpoints nor puzzles."""

    name: str = "accounting"


Runs = Mapping[str, PlannedRun]
"""Runs by task or role that belong together."""


@dataclass(frozen=True)
class Plan:
    """A request with everything looked up that it names."""

    request: Request
    budget: Budget
    data: StudyData

    @classmethod
    def of(cls, request: Request) -> Plan:
        """Checks the request before any work is done."""
        if request.budget not in BUDGETS:
            raise InputError(
                f"--budget {request.budget}: there is no such budget; known: {', '.join(BUDGETS)}"
            )
        if request.minutes is not None and not request.minutes > 0:
            raise InputError(f"--minutes must be above 0, got {request.minutes}")
        named_energies(request.energies)
        check_roles(request.checkpoints)
        budget = BUDGETS[request.budget]
        if request.minutes is not None:
            budget = replace(budget, minutes=request.minutes)
        files = find_files(request.data, request.data_folder)
        return cls(request, budget, StudyData(files, request.out / "data", budget.name))

    @property
    def out(self) -> Path:
        return self.request.out

    @cached_property
    def energies(self) -> list[str]:
        """As selectors."""
        return named_energies(self.request.energies)

    def identity(self) -> dict[str, Any]:
        """What makes two studies the same study."""
        return {
            "command": "reproduce",
            "budget": self.budget.name,
            "data": self.data.describe(),
            "checkpoints": dict(self.request.checkpoints),
            "precision": self.request.machine.precision,
        }

    def source(self, run: PlannedRun) -> DataSource:
        return self.data.source(run.suite, run.task)

    def checkpoint(self, run: PlannedRun) -> str | FixedStart | Missing:
        """The run's checkpoint; one that is given for a whole suite serves all its tasks."""
        given = self.request.checkpoints
        role = run.role or (run.suite if run.suite in given else run.task)
        name = checkpoint_of(role, given)
        if isinstance(name, Missing) or not run.fixed_start:
            return name
        return FixedStart.of(name, self.out / "checkpoints") or name

    def folder(self, run: PlannedRun | ModelCount) -> Path:
        return self.out / "runs" / run.name
