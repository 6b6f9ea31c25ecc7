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

    Several processes or machines: torchrun --nproc_per_node 2 -m erm reproduce --out study ...
    """

    out: Path
    """Folder for report.html, report.md, tables/, figures/ and the runs behind them."""
    budget: Literal["smoke", "laptop", "full"] = "laptop"
    """smoke: three minutes; laptop: under an hour; full: the paper's D = 64, K = 128, for days."""
    checkpoint: tuple[str, ...] = ()
    """NAME=FOLDER, a checkpoint instead of the shipped one: sudoku, maze, lightup, nurikabe,
    heyawake, tapa, ppbench (for all five), sudoku-energy-transformer, sudoku-token-mlp."""
    data: tuple[str, ...] = ()
    """NAME=PATH, puzzles instead of those in ../shared/data or generated ones: sudoku, maze,
    ppbench, wild, maze-large."""
    only: tuple[str, ...] = ()
    """Parts to run, by name or separated by commas: table1, figure1, figure2, table2, figure3,
    maze16, stopping, et, accounting, ptrm, golden, sizes, compute."""
    quiet: bool = False
    """No progress."""

    def run(self) -> int:
        from erm.evaluate.reproduce.command import reproduce
        from erm.progress import console

        only = [name for part in self.only for name in part.split(",") if name]
        page = reproduce(
            self.out,
            self.budget,
            _pairs("--checkpoint", self.checkpoint),
            _pairs("--data", self.data),
            only,
            quiet=self.quiet,
        )
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
