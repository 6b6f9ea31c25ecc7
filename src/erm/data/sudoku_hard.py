"""Really hard Sudokus: lineages of minimal puzzles that climb by mutation, then start afresh."""

from __future__ import annotations

import numpy as np
from numba import njit

from erm.data.sudoku_minimal import (
    DIGITS,
    below,
    guesses_of,
    minimise,
    random_grid,
    random_solution,
    shuffle,
)
from erm.data.sudoku_solver import CELLS, MOST_GUESSES, load_board, scratch, search

STARTS = 100
"""Random minimal puzzles of which a lineage takes the hardest: a tenth of a climb, saved."""
MUTATIONS = 6000
"""A lineage that has not filled its share by then is given up."""
DRIFT = 0.3
"""How often a mutation moves to another solution grid: more is slower, less is less varied."""


@njit(cache=True, nogil=True)
def _make_unique(rng, clues, grid, work):
    """Add clues of the grid, each where another solution disagrees, until there is none."""
    while True:
        load_board(work[0][0], clues)
        if search(work, 2, MOST_GUESSES, DIGITS)[0] == 1:
            return
        other = work[3][0] if (work[3][0] != grid).any() else work[3][1]
        cells = np.flatnonzero(other != grid)
        cell = cells[below(rng, len(cells))]
        clues[cell] = grid[cell]


@njit(cache=True, nogil=True)
def mutate(rng, clues, grid, drift, work):
    """Drop one to three clues, add as many of the solution, repair uniqueness, minimise.

    With probability `drift` the solution moves on to another one of what is left.
    """
    cells = np.flatnonzero(clues)
    shuffle(rng, cells)
    dropped = 1 + below(rng, 3)
    for cell in cells[:dropped]:
        clues[cell] = 0
    if rng.random() < drift:
        random_solution(rng, clues, grid, work)
    for _ in range(dropped):
        cell = below(rng, CELLS)
        clues[cell] = grid[cell]
    _make_unique(rng, clues, grid, work)
    minimise(rng, clues, work)


@njit(cache=True, nogil=True)
def _hardest_start(rng, tries, clues, grid, work):
    """Write the hardest of some random minimal puzzles with its solution; its guesses."""
    level = -1
    candidate, solution = clues.copy(), grid.copy()
    for _ in range(tries):
        random_grid(rng, solution, work)
        candidate[:] = solution
        minimise(rng, candidate, work)
        reached = guesses_of(candidate, work)
        if reached > level:
            clues[:], grid[:], level = candidate, solution, reached
    return level


@njit(cache=True, nogil=True)
def climb(rng, least_guesses, most, mutations=MUTATIONS, drift=DRIFT):
    """One lineage: every puzzle it accepts that needs enough guesses, at most `most` of them.

    It climbs to a floor of its own, from the bar to about three times the bar, so that many
    lineages together cover easy and hard ones; above the floor it walks freely.
    """
    work = scratch()
    puzzles = np.zeros((most, CELLS), np.uint8)
    grids = np.zeros((most, CELLS), np.uint8)
    guesses = np.zeros(most, np.int64)
    clues, grid = np.zeros(CELLS, np.uint8), np.zeros(CELLS, np.uint8)
    level = _hardest_start(rng, STARTS, clues, grid, work)
    floor = least_guesses * 2.0 ** (1.5 * rng.random())
    kept = 0
    for _ in range(mutations):
        if kept == most:
            break
        mutant, solution = clues.copy(), grid.copy()
        mutate(rng, mutant, solution, drift, work)
        reached = guesses_of(mutant, work)
        if reached < min(level, floor) or (mutant == clues).all():
            continue
        clues, grid, level = mutant, solution, reached
        if level >= least_guesses:
            puzzles[kept], grids[kept], guesses[kept] = clues, grid, level
            kept += 1
    return puzzles[:kept], grids[:kept], guesses[:kept]
