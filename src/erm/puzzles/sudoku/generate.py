"""Sudoku puzzles: minimal, unique, as hard as asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Integer

from erm.errors import InputError
from erm.puzzles.sudoku.boxes import BOX_SHAPES
from erm.puzzles.sudoku.hard import climb
from erm.puzzles.sudoku.minimal import minimal_puzzles
from erm.puzzles.sudoku.sides import generate_side, solve_side
from erm.puzzles.sudoku.solver import SIDE
from erm.puzzles.sudoku.text import NAME
from erm.rulebook.generator import Generator
from erm.types import Puzzle

Batch = tuple[Integer[np.ndarray, "n 81"], Integer[np.ndarray, "n 81"], Integer[np.ndarray, " n"]]
"""Puzzles with 0 for empty cells, their solutions, and the guesses they need."""

TRIES_A_UNIT = 500
LINEAGE_SHARE = 16
"""Puzzles that one lineage may give: its members are relatives, so more would be alike."""
HARD_BAR = 40
"""Guesses that hard puzzles need at least, however their boards are turned; Sudoku-Extreme's
quartiles are about 50, 100 and 150."""
GENTLE_CLUES = 38
EXAMPLES = (("minimal", 0), ("few guesses", 1), ("some guesses", 8), ("many guesses", 25))
"""Puzzles to try, with the guesses that they need at least."""
SIDES_A_UNIT = 16
"""Boards of other sides than 9 that are one unit of work."""


@dataclass(frozen=True)
class SudokuGenerator(Generator):
    """Minimal Sudokus with one solution; killed, the same command continues.

    Example: erm data sudoku --count 1000 --hard --min-guesses 100 --out hard.jsonl
    """

    usual_size = "9x9"
    sizes = "4x4, 6x6, 9x9 or 16x16."

    min_guesses: int = 0
    """Guesses a solver with naked and hidden singles needs at least; with --hard however the
    board is turned, and 40 if not given."""
    hard: bool = False
    """Climb by mutation towards Sudoku-Extreme, whose median is about 100 such guesses."""
    clues: int = 0
    """Clues at least: more than a minimal puzzle needs make easy ones, as newspapers have."""

    def check(self, height: int, width: int) -> None:
        if self.min_guesses < 0:
            raise InputError("the least number of guesses must not be negative")
        if height != width or height not in BOX_SHAPES:
            sides = ", ".join(f"{side}x{side}" for side in BOX_SHAPES)
            raise InputError(f"Sudokus are {sides}, got {height}x{width}")
        if self.hard and height != SIDE:
            raise InputError(f"hard Sudokus are 9x9, got {height}x{width}")
        if not 0 <= self.clues < height * width:
            raise InputError(f"--clues must be 0 to {height * width - 1}, got {self.clues}")
        if self.clues and (self.hard or self.min_guesses):
            raise InputError("--clues makes easy Sudokus; leave --hard and --min-guesses out")

    def make(self, height: int, width: int, rng: np.random.Generator) -> Iterator[Puzzle]:
        if height == SIDE:
            bar = self.min_guesses or (HARD_BAR if self.hard else 0)
            for clues, solution, guesses in zip(*sudoku_unit(rng, bar, self.hard), strict=True):
                yield self._shown(_puzzle(clues, solution, height, int(guesses)), rng)
            return
        for _ in range(SIDES_A_UNIT):
            clues, solution = generate_side(height, rng)
            guesses = solve_side(clues.reshape(height, width))[2]
            if guesses >= self.min_guesses:
                yield self._shown(_puzzle(clues, solution, height, guesses), rng)

    def _shown(self, puzzle: Puzzle, rng: np.random.Generator) -> Puzzle:
        return with_clues(puzzle, self.clues, rng) if self.clues else puzzle

    def examples(self, rng: np.random.Generator) -> Iterator[tuple[str, Puzzle]]:
        for title, bar in EXAMPLES:
            clues, solutions, guesses = sudoku_unit(rng, bar, hard=False)
            puzzle = _puzzle(clues[0], solutions[0], SIDE, int(guesses[0]))
            if title == "minimal":
                yield f"{GENTLE_CLUES} clues", with_clues(puzzle, GENTLE_CLUES, rng)
            yield title, puzzle


def with_clues(puzzle: Puzzle, least: int, rng: np.random.Generator) -> Puzzle:
    """The puzzle with digits of its answer shown until it has so many clues."""
    assert puzzle.answer is not None
    digits, side = puzzle.givens["digits"].flatten(), puzzle.height
    hidden = rng.permutation(np.flatnonzero(digits == 0))
    more = hidden[: max(0, least - np.count_nonzero(digits))]
    digits[more] = puzzle.answer[more]
    guesses = solve_side(digits.reshape(side, side))[2]
    return _puzzle(digits, puzzle.answer, side, guesses)


def _puzzle(clues: np.ndarray, solution: np.ndarray, side: int, guesses: int) -> Puzzle:
    digits = clues.reshape(side, side).astype(np.int8)
    meta = {"guesses": guesses}
    return Puzzle(NAME, side, side, {"digits": digits}, solution.astype(np.int8), meta)


def sudoku_unit(rng: np.random.Generator, min_guesses: int, hard: bool) -> Batch:
    """One unit of work: a batch of random minimal puzzles, or one lineage of hard ones."""
    if hard:
        return climb(rng, max(min_guesses, 1), LINEAGE_SHARE)
    return minimal_puzzles(rng, TRIES_A_UNIT, min_guesses)
