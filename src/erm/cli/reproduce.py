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
    """smoke: three minutes; laptop: under an hour; full: the paper's D = 64, K = 128, for days."""
    minutes: float | None = None
    """Time for all runs on one machine: as many puzzles as fit; laptop has 20."""
    checkpoint: tuple[str, ...] = ()
    """NAME=FOLDER, a checkpoint instead of the shipped one: sudoku, maze, lightup, nurikabe,
    heyawake, tapa, ppbench (for all five), sudoku-energy-transformer, sudoku-token-mlp,
    sudoku-structured."""
    data: tuple[str, ...] = ()
    """NAME=PATH, puzzles instead of those in ../shared/data or generated ones: sudoku, maze,
    ppbench, wild, maze-large."""
    only: tuple[str, ...] = ()
    """Parts to run, by name or separated by commas: table1, figure1, figure2, table2, figure3,
    maze16, stopping, et, accounting, ptrm, golden, sizes, compute."""
    processes: int | None = None
    """How many work at the same time; one a core if not given, one alone for smoke."""
    quiet: bool = False
    """No progress."""

    def run(self) -> int:
        import os

        from erm.progress import console
        from erm.reproduce import workers
        from erm.reproduce.command import open_study, reproduce

        if self.processes is not None and self.processes < 1:
            raise InputError(f"--processes must be at least 1, got {self.processes}")
        only = [name for part in self.only for name in part.split(",") if name]
        checkpoints = _pairs("--checkpoint", self.checkpoint)
        data = _pairs("--data", self.data)
        count = self.processes or workers.default_processes(self.budget)
        if count > 1 and workers.STARTED_BY_OTHERS not in os.environ:
            open_study(self.out, self.budget, checkpoints, data, only, minutes=self.minutes)
            return workers.run_workers(self._words(only), count)
        page = reproduce(
            self.out,
            self.budget,
            checkpoints,
            data,
            only,
            quiet=self.quiet,
            minutes=self.minutes,
        )
        if page is not None:
            console.print(f"written to {page}", soft_wrap=True, highlight=False)
        return 0

    def _words(self, only: list[str]) -> list[str]:
        """This command again, as a process of its own takes it."""
        words = ["reproduce", "--out", str(self.out), "--budget", self.budget]
        words += ["--minutes", f"{self.minutes:g}"] if self.minutes is not None else []
        for option, values in (
            ("--checkpoint", self.checkpoint),
            ("--data", self.data),
            ("--only", only),
        ):
            words += [option, *values] if values else []
        return [*words, "--quiet"] if self.quiet else words


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
