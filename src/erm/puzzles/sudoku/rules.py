"""Sudoku: every row, column and box holds each digit once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.formats import puzzlink
from erm.formats import text as text_codec
from erm.grid import members
from erm.puzzles.sudoku.drawing import LOOK
from erm.rulebook.energy import EnergySettings
from erm.rulebook.factor import Factor
from erm.rulebook.given import Given
from erm.rulebook.permanent import Permutations
from erm.rulebook.task import Task
from erm.types import Puzzle

BOX_SHAPES = {4: (2, 2), 6: (2, 3), 9: (3, 3), 16: (4, 4)}
"""Rows and columns of a box for each side of a board."""


class Sudoku(Task):
    """Givens: `digits` int8 [n, n], 0 where empty; n is 4, 6, 9 or 16.

    The energy is Eq. 6: permutation memories over units, tau 1, costs from the model's own
    log-probabilities with the clues clamped. Without log-probabilities, and with soft off, it is
    Eq. 7 on the decoded answer with Pencil Puzzle Bench's beta.
    """

    name = "sudoku"
    states = 9
    first_state = 1
    settings = EnergySettings(tau=1.0, beta=128.0, soft=True)
    vocabulary = 11
    interchangeable = True
    sides = tuple(BOX_SHAPES)
    givens: ClassVar = {"digits": Given(np.int8, 0, max(BOX_SHAPES))}
    look = LOOK

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

    def parse(self, text: str) -> Puzzle:
        is_link = puzzlink.is_link(text)
        return puzzlink.parse(text, self.name) if is_link else text_codec.parse_sudoku(text)

    def format(self, puzzle: Puzzle) -> str:
        return text_codec.format_sudoku(puzzle)


@lru_cache(maxsize=len(BOX_SHAPES))
def units(side: int) -> Int[np.ndarray, "3 n"]:
    """The row, column and box of each cell."""
    box_height, box_width = BOX_SHAPES[side]
    row, column = np.divmod(np.arange(side * side), side)
    boxes_a_row = side // box_width
    box = row // box_height * boxes_a_row + column // box_width
    return np.stack([row, column, box])


@lru_cache(maxsize=len(BOX_SHAPES))
def _factors(side: int) -> tuple[Factor, ...]:
    """One tuple for all boards of a size, so that pools of many puzzles score in one call."""
    memory = Permutations(side)
    names = "row", "column", "box"
    return tuple(
        Factor(name, np.stack(members(ids)), memory)
        for name, ids in zip(names, units(side), strict=True)
    )
