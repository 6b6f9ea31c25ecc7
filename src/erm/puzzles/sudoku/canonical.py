"""The form that all symmetric versions of a Sudoku share: the lexicographically smallest."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import no_type_check

import numpy as np
from jaxtyping import Integer

from erm.puzzles.sudoku.boxes import BOX_SHAPES
from erm.rulebook.kernel import kernel

UNSEEN = 255


def canonical_sudoku(digits: Integer[np.ndarray, "n n"]) -> Integer[np.ndarray, " cells"]:
    """The smallest board, read row by row with 0 for empty, among all symmetric versions."""
    side = len(digits)
    height, width = BOX_SHAPES[side]
    board = np.ascontiguousarray(digits, np.uint8)
    turned = np.ascontiguousarray(board.T) if height == width else board[:0]
    return _smallest(board, turned, height, width, _orders(side // width), _orders(width))


@cache
def _orders(size: int) -> Integer[np.ndarray, "k s"]:
    return np.array(list(permutations(range(size))), np.int64)


@kernel
@no_type_check
def _smallest(board, turned, height, width, stack_orders, column_orders):
    """Try as first row all those that can be smallest, with all columns that make them so.

    The first row reads zeros, then 1, 2, 3, …; it is smallest when the stacks with fewest
    clues come first and, within each, its empty cells. Few orders of columns do that.
    """
    side = len(board)
    best = np.full((side, side), UNSEEN, np.uint8)
    fewest = np.full(side // width, width + 1, np.int64)
    _lower_fewest(board, width, fewest)
    _lower_fewest(turned, width, fewest)
    _try_rows(board, height, width, stack_orders, column_orders, fewest, best)
    _try_rows(turned, height, width, stack_orders, column_orders, fewest, best)
    return best.ravel()


@kernel
@no_type_check
def _compare(left, right):
    for i in range(len(left)):
        if left[i] != right[i]:
            return -1 if left[i] < right[i] else 1
    return 0


@kernel
@no_type_check
def _count_clues(row, width, counts):
    """Write the clues of a row in each stack."""
    counts[:] = 0
    for column in range(len(row)):
        if row[column]:
            counts[column // width] += 1


@kernel
@no_type_check
def _sort(counts):
    for i in range(1, len(counts)):
        for j in range(i, 0, -1):
            if counts[j] < counts[j - 1]:
                counts[j], counts[j - 1] = counts[j - 1], counts[j]


@kernel
@no_type_check
def _lower_fewest(board, width, fewest):
    """Keep the smallest of the rows' sorted counts."""
    counts = np.empty_like(fewest)
    for row in range(len(board)):
        _count_clues(board[row], width, counts)
        _sort(counts)
        if _compare(counts, fewest) < 0:
            fewest[:] = counts


@kernel
@no_type_check
def _empty_rows(board):
    empty = np.ones(len(board), np.bool_)
    for row in range(board.shape[0]):
        for column in range(board.shape[1]):
            if board[row, column]:
                empty[row] = False
    return empty


@kernel
@no_type_check
def _empty_columns(board):
    empty = np.ones(board.shape[1], np.bool_)
    for row in range(board.shape[0]):
        for column in range(board.shape[1]):
            if board[row, column]:
                empty[column] = False
    return empty


@kernel
@no_type_check
def _ascending(order, alike):
    """Whether lines that are alike stay in order: swapping them would change nothing."""
    last = -1
    for k in range(len(order)):
        if alike[order[k]]:
            if order[k] < last:
                return False
            last = order[k]
    return True


