"""Random symmetric forms of Sudokus."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from erm.tasks.sudoku import BOX_SHAPES
from erm.types import Puzzle


def random_symmetry(puzzle: Puzzle, rng: np.random.Generator) -> Puzzle:
    if puzzle.task != "sudoku":
        return puzzle
    side = puzzle.height
    height, width = BOX_SHAPES[side]
    names = np.concatenate([[0], rng.permutation(side) + 1]).astype(np.int8)
    rows, columns = _lines(side, height, rng), _lines(side, width, rng)
    turn = height == width and rng.random() < 0.5

    def move(board: np.ndarray) -> np.ndarray:
        board = names[board.reshape(side, side)][rows][:, columns]
        return np.ascontiguousarray(board.T if turn else board)

    answer = None if puzzle.answer is None else move(puzzle.answer).ravel()
    return replace(puzzle, givens={"digits": move(puzzle.givens["digits"])}, answer=answer)


def _lines(side: int, size: int, rng: np.random.Generator) -> np.ndarray:
    bands = rng.permutation(side // size)
    return np.concatenate([band * size + rng.permutation(size) for band in bands])
