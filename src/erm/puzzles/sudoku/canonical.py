"""A hash that all symmetric versions of a Sudoku share.

Colours of cells are refined as in the test of Weisfeiler and Leman: a line, a box and a digit take
the sum of their cells' colours, a cell the colours of its two lines, its box and its digit. Sums
do not depend on the order of lines or on the names of digits. That is done once for the board and
once more for each clue with a colour of its own. Boards that differ may share a hash, but no such
pair is known; versions of one board never differ.
"""

from __future__ import annotations

from typing import no_type_check

import numpy as np
from jaxtyping import Integer

from erm.puzzles.sudoku.boxes import BOX_SHAPES
from erm.rulebook.kernel import kernel

ROUNDS = 3
"""Of the refinement, for the board and again for each clue."""


def canonical_sudoku(digits: Integer[np.ndarray, "n n"]) -> Integer[np.ndarray, " one"]:
    """The hash of a board with 0 for empty cells."""
    board = np.ascontiguousarray(digits, np.uint8)
    return np.array([_hash(board, *BOX_SHAPES[len(board)])], np.uint64)


@kernel
@no_type_check
def _mix(number):
    """The finaliser of splitmix64, with a step before it so that 0 is mixed, too."""
    number = np.uint64(number) + np.uint64(0x9E3779B97F4A7C15)
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@kernel
@no_type_check
def _hash(board, height, width):
    side = len(board)
    plain = (board > 0).astype(np.uint64)
    total = _mix(side) + _refine(board, height, width, plain)
    colours = np.empty_like(plain)
    for row in range(side):
        for column in range(side):
            if board[row, column]:
                colours[:] = plain
                colours[row, column] = np.uint64(2)
                total += _mix(_refine(board, height, width, colours))
    return _mix(total)


@kernel
@no_type_check
def _refine(board, height, width, colours):
    """Refine the colours of cells in place; their sum."""
    side = len(board)
    for _ in range(ROUNDS):
        rows, columns = np.zeros(side, np.uint64), np.zeros(side, np.uint64)
        boxes, names = np.zeros(side, np.uint64), np.zeros(side + 1, np.uint64)
        bands, stacks = np.zeros(side, np.uint64), np.zeros(side, np.uint64)
        for i in range(side):
            for j in range(side):
                colour = _mix(colours[i, j])
                rows[i] += colour
                columns[j] += colour
                boxes[i // height * (side // width) + j // width] += colour
                names[board[i, j]] += colour
        for i in range(side):
            bands[i // height] += _mix(rows[i])
            stacks[i // width] += _mix(columns[i])
        for i in range(side):
            rows[i] = _mix(rows[i] + _mix(bands[i // height]))
            columns[i] = _mix(columns[i] + _mix(stacks[i // width]))
            if height != width:  # else transposition exchanges rows and columns
                columns[i] = _mix(columns[i])
            boxes[i] = _mix(_mix(_mix(boxes[i])))
            names[i + 1] = _mix(_mix(_mix(_mix(names[i + 1]))))
        names[0] = np.uint64(0)  # empty cells have no digit in common
        for i in range(side):
            for j in range(side):
                units = rows[i] + columns[j] + boxes[i // height * (side // width) + j // width]
                colours[i, j] = _mix(_mix(colours[i, j]) + _mix(units + names[board[i, j]]))
    total = np.uint64(0)
    for i in range(side):
        for j in range(side):
            total += _mix(colours[i, j])
    return total
