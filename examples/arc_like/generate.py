"""Instances: a transformation drawn at random, three boards and what it makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from erm.rulebook import Generator, Puzzle

from .rules import PAIRS, ArcLike
from .views import AROUND, BESIDE, COLOURS, colour_at

Transformation = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class ArcLikeGenerator(Generator):
    """Transformations shown by three pairs that determine the answer."""

    usual_size = "6x6"

    def make(self, height: int, width: int, rng: np.random.Generator) -> Iterator[Puzzle]:
        task = ArcLike()
        for _ in range(8):
            change = transformation(rng)
            boards = [scattered(height, width, rng) for _ in range(PAIRS + 1)]
            pairs = np.array([[board, change(board)] for board in boards[:PAIRS]], np.int8)
            if (pairs[:, 0] == pairs[:, 1]).all((1, 2)).any():
                continue
            givens = {"input": boards[-1], "examples": pairs}
            answer = change(boards[-1]).ravel()
            puzzle = Puzzle(task.name, height, width, givens, answer)
            # What the simplest explanation of the pairs says must be all, and right.
            told = {cell for factor in task.factors(puzzle) for (cell,) in factor.scopes.tolist()}
            if len(told) == puzzle.cells and not task.violations(puzzle, answer):
                yield puzzle


def scattered(height: int, width: int, rng: np.random.Generator) -> np.ndarray:
    """Coloured cells on a background, some of them in company."""
    board = rng.integers(1, COLOURS, (height, width)) * (rng.random((height, width)) < 0.25)
    top, left = rng.integers(height - 1), rng.integers(width - 1)
    board[top : top + 2, left : left + 2] = rng.integers(1, COLOURS)
    return board.astype(np.int8)


def transformation(rng: np.random.Generator) -> Transformation:
    """One of four kinds, and behind it perhaps other colours."""
    kinds = [lambda board: board, _shift(rng), _outline(rng), _alone_goes]
    number = int(rng.integers(len(kinds)))
    recolour = _recolour(rng) if number == 0 or rng.random() < 0.5 else (lambda board: board)
    return lambda board: recolour(kinds[number](board)).astype(np.int8)


def _recolour(rng: np.random.Generator) -> Transformation:
    names = np.concatenate([[0], 1 + rng.permutation(COLOURS - 1)])
    return lambda board: names[board]


def _shift(rng: np.random.Generator) -> Transformation:
    step = AROUND[rng.integers(len(AROUND))]
    return lambda board: colour_at(board, step) % COLOURS


def _outline(rng: np.random.Generator) -> Transformation:
    colour, steps = int(rng.integers(1, COLOURS)), (BESIDE, AROUND)[rng.integers(2)]

    def outline(board: np.ndarray) -> np.ndarray:
        near = np.zeros(board.shape, bool)
        for step in steps:
            near |= colour_at(board, step) % COLOURS > 0
        return np.where((board == 0) & near, colour, board)

    return outline


def _alone_goes(board: np.ndarray) -> np.ndarray:
    """Cells with none of their colour beside them become background."""
    company = np.zeros(board.shape, bool)
    for step in BESIDE:
        company |= colour_at(board, step) == board
    return np.where(company, board, 0)
