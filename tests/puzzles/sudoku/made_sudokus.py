"""Sudokus as arrays, from the units of work that `erm data sudoku` is made of."""

from __future__ import annotations

from itertools import count as numbers_from

import numpy as np

from erm.puzzles.sudoku.generate import Batch, sudoku_unit
from erm.rulebook.generator import unit_rng


def made_sudokus(count: int, seed: int, min_guesses: int = 0, hard: bool = False) -> Batch:
    """Puzzles, no two the same, with their solutions and the guesses they need."""
    rows: dict[bytes, tuple[np.ndarray, np.ndarray, int]] = {}
    for unit in numbers_from():
        batch = sudoku_unit(unit_rng(seed, unit), min_guesses, hard)
        rows |= {row[0].tobytes(): row for row in zip(*batch, strict=True)}
        if len(rows) >= count:
            break
    puzzles, solutions, guesses = zip(*list(rows.values())[:count], strict=True)
    return np.stack(puzzles), np.stack(solutions), np.array(guesses)
