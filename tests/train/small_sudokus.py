"""Small Sudokus that train in a second."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from erm.puzzles.sudoku.rules import BOX_SHAPES


def solved(side: int, rng: np.random.Generator) -> np.ndarray:
    """A solved board: the shifted pattern with lines and digits shuffled."""
    height, width = BOX_SHAPES[side]
    row, column = np.divmod(np.arange(side * side), side)
    board = (row * width + row // height + column) % side
    rows = np.concatenate([b * height + rng.permutation(height) for b in range(side // height)])
    board = rng.permutation(side)[board].reshape(side, side)[rows]
    return board.ravel() + 1


def write_sudokus(path: Path, side: int, count: int, holes: int, seed: int = 0) -> Path:
    rng = np.random.default_rng(seed)
    with open(path, "w") as file:
        for _ in range(count):
            board = solved(side, rng)
            empty = rng.choice(side * side, holes, replace=False)
            givens = ["." if i in set(empty.tolist()) else str(d) for i, d in enumerate(board)]
            answer = "".join(map(str, board))
            line = {"task": "sudoku", "puzzle": "".join(givens), "answer": answer, "meta": {}}
            file.write(json.dumps(line) + "\n")
    return path
