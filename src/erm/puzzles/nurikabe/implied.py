"""All shapes that a small island may have, each with sea all around."""

from __future__ import annotations

from typing import no_type_check

import numpy as np
from jaxtyping import Bool, Int

from erm.grid import neighbours
from erm.puzzles.nurikabe.rules import ANY_SIZE, LAND, NO_CLUE, SEA
from erm.rulebook.kernel import inner_kernel, kernel
from erm.rulebook.propagation.parts import (
    PATTERNS,
    Part,
    Scopes,
    cells_a_word,
    deal_stride,
)

LARGEST_ISLAND = 12
MOST_SHAPES = 1500
"""Islands with more cells or more shapes are not worth listing; in the open, those over six."""
MOST_STEPS = 20_000
"""Islands that take longer to list, whatever the outcome, are given up."""
AS_LAND, AS_SEA, EITHER = 1 << LAND, 1 << SEA, 1 << LAND | 1 << SEA
SIDE_BY_SIDE = cells_a_word(2)


class IslandShapes:
    """Rules out land and sea that no shape of some island has, given what else is left."""

    name = "an island has one of its shapes"

    def __init__(self, clues: Int[np.ndarray, "H W"]) -> None:
        flat = clues.ravel().astype(np.int64)
        clued = np.flatnonzero(flat != NO_CLUE)
        around = neighbours(*clues.shape)
        lengths, cells, rows, table = _list_islands(clued, flat[clued], around)
        words = np.maximum(1, -(-lengths // SIDE_BY_SIDE))
        self.complete = len(lengths) == len(clued)
        """Whether all islands are listed, so that no land lies outside of them."""
        self.scopes = Scopes(
            np.full(len(lengths), PATTERNS),
            lengths,
            cells,
            np.append(0, np.cumsum(2 * words * rows))[: len(rows)],
            rows,
            table,
            covers=AS_LAND if self.complete else 0,
        )

    def parts(self) -> tuple[Part, ...]:
        return (self.scopes,)

    def listed(self, island: int) -> tuple[Bool[np.ndarray, "m w"], Bool[np.ndarray, "m w"]]:
        """Land and shore of each shape of a listed island, over the cells that they touch."""
        scopes = self.scopes
        width, count, first = (int(x[island]) for x in (scopes.lengths, scopes.high, scopes.low))
        words = max(1, -(-width // SIDE_BY_SIDE))
        rows = scopes.table[first : first + 2 * words * count].reshape(count, 2, words)[:, 0]
        bits = rows[:, :, None] >> 2 * np.arange(SIDE_BY_SIDE)
        bits = bits.reshape(count, -1)[:, :width]
        return bits >> LAND & 1 == 1, bits >> SEA & 1 == 1


@kernel
@no_type_check
def _list_islands(clued, sizes, around):
    """Over all islands that can be listed: how many cells their shapes and shores touch, which
    cells, how many shapes, and the shapes as rows of a table of patterns."""
    board = len(around)
    claims = np.zeros(board, np.int64)
    for clue in clued:
        claims[clue] += 1
        for beside in around[clue]:
            if beside >= 0:
                claims[beside] += 1
    shapes = np.empty((MOST_SHAPES, LARGEST_ISLAND), np.int64)
    lengths = np.empty(len(clued), np.int64)
    rows = np.empty(len(clued), np.int64)
    cells = np.empty(256, np.int64)
    table = np.empty(1024, np.int64)
    islands = cells_used = table_used = 0
    free = np.empty(board, np.bool_)
    place = np.full(board, -1, np.int64)
    for index in range(len(clued)):
        clue, size = clued[index], sizes[index]
        if size == ANY_SIZE or size > LARGEST_ISLAND:
            continue
        for cell in range(board):
            free[cell] = claims[cell] == 0
        # Cells beside two clues belong to no island, those beside one to its own.
        for beside in around[clue]:
            if beside >= 0:
                free[beside] = claims[beside] == 1
        free[clue] = False
        count = _list_shapes(clue, size, around, free, shapes)
        if count < 0:
            continue
        near, first = 0, cells_used
        for row in range(count):
            for at in range(size):
                for side in range(-1, 4):
                    cell = shapes[row, at] if side < 0 else around[shapes[row, at], side]
                    if cell >= 0 and place[cell] < 0:
                        place[cell] = near
                        if cells_used == len(cells):
                            cells = np.append(cells, np.empty_like(cells))
                        cells[cells_used] = cell
                        near += 1
                        cells_used += 1
        words = max(1, -(-near // SIDE_BY_SIDE))
        while table_used + 2 * words * count > len(table):
            table = np.append(table, np.empty_like(table))
        _write_rows(shapes, count, size, around, place, words, table[table_used:])
        table_used += 2 * words * count
        for at in range(first, cells_used):
            place[cells[at]] = -1
        lengths[islands], rows[islands] = near, count
        islands += 1
    return lengths[:islands], cells[:cells_used], rows[:islands], table[:table_used]


@inner_kernel
@no_type_check
def _list_shapes(clue, size, around, free, shapes):
    """Write every connected set of so many free cells with the clue, once each; how many, -1 if
    too many.

    A shape grows by cells beside it that have not been tried in its place before (Redelmeier).
    """
    shape = np.empty(size, np.int64)
    shape[0] = clue
    untried = np.empty(len(around), np.int64)
    seen = ~free
    turn, end = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    level, count, steps = 1, 0, 0
    for beside in around[clue]:
        if beside >= 0 and not seen[beside]:
            seen[beside] = True
            untried[end[1]] = beside
            end[1] += 1
    if size == 1:
        shapes[0, 0] = clue
        return 1
    while level:
        steps += 1
        if steps > MOST_STEPS:
            return -1
        if turn[level] == end[level]:
            for at in range(end[level - 1], end[level]):
                seen[untried[at]] = False
            level -= 1
            continue
        cell = untried[turn[level]]
        turn[level] += 1
        shape[level] = cell
        if level + 1 == size:
            if count == len(shapes):
                return -1
            shapes[count, :size] = shape
            count += 1
            continue
        end[level + 1] = end[level]
        for beside in around[cell]:
            if beside >= 0 and not seen[beside]:
                seen[beside] = True
                untried[end[level + 1]] = beside
                end[level + 1] += 1
        turn[level + 1] = turn[level]
        level += 1
    return count


@inner_kernel
@no_type_check
def _write_rows(shapes, count, size, around, place, words, table):
    """Each shape as what it requires, land with sea around, and what it allows beside that."""
    stride = deal_stride(count)
    for row in range(count):
        required = table[2 * words * (row * stride % count) :][:words]
        allowed = table[2 * words * (row * stride % count) + words :][:words]
        required[:] = 0
        for at in range(size):
            for beside in around[shapes[row, at]]:
                if beside >= 0:
                    shift = place[beside] % SIDE_BY_SIDE * 2
                    required[place[beside] // SIDE_BY_SIDE] |= AS_SEA << shift
        for at in range(size):
            own = place[shapes[row, at]]
            shift = own % SIDE_BY_SIDE * 2
            required[own // SIDE_BY_SIDE] &= ~(EITHER << shift)
            required[own // SIDE_BY_SIDE] |= AS_LAND << shift
        for word in range(words):
            allowed[word] = 0
            for shift in range(0, 2 * SIDE_BY_SIDE, 2):
                own = required[word] >> shift & EITHER
                allowed[word] |= (own if own else EITHER) << shift
