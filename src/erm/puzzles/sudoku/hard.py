"""Really hard Sudokus: lineages of minimal puzzles that climb by mutation, then start afresh."""

from __future__ import annotations

from typing import no_type_check

import numpy as np

from erm.puzzles.shuffling import below, shuffle
from erm.puzzles.sudoku.minimal import DIGITS, guesses_of, minimise, random_grid, random_solution
from erm.puzzles.sudoku.solver import CELLS, MOST_GUESSES, load_board, scratch, search
from erm.rulebook.kernel import kernel

STARTS = 50
"""Random minimal puzzles of which a lineage takes the hardest, which saves a part of its climb."""
MUTATIONS = 10_000
"""A lineage that has not filled its share by then is given up."""
SLACK = 0.9
"""A lineage goes on from mutants that are nearly as hard, which gets it past most dead ends."""
TURNS = 8
"""Ways of turning a board over which its fewest guesses are taken."""
CLIMBING_DRIFT, HARVEST_DRIFT = 0.2, 0.4
"""How often a mutation moves to another solution grid, on the way up and at the top."""


@kernel
@no_type_check
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


@kernel
@no_type_check
def mutate(rng, clues, grid, drift, work):
    """Drop one to three clues, add as many of the solution, repair uniqueness, minimise.

    Small steps and old clues are preferred: four in a hundred such mutants are nearly as hard
    as their parent, one in a hundred of the others. With probability `drift` one dropped clue
    lets the solution move on to another.
    """
    cells = np.flatnonzero(clues)
    shuffle(rng, cells)
    drifts = rng.random() < drift
    dropped = 1 if drifts else 1 + below(rng, 1 + below(rng, 3))
    for cell in cells[:dropped]:
        clues[cell] = 0
    fresh = clues == 0
    if drifts:
        random_solution(rng, clues, grid, work)
    for _ in range(dropped):
        cell = below(rng, CELLS)
        clues[cell] = grid[cell]
    _make_unique(rng, clues, grid, work)
    minimise(rng, clues, fresh, work)
    minimise(rng, clues, ~fresh, work)


@kernel
@no_type_check
def _turn(rng, clues, turned):
    """Write the same board with rows, columns, bands and stacks in another order."""
    places = np.empty((2, 9), np.int64)
    for side in range(2):
        blocks, lines = np.arange(3), np.arange(3)
        shuffle(rng, blocks)
        for block in range(3):
            shuffle(rng, lines)
            for line in range(3):
                places[side, 3 * block + line] = 3 * blocks[block] + lines[line]
    flipped = rng.random() < 0.5
    for row in range(9):
        for column in range(9):
            cell = 9 * places[0, row] + places[1, column]
            turned[9 * column + row if flipped else 9 * row + column] = clues[cell]


@kernel
@no_type_check
def hardness(rng, clues, bar, work):
    """The fewest guesses over some turns of the board; fewer than `bar` as soon as that is known.

    One order of cells may need hundreds of guesses by bad luck where another needs three: what
    climbs by one order finds just that.
    """
    fewest = guesses_of(clues, work)
    turned = np.empty_like(clues)
    for _ in range(TURNS):
        if fewest < bar:
            break
        _turn(rng, clues, turned)
        fewest = min(fewest, guesses_of(turned, work))
    return fewest


@kernel
@no_type_check
def _hardest_start(rng, tries, clues, grid, work):
    """Write the hardest of some random minimal puzzles with its solution; its guesses."""
    level = -1
    candidate, solution = clues.copy(), grid.copy()
    for _ in range(tries):
        random_grid(rng, solution, work)
        candidate[:] = solution
        minimise(rng, candidate, candidate > 0, work)
        reached = hardness(rng, candidate, level, work)
        if reached > level:
            clues[:], grid[:], level = candidate, solution, reached
    return level


@kernel
@no_type_check
def climb(rng, bar, most):
    """One lineage: the puzzles it meets that are hard enough, at most `most` of them.

    It climbs to a floor of its own, from the bar to twice the bar, so that many lineages
    together cover hard and very hard ones; every mutant that reaches the bar counts.
    """
    work = scratch()
    puzzles = np.zeros((most, CELLS), np.uint8)
    grids = np.zeros((most, CELLS), np.uint8)
    guesses = np.zeros(most, np.int64)
    clues, grid = np.zeros(CELLS, np.uint8), np.zeros(CELLS, np.uint8)
    level = _hardest_start(rng, STARTS, clues, grid, work)
    floor = bar * 2.0 ** rng.random()
    kept = 0
    for _ in range(MUTATIONS):
        if kept == most:
            break
        mutant, solution = clues.copy(), grid.copy()
        mutate(rng, mutant, solution, HARVEST_DRIFT if level >= floor else CLIMBING_DRIFT, work)
        if (mutant == clues).all():
            continue
        goes_on = min(SLACK * level, floor)
        reached = hardness(rng, mutant, min(goes_on, bar), work)
        if reached >= bar:
            puzzles[kept], grids[kept] = mutant, solution
            guesses[kept] = guesses_of(mutant, work)
            kept += 1
        if reached >= goes_on:
            clues, grid, level = mutant, solution, reached
    return puzzles[:kept], grids[:kept], guesses[:kept]
