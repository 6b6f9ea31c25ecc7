"""Sudokus of 4x4, 6x6, 9x9 and 16x16 on one plain solver: candidates as a bit mask a cell.

9x9 in bulk is the business of `solver`, many times faster; tests hold the two together.
"""

from __future__ import annotations

from functools import cache
from typing import no_type_check

import numpy as np
from jaxtyping import Integer

from erm.grid import members
from erm.puzzles.generators import below, shuffle
from erm.puzzles.sudoku.boxes import units
from erm.rulebook.kernel import kernel

CONTRADICTION, SOLVED, OPEN = 0, 1, 2
GRID_GUESSES = 1000
"""A random grid that takes longer to fill is begun afresh."""
SPARE_GUESSES = 500
"""A clue that is not shown to be spare by then is kept; only 16x16 boards get there."""
MOST_GUESSES = 200_000
UNDECIDED = 3


@cache
def unit_cells(side: int) -> Integer[np.ndarray, "u s"]:
    """The cells of every row, column and box."""
    return np.array([cells for group in units(side) for cells in members(group)], np.int64)


@kernel
@no_type_check
def _propagate(masks, cells_of):
    """Naked and hidden singles to their fixed point: CONTRADICTION, SOLVED or OPEN."""
    changed = True
    while changed:
        changed = False
        for unit in range(len(cells_of)):
            once, twice, fixed = 0, 0, 0
            for cell in cells_of[unit]:
                mask = masks[cell]
                if mask & (mask - 1) == 0:
                    if mask & fixed or mask == 0:
                        return CONTRADICTION
                    fixed |= mask
                twice |= once & mask
                once |= mask
            if once != (1 << cells_of.shape[1]) - 1:
                return CONTRADICTION
            hidden = once & ~twice
            for cell in cells_of[unit]:
                mask = masks[cell]
                if mask & (mask - 1):
                    kept = mask & ~fixed
                    only = kept & hidden
                    if only & (only - 1):
                        return CONTRADICTION
                    if only:
                        kept = only
                    if kept != mask:
                        masks[cell] = kept
                        changed = True
    for mask in masks:
        if mask & (mask - 1):
            return OPEN
    return SOLVED


@kernel
@no_type_check
def _first_smallest(masks):
    best, fewest = -1, 99
    for cell in range(len(masks)):
        count, mask = 0, masks[cell]
        while mask:
            mask &= mask - 1
            count += 1
        if 1 < count < fewest:
            best, fewest = cell, count
    return best


@kernel
@no_type_check
def _search(stack, cells_of, most_solutions, most_guesses, shifts, found):
    """(solutions, guesses) below `stack[0]`; a search cut short counts as UNDECIDED solutions.

    At depth d digits are tried in turn from `shifts[d]` on; the first solution is left in
    `found` as masks.
    """
    side = cells_of.shape[1]
    at = np.empty(side * side + 1, np.int64)
    tried = np.zeros(side * side + 1, np.int64)
    solutions, guesses, depth = 0, 0, 0
    status = _propagate(stack[0], cells_of)
    if status == SOLVED:
        found[:] = stack[0]
        return 1, 0
    if status == CONTRADICTION:
        return 0, 0
    at[0] = _first_smallest(stack[0])
    while depth >= 0:
        k = tried[depth]
        while k < side and not stack[depth, at[depth]] >> ((k + shifts[depth]) % side) & 1:
            k += 1
        if k == side:
            depth -= 1
            continue
        tried[depth] = k + 1
        if guesses == most_guesses:
            return UNDECIDED, guesses
        guesses += 1
        stack[depth + 1] = stack[depth]
        stack[depth + 1, at[depth]] = 1 << ((k + shifts[depth]) % side)
        status = _propagate(stack[depth + 1], cells_of)
        if status == SOLVED:
            solutions += 1
            if solutions == 1:
                found[:] = stack[depth + 1]
            if solutions == most_solutions:
                break
        elif status == OPEN:
            depth += 1
            at[depth] = _first_smallest(stack[depth])
            tried[depth] = 0
    return solutions, guesses


@kernel
@no_type_check
def _load(masks, clues, side):
    for cell in range(len(masks)):
        masks[cell] = 1 << (clues[cell] - 1) if clues[cell] else (1 << side) - 1


@kernel
@no_type_check
def _read(masks, digits):
    for cell in range(len(masks)):
        digits[cell] = 0
        while masks[cell] >> digits[cell]:
            digits[cell] += 1


@kernel
@no_type_check
def _minimal(rng, cells_of):
    """A random grid and what is left of it when spare clues are dropped in a random order."""
    side = cells_of.shape[1]
    cells = np.arange(side * side)
    stack = np.empty((side * side + 1, side * side), np.int64)
    shifts = np.zeros(side * side + 1, np.int64)
    found = np.zeros(side * side, np.int64)
    clues, grid = np.zeros(side * side, np.uint8), np.zeros(side * side, np.uint8)
    while True:
        for depth in range(len(shifts)):
            shifts[depth] = below(rng, side)
        _load(stack[0], clues, side)
        if _search(stack, cells_of, 1, GRID_GUESSES, shifts, found)[0] == 1:
            break
    _read(found, grid)
    clues[:] = grid
    shuffle(rng, cells)
    for cell in cells:
        clues[cell] = 0
        _load(stack[0], clues, side)
        stack[0, cell] &= ~(1 << (grid[cell] - 1))
        if _search(stack, cells_of, 1, SPARE_GUESSES, shifts, found)[0]:
            clues[cell] = grid[cell]
    return clues, grid


@kernel
@no_type_check
def _solve(clues, cells_of, digits):
    side = cells_of.shape[1]
    stack = np.empty((side * side + 1, side * side), np.int64)
    found = np.zeros(side * side, np.int64)
    _load(stack[0], clues, side)
    shifts = np.zeros(side * side + 1, np.int64)
    solutions, guesses = _search(stack, cells_of, 2, MOST_GUESSES, shifts, found)
    _read(found, digits)
    return solutions, guesses


def solve_side(
    digits: Integer[np.ndarray, "n n"],
) -> tuple[Integer[np.ndarray, " cells"], int, int]:
    """A solution (zeros where none), how many (0, 1, 2 for more, UNDECIDED), and the guesses."""
    clues = np.ascontiguousarray(digits, np.uint8).ravel()
    solution = np.zeros_like(clues)
    solutions, guesses = _solve(clues, unit_cells(len(digits)), solution)
    return solution, int(solutions), int(guesses)


def generate_side(
    side: int, rng: np.random.Generator
) -> tuple[Integer[np.ndarray, " cells"], Integer[np.ndarray, " cells"]]:
    """A unique puzzle and its solution; minimal up to 9x9, nearly so on 16x16."""
    return _minimal(rng, unit_cells(side))
