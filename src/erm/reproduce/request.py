"""The options of `erm reproduce`, and the command line that they make again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from erm.errors import InputError

FLAGS = {"trace": "curve"}
"""Options whose flag has another name."""


def words(options: Any, leave: Sequence[str] = ()) -> Iterator[str]:
    """The flags of all options that are not at their defaults."""
    for option in fields(options):
        value = getattr(options, option.name)
        if option.name in leave or value == option.default:
            continue
        flag = FLAGS.get(option.name, option.name).replace("_", "-")
        if isinstance(value, bool):
            yield f"--{flag}" if value else f"--no-{flag}"
        else:
            yield f"--{flag}"
            yield from map(str, value if isinstance(value, tuple) else [value])


@dataclass(frozen=True)
class Request:
    """Make the paper's tables and figures again; interrupted, the same command continues.

    Example: erm reproduce --out study --budget laptop --only table1,figure2

    Several machines: torchrun --nnodes 2 --nproc_per_node 8 ... -m erm reproduce --out study
    """

    out: Path
    """Folder for report.html, report.md, tables/, figures/ and the runs behind them."""
    budget: Literal["smoke", "laptop", "full"] = "laptop"
    """smoke: a few minutes; laptop: half an hour; full: the paper's D = 64, K = 128, for days."""
    minutes: float | None = None
    """Time for all runs on one machine: as many puzzles as fit; laptop has 20."""
    checkpoint: tuple[str, ...] = ()
    """NAME=FOLDER, a checkpoint instead of the shipped one. NAME is a suite (sudoku,
    sudoku-minimal, sudoku-6x6, ppbench, maze), a task, TASK-advised, or eqr, trm, et for a network
    of that kind."""
    data: tuple[str, ...] = ()
    """NAME=PATH, puzzles instead of generated ones, by suite: sudoku, sudoku-minimal, sudoku-6x6,
    ppbench, maze, sudoku-extreme, wild."""
    data_folder: Path | None = None
    """A folder with the field's files, such as sudoku/sudoku-extreme-test.csv; see
    docs/reproduce.md. What is not there is generated."""
    only: tuple[str, ...] = ()
    """Tables and figures to make, by name or separated by commas: table1, figure1, figure2, table2,
    figure3, maze16, stopping, et, ptrm, accounting, advice, solver."""
    energy: tuple[str, ...] = ()
    """Further energies to select with, each a row of table1: tau=2,mu=0 changes the task's own
    settings (tau, beta, mu, gamma, weight; soft=0 for decoded answers); a selector's name is an
    energy of your own."""
    processes: int | None = None
    """How many work at the same time; one per core if not given, one alone for smoke."""
    device: str = "cpu"
    """Where the networks run: cpu, cuda, mps, or auto; under torchrun each process has its GPU."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """What the networks compute in."""
    compile: bool = False
    """Compile the networks: half a minute for each board size, then about 1.3 times as fast."""
    chunk: int | None = None
    """Rows in one call of a network; chosen by size and device if not given."""
    rows: int | None = None
    """Candidates in flight below which more puzzles start; chosen by device if not given."""
    quiet: bool = False
    """No progress."""

    def names(self) -> list[str]:
        """The tables and figures of `--only`."""
        return [name for part in self.only for name in part.split(",") if name]

    def checkpoints(self) -> dict[str, str]:
        return _pairs("--checkpoint", self.checkpoint)

    def files(self) -> dict[str, Path]:
        return {name: Path(path) for name, path in _pairs("--data", self.data).items()}

    def command(self, *more: str) -> str:
        """The same command again, but for `--only`, with the files that were included."""
        from erm.rulebook.registry import included_files

        given = words(self, leave=["only", "processes", "quiet"])
        included = [f"--include={file}" for file in included_files()]
        return shlex.join(["erm", "reproduce", *given, *included, *more])


def _pairs(option: str, given: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not (name and equals and value):
            raise InputError(f"{option} takes NAME=PATH, got {one!r}")
        if name in pairs:
            raise InputError(f"{option} names {name} twice")
        pairs[name] = value
    return pairs
