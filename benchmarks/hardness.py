"""How hard Sudokus are for a solver with singles, and how much of that is the order of its cells.

    python benchmarks/hardness.py sudoku-extreme-test.csv hard.jsonl.gz

Guesses that prove the answer unique: with the board as it is, and the fewest over random turns of
it. A puzzle that needs hundreds one way and three another is hard by bad luck.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from rich.table import Table

from erm.formats.dataset import load_dataset
from erm.progress import console
from erm.puzzles.sudoku.rules import move_sudokus
from erm.puzzles.sudoku.solver import solve_many

QUARTILES = (0.25, 0.5, 0.75)


@dataclass
class Options:
    """Quartiles of the guesses that Sudokus need."""

    data: tyro.conf.Positional[tuple[Path, ...]]
    puzzles: int = 200
    """Of each file, evenly spread over it."""
    turns: int = 16
    """Random turns of each board."""


def main(options: Options) -> None:
    table = Table("9x9 Sudokus", "as they are", f"fewest of {options.turns} turns")
    for path in options.data:
        boards = np.stack([one.givens["digits"].ravel() for one in load_dataset(path, "sudoku")])
        boards = boards[
            np.linspace(0, len(boards) - 1, min(options.puzzles, len(boards)), dtype=int)
        ]
        copies = np.tile(boards, (options.turns, 1))
        turned = move_sudokus(copies[None], np.random.default_rng(0))[0]
        fewest = solve_many(turned)[2].reshape(options.turns, -1).min(0)
        shown = (
            ", ".join(f"{guesses:.0f}" for guesses in np.quantile(counts, QUARTILES))
            for counts in (solve_many(boards)[2], fewest)
        )
        table.add_row(path.name, *shown)
    console.print(table)


if __name__ == "__main__":
    main(tyro.cli(Options))
