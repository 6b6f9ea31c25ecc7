"""9x9 Sudoku puzzles in bulk: minimal, unique, as hard as asked for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from jaxtyping import Int

from erm.data.sudoku_hard import climb
from erm.data.sudoku_minimal import minimal_puzzles
from erm.errors import InputError

Batch = tuple[Int[np.ndarray, "n 81"], Int[np.ndarray, "n 81"], Int[np.ndarray, " n"]]
"""Puzzles with 0 for empty cells, their solutions, and the guesses they need."""

TRIES_A_UNIT = 500
LINEAGE_SHARE = 16
"""Puzzles that one lineage may give: its members are relatives, so more would be alike."""
HARD_BAR = 100
"""Guesses that hard puzzles need at least; Sudoku-Extreme's median is about 170."""


def sudoku_unit(rng: np.random.Generator, min_guesses: int, hard: bool) -> Batch:
    """One unit of work: a batch of random minimal puzzles, or one lineage of hard ones."""
    if hard:
        return climb(rng, max(min_guesses, 1), LINEAGE_SHARE)
    return minimal_puzzles(rng, TRIES_A_UNIT, min_guesses)


def unit_rng(seed: int, unit: int) -> np.random.Generator:
    """The randomness of one unit of work, the same whichever process does it."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(unit,)))


def sudoku_units(seed: int, min_guesses: int, hard: bool) -> Iterator[Batch]:
    unit = 0
    while True:
        yield sudoku_unit(unit_rng(seed, unit), min_guesses, hard)
        unit += 1


def generate_sudoku(
    count: int, seed: int = 0, min_guesses: int | None = None, hard: bool = False
) -> Batch:
    """Minimal, uniquely solvable puzzles, no two the same, that need at least so many guesses.

    `hard` climbs by mutation (bar 100 unless told otherwise); else random minimal puzzles
    are filtered, which is fast up to about 30 guesses.
    """
    if count < 1:
        raise InputError(f"the number of puzzles must be 1 or more, got {count}")
    if min_guesses is None:
        min_guesses = HARD_BAR if hard else 0
    if min_guesses < 0:
        raise InputError(f"min_guesses must be 0 or more, got {min_guesses}")
    seen: set[bytes] = set()
    batches: list[Batch] = []
    for puzzles, solutions, guesses in sudoku_units(seed, min_guesses, hard):
        fresh = []
        for i, puzzle in enumerate(puzzles):
            if len(seen) < count and (key := puzzle.tobytes()) not in seen:
                seen.add(key)
                fresh.append(i)
        batches.append((puzzles[fresh], solutions[fresh], guesses[fresh]))
        if len(seen) == count:
            break
    puzzles, solutions, guesses = zip(*batches, strict=True)
    return np.concatenate(puzzles), np.concatenate(solutions), np.concatenate(guesses)
