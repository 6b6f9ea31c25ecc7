"""`erm reproduce`: every table and figure of the paper, ours beside the printed ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from erm.errors import InputError


@dataclass
class Reproduce:
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
    figure3, maze16, stopping, et, ptrm, golden, accounting, advice, solver."""
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

    def run(self) -> int:
        import os

        from erm.progress import console
        from erm.reproduce import workers
        from erm.reproduce.command import reproduce, reproduce_with
        from erm.reproduce.request import Machine, Request
        from erm.rulebook.registry import included_files

        if self.processes is not None and self.processes < 1:
            raise InputError(f"--processes must be at least 1, got {self.processes}")
        request = Request(
            out=self.out,
            budget=self.budget,
            checkpoints=_pairs("--checkpoint", self.checkpoint),
            data={name: Path(path) for name, path in _pairs("--data", self.data).items()},
            data_folder=self.data_folder,
            only=[name for part in self.only for name in part.split(",") if name],
            minutes=self.minutes,
            energies=self.energy,
            included=included_files(),
            machine=Machine(self.device, self.precision, self.compile, self.chunk, self.rows),
        )
        count = self.processes or workers.default_processes(self.budget, self.device)
        if count > 1 and workers.STARTED_BY_OTHERS not in os.environ:
            page = reproduce_with(count, request, self.quiet)
        else:
            page = reproduce(request, quiet=self.quiet)
        if page is not None:
            console.print(f"written to {page}", soft_wrap=True, highlight=False)
        return 0


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


COMMAND = Reproduce