@kernel
@no_type_check
def _try_rows(board, height, width, stack_orders, column_orders, fewest, best):
    side = board.shape[1]
    stacks = side // width
    empty_columns = _empty_columns(board)
    empty_stacks = np.ones(stacks, np.bool_)
    for column in range(side):
        empty_stacks[column // width] &= empty_columns[column]
    choices = np.empty((stacks, len(column_orders)), np.int64)
    sizes = np.empty(stacks, np.int64)
    picks = np.empty(stacks, np.int64)
    columns = np.empty(side, np.int64)
    counts = np.empty(stacks, np.int64)
    ordered = np.empty(stacks, np.int64)
    work = _row_scratch(side)
    for first in range(len(board)):
        _count_clues(board[first], width, counts)
        for which in range(len(stack_orders)):
            stack_order = stack_orders[which]
            if not _ascending(stack_order, empty_stacks):
                continue
            for k in range(stacks):
                ordered[k] = counts[stack_order[k]]
            if _compare(ordered, fewest) != 0:
                continue
            for k in range(stacks):
                start = stack_order[k] * width
                sizes[k] = _choose_orders(
                    board[first, start : start + width],
                    empty_columns[start : start + width],
                    column_orders,
                    choices[k],
                )
            picks[:] = 0
            while True:
                for k in range(stacks):
                    order = column_orders[choices[k, picks[k]]]
                    for j in range(width):
                        columns[k * width + j] = stack_order[k] * width + order[j]
                _order_rows(board, height, first, columns, best, work)
                k = 0
                while k < stacks and picks[k] == sizes[k] - 1:
                    picks[k] = 0
                    k += 1
                if k == stacks:
                    break
                picks[k] += 1


@kernel
@no_type_check
def _choose_orders(cells, empty, column_orders, chosen):
    """Write which orders put a stack's empty cells first; how many there are."""
    size = 0
    for k in range(len(column_orders)):
        order = column_orders[k]
        fits = _ascending(order, empty)
        for j in range(1, len(order)):
            if cells[order[j]] == 0 and cells[order[j - 1]] > 0:
                fits = False
        if fits:
            chosen[size] = k
            size += 1
    return size


@kernel
@no_type_check
def _row_scratch(side):
    """Scratch of `_order_rows`: rows chosen, next row to try, and names of digits by depth."""
    return (
        np.zeros(side + 1, np.int64),
        np.zeros(side + 1, np.int64),
        np.zeros((side + 1, side + 1), np.uint8),
        np.zeros(side + 1, np.int64),
        np.zeros(side, np.bool_),
    )


@kernel
@no_type_check
def _order_rows(board, height, first, columns, best, work):
    """Order the rows after the first, for given columns, and keep in `best` what is smallest."""
    order, tries, names, named, used = work
    side = len(board)
    empty = _empty_rows(board)
    used[:] = False
    names[0] = 0
    named[0] = 0
    if not _take(board, first, columns, 0, best, names, named):
        return
    order[0], used[first] = first, True
    depth = 1
    tries[1] = 0
    while depth > 0:
        if depth == side or tries[depth] == side:
            depth -= 1
            used[order[depth]] = False
            continue
        row = tries[depth]
        tries[depth] += 1
        if not _may_follow(row, depth, height, order, used, empty):
            continue
        if _take(board, row, columns, depth, best, names, named):
            order[depth], used[row] = row, True
            depth += 1
            tries[depth] = 0


@kernel
@no_type_check
def _may_follow(row, depth, height, order, used, empty):
    """Bands stay together, and of rows alike for being empty only the first is tried."""
    if used[row]:
        return False
    start = row // height * height
    if depth % height:
        if start != order[depth - 1] // height * height:
            return False
    else:
        for other in range(start, start + height):
            if used[other]:
                return False
    if empty[row]:
        for other in range(start, row):
            if empty[other] and not used[other]:
                return False
    return True


@kernel
@no_type_check
def _take(board, row, columns, depth, best, names, named):
    """Read a row as the next of the form; False when it is greater than the best so far."""
    mine = names[depth + 1]
    mine[:] = names[depth]
    count = named[depth]
    smaller = False
    for j in range(len(columns)):
        digit = board[row, columns[j]]
        value = 0
        if digit:
            if mine[digit] == 0:
                count += 1
                mine[digit] = count
            value = mine[digit]
        if not smaller and value != best[depth, j]:
            if value > best[depth, j]:
                return False
            smaller = True
            best[depth + 1 :] = UNSEEN
        best[depth, j] = value
    named[depth + 1] = count
    return True
