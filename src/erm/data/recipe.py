"""What to generate, and how one unit of that work is done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from erm.data.maze import generate_mazes
from erm.data.sudoku import HARD_BAR, sudoku_unit, unit_rng
from erm.data.sudoku_sides import generate_side, solve_side
from erm.errors import InputError
from erm.puzzles.sudoku.rules import BOX_SHAPES
from erm.types import MAX_SIDE, Puzzle

TASKS = ("sudoku", "maze", "lightup", "nurikabe", "heyawake", "tapa")
MAZES_A_UNIT = 128
SIDES_A_UNIT = 16
PENCILS_A_UNIT = 4


@dataclass(frozen=True)
class Recipe:
    """Everything that decides which puzzles come out, but for how many of them."""

    task: str
    height: int
    width: int
    seed: int = 0
    min_guesses: int = 0
    """Sudoku: guesses needed at least."""
    hard: bool = False
    """Sudoku: climb by mutation, as far as Sudoku-Extreme and beyond."""
    minimal: bool = False
    """Lightup, nurikabe, heyawake, tapa: leave out clues as long as the answer stays unique."""
    loops: float = 0.0
    """Maze: share of the closed walls that is opened."""
    min_length: int | None = None
    max_length: int | None = None
    """Maze: steps from start to goal."""

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise InputError(f"nothing generates {self.task!r}; known: {', '.join(TASKS)}")
        if not (1 <= self.height <= MAX_SIDE and 1 <= self.width <= MAX_SIDE):
            raise InputError(f"sides go from 1 to {MAX_SIDE}, got {self.height}x{self.width}")
        if self.seed < 0 or self.min_guesses < 0:
            raise InputError("the seed and the least number of guesses must not be negative")
        if self.task == "sudoku":
            self._check_sudoku()

    def _check_sudoku(self) -> None:
        if self.height != self.width or self.height not in BOX_SHAPES:
            sides = ", ".join(f"{side}x{side}" for side in BOX_SHAPES)
            raise InputError(f"Sudokus are {sides}, got {self.height}x{self.width}")
        if self.hard and self.height != 9:
            raise InputError(f"hard Sudokus are 9x9, got {self.height}x{self.width}")

    def __str__(self) -> str:
        return f"{self.task} {self.height}x{self.width}"

    @property
    def command(self) -> str:
        """What makes these puzzles, but for how many and where to."""
        words = ["erm data", self.task, f"--size {self.height}x{self.width}", f"--seed {self.seed}"]
        for option in fields(self):
            value = getattr(self, option.name)
            if option.name not in ("task", "height", "width", "seed") and value != option.default:
                name = option.name.replace("_", "-")
                words.append(f"--{name}" if value is True else f"--{name} {value}")
        return " ".join(words)

    def describe(self) -> dict[str, Any]:
        return asdict(self)

    def make(self, unit: int) -> list[Puzzle]:
        """The puzzles of one unit of work: the same whichever process makes them, and when."""
        rng = unit_rng(self.seed, unit)
        makers = {"sudoku": self._sudokus, "maze": self._mazes}
        made = makers.get(self.task, self._pencils)(rng)
        return [puzzle.with_meta(source=self.command, unit=unit) for puzzle in made]

    def _sudokus(self, rng: np.random.Generator) -> Iterator[Puzzle]:
        if self.height != 9:
            yield from self._other_sudokus(rng)
            return
        bar = self.min_guesses or (HARD_BAR if self.hard else 0)
        for clues, solution, guesses in zip(*sudoku_unit(rng, bar, self.hard), strict=True):
            yield _sudoku(clues, solution, int(guesses))

    def _other_sudokus(self, rng: np.random.Generator) -> Iterator[Puzzle]:
        for _ in range(SIDES_A_UNIT):
            clues, solution = generate_side(self.height, rng)
            guesses = solve_side(clues.reshape(self.height, self.width))[2]
            if guesses >= self.min_guesses:
                yield _sudoku(clues, solution, guesses)

    def _mazes(self, rng: np.random.Generator) -> Iterator[Puzzle]:
        shape = self.height, self.width
        bounds = self.min_length, self.max_length
        mazes = generate_mazes(MAZES_A_UNIT, *shape, rng, *bounds, self.loops)
        for cells, path in zip(*mazes, strict=True):
            answer = path.ravel().astype(np.int8)
            meta = {"length": int(answer.sum()) + 1}
            yield Puzzle("maze", *shape, {"cells": cells}, answer, meta)

    def _pencils(self, rng: np.random.Generator) -> Iterator[Puzzle]:
        # Imported here because Sudokus and mazes are to be made without clingo, an extra.
        from erm.data.pencil import generate_one

        for _ in range(PENCILS_A_UNIT):
            puzzle = generate_one(self.task, self.height, self.width, rng, self.minimal)
            if puzzle is not None:
                yield puzzle


def _sudoku(clues: np.ndarray, solution: np.ndarray, guesses: int) -> Puzzle:
    side = round(len(clues) ** 0.5)
    digits = clues.reshape(side, side).astype(np.int8)
    meta = {"guesses": guesses}
    return Puzzle("sudoku", side, side, {"digits": digits}, solution.astype(np.int8), meta)
