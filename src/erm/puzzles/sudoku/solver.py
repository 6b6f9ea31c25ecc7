"""Exact 9x9 Sudoku in numba: naked and hidden singles, then a guess at the first smallest cell.

A board is a row of 27 words: `board[3 * digit + band]` holds, as 27 bits, the cells of that
band (three rows) that may still take the digit. Words 27 to 29 hold the cells that are decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import no_type_check

import numpy as np
from jaxtyping import Integer

from erm.errors import InputError
from erm.puzzles.sudoku.boxes import units
from erm.puzzles.sudoku.sides import UNDECIDED, solve_side
from erm.rulebook.kernel import kernel
from erm.types import Puzzle

SIDE = 9
CELLS = SIDE * SIDE
WORDS = 30
DECIDED = 27
BAND = (1 << 27) - 1
ROW = 511
BOX = 0b111_000000_111_000000_111
CONTRADICTION, SOLVED, OPEN = 0, 1, 2
MOST_GUESSES = 10_000_000


def _peers() -> Integer[np.ndarray, "81 3"]:
    masks = np.zeros((CELLS, 3), np.int64)
    for cell in range(CELLS):
        peer = (units(SIDE) == units(SIDE)[:, [cell]]).any(0)
        peer[cell] = False
        for other in np.flatnonzero(peer):
            masks[cell, other // 27] |= 1 << int(other % 27)
    return masks


def _bit_index() -> Integer[np.ndarray, " 37"]:
    """Index of the one set bit: 2**k mod 37 differs for every k below 36."""
    table = np.zeros(37, np.int64)
    for k in range(27):
        table[(1 << k) % 37] = k
    return table


PEERS = _peers()
BIT_INDEX = _bit_index()


@kernel
@no_type_check
def _decide(board, digit, band, bit):
    """Write the digit into the cell: no other digit there, the digit at none of its peers."""
    cell = 27 * band + BIT_INDEX[bit % 37]
    for other in range(9):
        board[3 * other + band] &= ~bit
    for k in range(3):
        board[3 * digit + k] &= ~PEERS[cell, k]
    board[3 * digit + band] |= bit
    board[DECIDED + band] |= bit


@kernel
@no_type_check
def _naked_singles(board):
    """Decide cells with one digit left; CONTRADICTION, or whether any was decided."""
    found = SOLVED
    for band in range(3):
        once, twice = 0, 0
        for digit in range(9):
            word = board[3 * digit + band]
            twice |= once & word
            once |= word
        if once != BAND:
            return CONTRADICTION
        singles = once & ~twice & ~board[DECIDED + band]
        while singles:
            bit = singles & -singles
            singles ^= bit
            digit = 0
            while digit < 9 and not board[3 * digit + band] & bit:
                digit += 1
            if digit == 9:
                return CONTRADICTION
            _decide(board, digit, band, bit)
            found = OPEN
    return found


@kernel
@no_type_check
def _hidden_singles(board):
    """Decide digits with one place left in a unit; CONTRADICTION, or whether any was decided."""
    found = SOLVED
    for digit in range(9):
        once, twice = 0, 0
        hidden = (0, 0, 0)
        for band in range(3):
            word = board[3 * digit + band]
            single = 0
            for k in range(3):
                row = (word >> (9 * k)) & ROW
                if row == 0:
                    return CONTRADICTION
                if row & (row - 1) == 0:
                    single |= row << (9 * k)
                box = word & (BOX << (3 * k))
                if box == 0:
                    return CONTRADICTION
                if box & (box - 1) == 0:
                    single |= box
                twice |= once & row
                once |= row
            if band == 0:
                hidden = (single, hidden[1], hidden[2])
            elif band == 1:
                hidden = (hidden[0], single, hidden[2])
            else:
                hidden = (hidden[0], hidden[1], single)
        if once != ROW:
            return CONTRADICTION
        column = once & ~twice
        column |= column << 9 | column << 18
        for band in range(3):
            word = board[3 * digit + band]
            singles = (hidden[band] | word & column) & ~board[DECIDED + band]
            while singles:
                bit = singles & -singles
                singles ^= bit
                if not board[3 * digit + band] & bit:
                    return CONTRADICTION
                _decide(board, digit, band, bit)
                found = OPEN
    return found


@kernel
@no_type_check
def propagate(board):
    """Singles to their fixed point: CONTRADICTION, SOLVED or OPEN."""
    while True:
        naked = _naked_singles(board)
        if naked == CONTRADICTION:
            return CONTRADICTION
        if naked == OPEN:
            continue
        hidden = _hidden_singles(board)
        if hidden == CONTRADICTION:
            return CONTRADICTION
        if hidden == OPEN:
            continue
        decided = board[DECIDED] & board[DECIDED + 1] & board[DECIDED + 2]
        return SOLVED if decided == BAND else OPEN


@kernel
@no_type_check
def first_smallest(board):
    """The first undecided cell, in reading order, among those with the fewest digits left."""
    at_least = np.zeros((10, 3), np.int64)
    for band in range(3):
        at_least[0, band] = BAND & ~board[DECIDED + band]
        for digit in range(9):
            word = board[3 * digit + band] & at_least[0, band]
            for k in range(min(digit + 1, 9), 0, -1):
                at_least[k, band] |= at_least[k - 1, band] & word
    for k in range(2, 10):
        for band in range(3):
            exactly = at_least[k, band]
            if k < 9:
                exactly &= ~at_least[k + 1, band]
            if exactly:
                return 27 * band + BIT_INDEX[(exactly & -exactly) % 37]
    return -1


@kernel
@no_type_check
def load_board(board, clues):
    """Write the clues (0 for empty) on an empty board; False when two of them clash."""
    board[:DECIDED] = BAND
    board[DECIDED:] = 0
    for cell in range(CELLS):
        if clues[cell]:
            band, bit = cell // 27, 1 << (cell % 27)
            if not board[3 * (clues[cell] - 1) + band] & bit:
                return False
            _decide(board, clues[cell] - 1, band, bit)
    return True


@kernel
@no_type_check
def read_board(board, grid):
    for band in range(3):
        for digit in range(9):
            word = board[3 * digit + band]
            while word:
                bit = word & -word
                word ^= bit
                grid[27 * band + BIT_INDEX[bit % 37]] = digit + 1


@kernel
@no_type_check
def scratch():
    """What `search` works in: a board a depth, what is tried there, where, and what it found."""
    return (
        np.empty((CELLS + 1, WORDS), np.int64),
        np.empty(CELLS + 1, np.int64),
        np.empty(CELLS + 1, np.int64),
        np.zeros((2, CELLS), np.uint8),
    )


@kernel
@no_type_check
def search(work, most_solutions, most_guesses, order):
    """Depth-first search below the first board of `work`: (solutions, guesses) up to the limits.

    The solutions are left in `work[3]`; at each branching cell the digits, which count from
    0, are tried in the order given.
    """
    stack, tried, at, found = work
    solutions, guesses = 0, 0
    status = propagate(stack[0])
    if status == SOLVED:
        read_board(stack[0], found[0])
        return 1, 0
    if status == CONTRADICTION:
        return 0, 0
    depth = 0
    at[0] = first_smallest(stack[0])
    tried[0] = 0
    while depth >= 0:
        cell = at[depth]
        band, bit = cell // 27, 1 << (cell % 27)
        k = tried[depth]
        while k < 9 and not stack[depth, 3 * order[k] + band] & bit:
            k += 1
        if k == 9:
            depth -= 1
            continue
        tried[depth] = k + 1
        if guesses == most_guesses:
            break
        guesses += 1
        child = stack[depth + 1]
        child[:] = stack[depth]
        _decide(child, order[k], band, bit)
        status = propagate(child)
        if status == SOLVED:
            read_board(child, found[solutions])
            solutions += 1
            if solutions == most_solutions:
                break
        elif status == OPEN:
            depth += 1
            at[depth] = first_smallest(child)
            tried[depth] = 0
    return solutions, guesses


@kernel
@no_type_check
def _search_many(puzzles, most_solutions, most_guesses):
    work = scratch()
    order = np.arange(9)
    grids = np.zeros((len(puzzles), CELLS), np.uint8)
    solutions = np.zeros(len(puzzles), np.int64)
    guesses = np.zeros(len(puzzles), np.int64)
    for i in range(len(puzzles)):
        if load_board(work[0][0], puzzles[i]):
            solutions[i], guesses[i] = search(work, most_solutions, most_guesses, order)
            if solutions[i]:
                grids[i] = work[3][0]
    return grids, solutions, guesses


def _checked(puzzles: np.ndarray) -> Integer[np.ndarray, "n 81"]:
    puzzles = np.asarray(puzzles)
    if puzzles.ndim != 2 or puzzles.shape[1] != CELLS:
        raise InputError(f"Sudoku boards come as an array [n, 81], got {list(puzzles.shape)}")
    if puzzles.size and (puzzles.min() < 0 or puzzles.max() > 9):
        raise InputError("Sudoku boards hold 0 (empty) to 9")
    return np.ascontiguousarray(puzzles, np.uint8)


def solve_many(
    puzzles: np.ndarray,
) -> tuple[Integer[np.ndarray, "n 81"], Integer[np.ndarray, " n"], Integer[np.ndarray, " n"]]:
    """The first solution of each board [n, 81] (zeros where there is none), how many there are
    (0, 1 or 2 for more) and how many digits are guessed to know that, the measure of difficulty."""
    return _search_many(_checked(puzzles), 2, MOST_GUESSES)


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
