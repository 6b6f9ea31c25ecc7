"""What `erm reproduce` was asked for."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from erm.errors import InputError
from erm.evaluate.energies import named_energies
from erm.model.device import Precision
from erm.reproduce.networks import check_given
from erm.reproduce.suites import BUDGETS, SUITES, Budget, BudgetName
from erm.search.options import SearchOptions
from erm.search.temper import TemperOptions

Options = SearchOptions | TemperOptions
FLAGS = {"trace": "curve"}
"""Options whose flag has another name."""


@dataclass(frozen=True)
class Machine:
    """Where and how the networks run; only precision makes another study."""

    device: str = "cpu"
    precision: Precision = "float32"
    compile: bool = False
    chunk: int | None = None
    rows: int | None = None

    def fitted(self, options: Options) -> Options:
        """A run's options for this machine."""
        if isinstance(options, SearchOptions):
            options = replace(options, rows=self.rows)
        return replace(options, chunk=self.chunk, precision=self.precision)


def words(options: Any, usual: Any, leave: Sequence[str] = ()) -> Iterator[str]:
    """The flags of what differs from the usual."""
    for option in fields(options):
        value = getattr(options, option.name)
        if value == getattr(usual, option.name) or option.name in leave:
            continue
        flag = FLAGS.get(option.name, option.name).replace("_", "-")
        if isinstance(value, bool):
            yield f"--{flag}" if value else f"--no-{flag}"
        else:
            yield f"--{flag}"
            yield from map(str, value if isinstance(value, tuple) else [value])


@dataclass(frozen=True)
class Request:
    """The options of `erm reproduce`."""

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
    """Files with selectors of one's own, named in the printed commands."""
    machine: Machine = field(default_factory=Machine)

    def check(self) -> None:
        """An InputError before any work is done."""
        if self.budget not in BUDGETS:
            raise InputError(f"--budget {self.budget}: known are {', '.join(BUDGETS)}")
        if self.minutes is not None and not self.minutes > 0:
            raise InputError(f"--minutes must be above 0, got {self.minutes}")
        named_energies(self.energies)
        check_given(self.checkpoints)
        for name, path in self.data.items():
            if name not in SUITES:
                raise InputError(
                    f"--data {name}={path}: there is no data set {name!r} in the study; "
                    f"known: {', '.join(SUITES)}"
                )
            if not path.exists():
                raise InputError(f"--data {name}={path}: there is no such file or folder")
        if self.data_folder is not None and not self._in_folder():
            known = ", ".join(suite.file for suite in SUITES.values() if suite.file)
            raise InputError(f"--data-folder {self.data_folder} holds none of {known}")

    def files(self) -> dict[str, Path]:
        """The files by suite: those named one by one, then those that lie in the folder."""
        return {**self._in_folder(), **self.data}

    def _in_folder(self) -> dict[str, Path]:
        if self.data_folder is None:
            return {}
        paths = {n: self.data_folder / one.file for n, one in SUITES.items() if one.file}
        return {name: path for name, path in paths.items() if path.exists()}

    def plan(self) -> Budget:
        budget = BUDGETS[self.budget]
        return budget if self.minutes is None else replace(budget, minutes=self.minutes)

    def including(self) -> list[str]:
        return [f"--include={file}" for file in self.included]

    def command(self, *more: str) -> str:
        """The same command again, but for `--only`."""
        given = ["--out", str(self.out), "--budget", self.budget]
        given += ["--minutes", f"{self.minutes:g}"] if self.minutes is not None else []
        given += ["--data-folder", str(self.data_folder)] if self.data_folder else []
        for option, pairs in (("--checkpoint", self.checkpoints), ("--data", self.data)):
            given += [option, *(f"{k}={v}" for k, v in pairs.items())] if pairs else []
        given += ["--energy", *self.energies] if self.energies else []
        given += [*words(self.machine, Machine()), *self.including()]
        return shlex.join(["erm", "reproduce", *given, *more])
