"""The puzzles to try: `python -m erm.web.examples` makes them again with our own generators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np

from erm.files import write_json
from erm.progress import progress_bar
from erm.puzzles.maze.generate import generate_mazes
from erm.puzzles.proved import ProvedGenerator
from erm.puzzles.prover import Undecided
from erm.puzzles.sudoku.generate import generate_sudoku
from erm.rulebook.registry import load_task
from erm.types import Puzzle

SEED = 2036
MAZE_SIDES = (9, 13, 21, 30)
PENCIL_SIDES = (5, 6, 8, 10, 10)
GUESSES = (("few guesses", 1), ("some guesses", 8), ("many guesses", 25))
GENTLE_CLUES = 38
PENCIL = ("lightup", "nurikabe", "heyawake", "tapa")


def make() -> None:
    """A few puzzles in each puzzle's folder, each with a single answer, from easy to hard."""
    makers = {"sudoku": _sudokus, "maze": _mazes} | {
        name: lambda rng, name=name: _pencil(name, rng) for name in PENCIL
    }
    with progress_bar() as bar:
        row = bar.add_task("examples", total=len(makers), note="")
        for number, (name, maker) in enumerate(makers.items()):
            rng = np.random.default_rng([SEED, number])
            task = load_task(name)
            found = [{"title": title, "text": task.format(one)} for title, one in maker(rng)]
            assert task.look.examples is not None, f"{name} has no file for its examples"
            write_json(task.look.examples, found)
            bar.update(row, advance=1, note=name)


def _sudokus(rng: np.random.Generator) -> Iterator[tuple[str, Puzzle]]:
    (easy,), (answer,), _ = generate_sudoku(1, SEED)
    shown = easy > 0
    hidden = rng.permutation(np.flatnonzero(~shown))
    shown[hidden[: GENTLE_CLUES - int(shown.sum())]] = True
    yield f"{GENTLE_CLUES} clues", _sudoku(np.where(shown, answer, 0))
    yield "minimal", _sudoku(easy)
    for title, guesses in GUESSES:
        (digits,), _, _ = generate_sudoku(1, SEED + guesses, min_guesses=guesses)
        yield title, _sudoku(digits)


def _sudoku(digits: np.ndarray) -> Puzzle:
    return Puzzle("sudoku", 9, 9, {"digits": digits.reshape(9, 9).astype(np.int8)})


def _mazes(rng: np.random.Generator) -> Iterator[tuple[str, Puzzle]]:
    for side in MAZE_SIDES:
        (cells,), _ = generate_mazes(1, side, side, rng)
        yield f"{side} × {side}", Puzzle("maze", side, side, {"cells": cells})


def _pencil(name: str, rng: np.random.Generator) -> Iterator[tuple[str, Puzzle]]:
    generator = cast(type[ProvedGenerator], load_task(name).generator())()
    for number, side in enumerate(PENCIL_SIDES):
        puzzle = None
        while puzzle is None:
            try:
                puzzle = generator.construct(side, side, rng)
            except Undecided:
                continue
        yield (
            f"{'another ' if number and PENCIL_SIDES[number - 1] == side else ''}{side} × {side}",
            puzzle,
        )


if __name__ == "__main__":
    make()
