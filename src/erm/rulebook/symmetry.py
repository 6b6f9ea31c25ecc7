"""Symmetric forms of a puzzle: random ones for augmentation, and the form that all share."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from erm.types import Puzzle


class Turn(NamedTuple):
    """One of the eight symmetries of a square: transpose, then mirror up-down and left-right."""

    transpose: bool
    upside_down: bool
    mirrored: bool

    def move(self, board: np.ndarray) -> np.ndarray:
        """An array over cells [H, W, ...] in its new place."""
        if self.transpose:
            board = board.swapaxes(0, 1)
        if self.upside_down:
            board = board[::-1]
        if self.mirrored:
            board = board[:, ::-1]
        return np.ascontiguousarray(board)


TURNS = tuple(Turn(*flags) for flags in product((False, True), repeat=3))
AS_IT_STANDS = TURNS[:1]


class Symmetry:
    """The turns and mirrors of a board that leave its task's rules alone.

    All givens are taken for arrays over cells; a task with others moves them in `givens`,
    and one that can write the same clue in several ways settles for one in `normalised`.
    """

    def __init__(self, turns: tuple[Turn, ...] = AS_IT_STANDS) -> None:
        self.turns = turns

    def random(self, puzzle: Puzzle, rng: np.random.Generator, upright: bool = False) -> Puzzle:
        """The puzzle and its answer in a random symmetric form, its meta as it was; with `upright`
        as high and as wide as it was."""
        turns = self.turns
        if upright and puzzle.height != puzzle.width:
            turns = tuple(turn for turn in turns if not turn.transpose)
        return self.turned(puzzle, turns[rng.integers(len(turns))])

    def canonical(self, puzzle: Puzzle) -> bytes:
        """Equal for two puzzles exactly when a symmetry turns one into the other; answers aside."""
        return f"{puzzle.task}:".encode() + min(self._bytes(puzzle, turn) for turn in self.turns)

    def turned(self, puzzle: Puzzle, turn: Turn) -> Puzzle:
        """The puzzle, turned or mirrored together with its answer."""
        height, width = puzzle.shape[::-1] if turn.transpose else puzzle.shape
        answer = puzzle.answer
        if answer is not None:
            answer = turn.move(answer.reshape(puzzle.shape)).ravel()
        givens = self.givens(puzzle, turn)
        return replace(puzzle, height=height, width=width, givens=givens, answer=answer)

    def givens(self, puzzle: Puzzle, turn: Turn) -> dict[str, np.ndarray]:
        """What is printed, in its new place."""
        return {name: turn.move(array) for name, array in puzzle.givens.items()}

    def normalised(self, name: str, array: np.ndarray) -> np.ndarray:
        """One of the givens, the same for all ways to write the same clues."""
        return array

    def _bytes(self, puzzle: Puzzle, turn: Turn) -> bytes:
        givens = self.givens(puzzle, turn)
        size = b"%dx%d:" % (puzzle.shape[::-1] if turn.transpose else puzzle.shape)
        # Arrays of one type, so that the form does not depend on how a puzzle came to be.
        arrays = (self.normalised(name, givens[name].astype(np.int16)) for name in sorted(givens))
        return size + b"".join(array.tobytes() for array in arrays)


SQUARE = Symmetry(TURNS)
"""Of tasks whose rules know no direction."""
