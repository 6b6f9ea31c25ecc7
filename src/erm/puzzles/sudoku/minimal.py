"""Random Sudoku grids and minimal puzzles: unique, and no clue can be spared."""

from __future__ import annotations

from typing import no_type_check

import numpy as np

from erm.puzzles.shuffling import shuffle
from erm.puzzles.sudoku.solver import CELLS, MOST_GUESSES, load_board, scratch, search
from erm.rulebook.kernel import kernel

DIGITS = np.arange(9)


@kernel
@no_type_check
def random_solution(rng, clues, grid, work):
    """Write some solution of the clues, its digits tried in a random order; there must be one."""
    load_board(work[0][0], clues)
    order = np.arange(9)
    shuffle(rng, order)
    search(work, 1, MOST_GUESSES, order)
    grid[:] = work[3][0]


@kernel
@no_type_check
def random_grid(rng, grid, work):
    """A full grid: random diagonal boxes, completed in a random order."""
    clues = np.zeros(CELLS, np.uint8)
    digits = np.arange(1, 10)
    for box in range(3):
        shuffle(rng, digits)
        for k in range(9):
            clues[(3 * box + k // 3) * 9 + 3 * box + k % 3] = digits[k]
    random_solution(rng, clues, grid, work)


@kernel
@no_type_check
def is_spare(clues, cell, work):
    """Whether a unique puzzle stays unique without the clue at that cell.

    Any further solution must differ at that very cell, or the puzzle was not unique with the
    clue, so one search with its digit forbidden there decides.
    """
    digit = clues[cell]
    clues[cell] = 0
    load_board(work[0][0], clues)
    clues[cell] = digit
    work[0][0, 3 * (digit - 1) + cell // 27] &= ~(1 << (cell % 27))
    return search(work, 1, MOST_GUESSES, DIGITS)[0] == 0


@kernel
@no_type_check
def minimise(rng, clues, among, work):
    """Drop spare clues of a unique puzzle among some cells, in a random order."""
    cells = np.flatnonzero((clues > 0) & among)
    shuffle(rng, cells)
    for cell in cells:
        if is_spare(clues, cell, work):
            clues[cell] = 0


@kernel
@no_type_check
def guesses_of(clues, work):
    """Digits tried until the uniqueness of the puzzle is proved."""
    load_board(work[0][0], clues)
    return search(work, 2, MOST_GUESSES, DIGITS)[1]


@kernel
@no_type_check
def minimal_puzzles(rng, tries, least_guesses):
    """Those of a number of random minimal puzzles that need enough guesses."""
    work = scratch()
    puzzles = np.zeros((tries, CELLS), np.uint8)
    grids = np.zeros((tries, CELLS), np.uint8)
    guesses = np.zeros(tries, np.int64)
    kept = 0
    for _ in range(tries):
        random_grid(rng, grids[kept], work)
        puzzles[kept] = grids[kept]
        minimise(rng, puzzles[kept], puzzles[kept] > 0, work)
        guesses[kept] = guesses_of(puzzles[kept], work)
        kept += guesses[kept] >= least_guesses
    return puzzles[:kept], grids[:kept], guesses[:kept]
