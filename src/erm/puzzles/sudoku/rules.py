"""Sudoku: every row, column and box holds each digit once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int, Integer

from erm.grid import members
from erm.look import Look
from erm.puzzles.sudoku.boxes import BOX_SHAPES, units
from erm.puzzles.sudoku.text import VOCABULARY, SudokuText
from erm.rulebook.energy import EnergySettings
from erm.rulebook.factor import Factor
from erm.rulebook.generator import Generator
from erm.rulebook.given import Given
from erm.rulebook.permanent import Permutations
from erm.rulebook.symmetry import Symmetry
from erm.types import Puzzle


class SudokuSymmetry(Symmetry):
    """Bands, rows, stacks, columns and digits change places; square boxes may be transposed.

    There are more forms than can be listed; the smallest is the canonical one.
    """

    def random(self, puzzle: Puzzle, rng: np.random.Generator, upright: bool = False) -> Puzzle:
        boards = [puzzle.givens["digits"].ravel()]
        if puzzle.answer is not None:
            boards.append(puzzle.answer)
        moved = move_sudokus(np.stack(boards)[:, None], rng)[:, 0].astype(np.int8)
        answer = None if puzzle.answer is None else moved[1]
        return replace(puzzle, givens={"digits": moved[0].reshape(puzzle.shape)}, answer=answer)

    def canonical(self, puzzle: Puzzle) -> bytes:
        # Imported here because most commands need no canonical form, and numba takes its time.
        from erm.puzzles.sudoku.canonical import canonical_sudoku

        return f"{puzzle.task}:".encode() + canonical_sudoku(puzzle.givens["digits"]).tobytes()


class Sudoku(SudokuText):
    """Givens: `digits` int8 [n, n], 0 where empty; n is 4, 6, 9 or 16.

    The energy is Eq. 6: permutation memories over units, tau 1, costs from the model's own
    log-probabilities with the clues clamped. Without log-probabilities, and with soft off, it is
    Eq. 7 on the decoded answer with Pencil Puzzle Bench's beta.
    """

    states = 9
    first_state = 1
    settings = EnergySettings(tau=1.0, beta=128.0, soft=True)
    vocabulary = VOCABULARY
    interchangeable = True
    sides = tuple(BOX_SHAPES)
    givens: ClassVar = {"digits": Given(np.int8, 0, max(BOX_SHAPES))}
    look = Look.beside(
        __file__,
        "Sudoku",
        "Every row, column and box holds each digit once.",
        {
            "clue": "printed digits stay",
            "row": "each digit once in a row",
            "column": "each digit once in a column",
            "box": "each digit once in a box",
        },
    )
    symmetry = SudokuSymmetry()

    def states_of(self, puzzle: Puzzle) -> int:
        return puzzle.height

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        return _factors(puzzle.height)

    def domain(self, puzzle: Puzzle) -> Bool[np.ndarray, "n S"]:
        digits = puzzle.givens["digits"].reshape(-1, 1)
        return (digits == 0) | (digits == np.arange(1, puzzle.height + 1))

    def features(self, puzzle: Puzzle) -> Float[np.ndarray, "n F"]:
        """None: what is printed is in the domain."""
        return np.zeros((puzzle.cells, 0), np.float32)

    def partitions(self, puzzle: Puzzle) -> Int[np.ndarray, "3 n"]:
        return units(puzzle.height)

    def tokens(self, puzzle: Puzzle) -> Int[np.ndarray, " n"]:
        """Pad 0, empty 1, digit d as d + 1, as HRM, TRM and EqR write them."""
        return puzzle.givens["digits"].ravel().astype(np.int64) + 1

    def answer_tokens(self, puzzle: Puzzle) -> Int[np.ndarray, "n S"]:
        return np.tile(np.arange(2, puzzle.height + 2), (puzzle.cells, 1))

    def generator(self) -> type[Generator]:
        from erm.puzzles.sudoku.generate import SudokuGenerator

        return SudokuGenerator

    def count_solutions(self, puzzles: Sequence[Puzzle]) -> Iterator[int | None]:
        from erm.puzzles.sudoku.solver import count_solutions

        return count_solutions(puzzles)


@lru_cache(maxsize=len(BOX_SHAPES))
def _factors(side: int) -> tuple[Factor, ...]:
    """One tuple for all boards of a size, so that pools of many puzzles score in one call."""
    memory = Permutations(side)
    names = "row", "column", "box"
    return tuple(
        Factor(name, np.stack(members(ids)), memory)
        for name, ids in zip(names, units(side), strict=True)
    )


def move_sudokus(
    boards: Integer[np.ndarray, "k n cells"], rng: np.random.Generator
) -> Integer[np.ndarray, "k n cells"]:
    """n Sudokus, each in a random symmetric form of its own, and k boards of each alike.

    The fast way for arrays: `move_sudokus(np.stack([puzzles, solutions]), rng)`.
    """
    count, cells = boards.shape[1:]
    side = round(cells**0.5)
    height, width = BOX_SHAPES[side]
    rows = _random_lines(count, side, height, rng)
    columns = _random_lines(count, side, width, rng)
    source = rows[:, :, None] * side + columns[:, None, :]
    if height == width:
        turn = rng.random(count) < 0.5
        source[turn] = source[turn].swapaxes(1, 2)
    names = np.zeros((count, side + 1), boards.dtype)
    names[:, 1:] = rng.permuted(np.tile(np.arange(1, side + 1), (count, 1)), axis=1)
    puzzle = np.arange(count)[:, None]
    return names[puzzle, boards[:, puzzle, source.reshape(count, cells)]]


def _random_lines(
    count: int, side: int, size: int, rng: np.random.Generator
) -> Integer[np.ndarray, "n s"]:
    """Random orders of a side's lines that keep its bands (or stacks) of `size` together."""
    bands = rng.permuted(np.tile(np.arange(side // size), (count, 1)), axis=1)
    within = rng.permuted(np.tile(np.arange(size), (count, side // size, 1)), axis=2)
    return (bands[:, :, None] * size + within).reshape(count, side)
