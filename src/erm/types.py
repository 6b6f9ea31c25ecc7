"""The nouns that every layer shares: a puzzle, and what a network may see of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.errors import BoardTooLarge, InputError

DIGITS = "0123456789ABCDEFG"
"""States as characters: letters go on where digits end, as on 16x16 Sudokus."""
MAX_SIDE = 64
"""Boards with a longer side are refused: every text that comes from outside is bounded by this."""
MAX_VARIABLES = MAX_SIDE**2
"""Cells of the largest board, and of one that is no lattice: 1 x n variables of a graph."""


def check_sides(what: str, height: int, width: int, longest: int = MAX_SIDE) -> None:
    """Raise where a board of these sides is not read."""
    if not (1 <= height <= MAX_SIDE and 1 <= width <= longest):
        kind = BoardTooLarge if min(height, width) >= 1 else InputError
        raise kind(f"{what} is {height}x{width}, but sides must be 1 to {longest}")


@dataclass(frozen=True, eq=False, repr=False)
class Puzzle:
    """One instance of a task: what is printed on the board and, where known, its answer.

    Only metrics and losses read `answer`; no selector, energy or search does.
    """

    task: str
    """Name of the task, such as "nurikabe"."""
    height: int
    width: int
    givens: Mapping[str, np.ndarray]
    """What is printed, as the task's own arrays (see the task's docstring)."""
    answer: Int[np.ndarray, " n"] | None = None
    """One state per cell, row-major, where it is known."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """Where it comes from: source, url, guesses, seed."""

    def __post_init__(self) -> None:
        longest = MAX_VARIABLES if self.height == 1 else MAX_SIDE
        check_sides("the board", self.height, self.width, longest)
        if self.answer is not None and self.answer.shape != (self.cells,):
            raise InputError(
                f"the answer has shape {self.answer.shape}, but the board has {self.cells} cells"
            )

    def __repr__(self) -> str:
        answered = "" if self.answer is None else ", answered"
        return f"<Puzzle {self.task} {self.height}x{self.width}{answered}>"

    def _repr_html_(self) -> str | None:
        # By name: drawing stands above this module, and only notebooks ask for it.
        return import_module("erm.drawing.board").puzzle_html(self)

    @property
    def cells(self) -> int:
        return self.height * self.width

    @property
    def shape(self) -> tuple[int, int]:
        return self.height, self.width

    def with_answer(self, answer: np.ndarray | None) -> Puzzle:
        return replace(self, answer=None if answer is None else np.asarray(answer, np.int8).ravel())

    def with_meta(self, **meta: Any) -> Puzzle:
        return replace(self, meta={**self.meta, **meta})


@dataclass(frozen=True, eq=False)
class Encoding:
    """What a network sees of one puzzle; derived from the rulebook by `Task.encode`."""

    shape: tuple[int, int]
    domain: Bool[np.ndarray, "n S"]
    """States that a cell may still take: clues clamp it, guesses and refutations shrink it."""
    features: Float[np.ndarray, "n F"]
    """What is printed on each cell, one-hot, for the structured reasoner."""
    partitions: Int[np.ndarray, "P n"]
    """Ways in which the rules group the cells: a group id per cell (rows, rooms, sight lines)."""
    tokens: Int[np.ndarray, " n"]
    """The task's vocabulary, for token-based reasoners (EqR, TRM)."""
    answer_tokens: Int[np.ndarray, "n S"]
    """The token by which each state of each cell is written in an answer."""
