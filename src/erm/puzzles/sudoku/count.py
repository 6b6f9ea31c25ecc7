"""How many solutions Sudokus have: runs of 9x9 boards in bulk, others one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, islice

import numpy as np

from erm.puzzles.sudoku.sides import UNDECIDED, solve_side
from erm.puzzles.sudoku.solver import SIDE, solve_many
from erm.types import Puzzle

BATCH = 256


def count_solutions(puzzles: Sequence[Puzzle]) -> Iterator[int | None]:
    """Of each puzzle 0, 1 or 2 for more; None where the solver gave up."""
    for side, alike in groupby(puzzles, lambda puzzle: puzzle.height):
        if side != SIDE:
            for puzzle in alike:
                solutions = solve_side(puzzle.givens["digits"])[1]
                yield None if solutions == UNDECIDED else solutions
            continue
        while batch := list(islice(alike, BATCH)):
            boards = np.stack([puzzle.givens["digits"].ravel() for puzzle in batch])
            yield from solve_many(boards)[1].tolist()
