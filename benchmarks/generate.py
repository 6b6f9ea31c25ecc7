"""How fast puzzles are made: rates of one core, beside what the project asks for.

    python benchmarks/generate.py [--seconds 5]

Rates are puzzles for a second of CPU time, so that other work on the machine counts little.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import count

import numpy as np
from rich.console import Console
from rich.table import Table

from erm.data.recipe import Recipe
from erm.puzzles.sudoku.canonical import canonical_sudoku
from erm.puzzles.sudoku.generate import sudoku_unit
from erm.puzzles.sudoku.solver import solve_many
from erm.rulebook.generator import unit_rng

RECIPES = {
    "sudoku 9x9": (Recipe("sudoku", 9, 9), None),
    "sudoku 9x9, 4+ guesses": (Recipe("sudoku", 9, 9, options={"min_guesses": 4}), 150),
    "sudoku 9x9, hard, 100+ guesses": (
        Recipe("sudoku", 9, 9, options={"min_guesses": 100, "hard": True}),
        10,
    ),
    "sudoku 16x16": (Recipe("sudoku", 16, 16), None),
    "maze 13x13": (Recipe("maze", 13, 13), None),
    "maze 30x30": (Recipe("maze", 30, 30), None),
    "maze 30x30, loops 0.1": (Recipe("maze", 30, 30, options={"loops": 0.1}), None),
    "lightup 10x10": (Recipe("lightup", 10, 10), 25),
    "nurikabe 10x10": (Recipe("nurikabe", 10, 10), 1.5),
    "heyawake 10x10": (Recipe("heyawake", 10, 10), 2.5),
    "tapa 10x10": (Recipe("tapa", 10, 10), 2.5),
}
"""What is made, and how many a second of one core issue 5 asks for."""


def rate(make: Callable[[int], int], seconds: float) -> float:
    """Puzzles a CPU second of `make(unit)`, which is warmed up and compiled first."""
    make(0)
    made, unit, start = 0, 1, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        made += make(unit)
        unit += 1
    return made / spent


def time_of(work: Callable[[], object]) -> float:
    work()
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5, help="CPU seconds per row")
    seconds = parser.parse_args().seconds
    console = Console()
    table = Table("puzzles", "a second", "asked for", "ratio", title="generation, one core")
    for name, (recipe, goal) in RECIPES.items():
        reached = rate(lambda unit, recipe=recipe: len(recipe.make(unit)), seconds)
        shown = f"{reached:,.0f}" if reached > 100 else f"{reached:.1f}"
        ratio = f"{reached / goal:.1f}" if goal else ""
        table.add_row(name, shown, f"{goal or ''}", ratio)
    console.print(table)
    show_hard(console, seconds)
    show_solver(console)


def show_hard(console: Console, seconds: float) -> None:
    """What the hard puzzles are like: how varied, how hard."""
    start, batches = time.process_time(), []
    for unit in count():
        batches.append(sudoku_unit(unit_rng(1, unit), min_guesses=100, hard=True))
        if time.process_time() - start > 2 * seconds:
            break
    puzzles, grids, guesses = (np.concatenate(parts) for parts in zip(*batches, strict=True))
    quartiles = np.percentile(guesses, [10, 25, 50, 75, 90]).astype(int)
    console.print(
        f"hard: {len(np.unique(puzzles, axis=0))} puzzles of {len(batches)} lineages, "
        f"{len(np.unique(grids, axis=0))} solution grids, "
        f"guesses 10/25/50/75/90%: {quartiles.tolist()}"
    )


def show_solver(console: Console) -> None:
    batches = [sudoku_unit(unit_rng(2, unit), min_guesses=30, hard=True) for unit in range(13)]
    puzzles, grids, guesses = (np.concatenate(parts) for parts in zip(*batches, strict=True))
    spent = time_of(lambda: solve_many(puzzles))
    console.print(
        f"solver: {1e6 * spent / guesses.sum():.2f} µs per guess, "
        f"{len(puzzles) / spent:.0f} puzzles a second of {guesses.mean():.0f} guesses"
    )
    for name, boards in (("puzzle", puzzles), ("full grid", grids[:20])):
        spent = time_of(lambda boards=boards: [canonical_sudoku(b.reshape(9, 9)) for b in boards])
        console.print(f"canonical form of a {name}: {1e3 * spent / len(boards):.2f} ms")


if __name__ == "__main__":
    main()
