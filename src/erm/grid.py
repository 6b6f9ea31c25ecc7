"""Geometry of rectangular boards: neighbours, windows, lines, rooms, connected areas."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Int
from scipy import ndimage

OFF_BOARD = -1
"""Stands for a cell beyond the edge in `neighbours` and `ring`."""

ORTHOGONAL = ((-1, 0), (0, 1), (1, 0), (0, -1))
CLOCKWISE = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))

Borders = tuple[Bool[np.ndarray, "H w"], Bool[np.ndarray, "h W"]]
"""Whether there is a line right of each cell [H, W-1] and below it [H-1, W]."""

_WITHIN_BOARD = np.zeros((3, 3, 3), bool)
_WITHIN_BOARD[1] = ndimage.generate_binary_structure(2, 1)


def cell_ids(height: int, width: int) -> Int[np.ndarray, "H W"]:
    """The row-major number of every cell."""
    return np.arange(height * width).reshape(height, width)


def _around(height: int, width: int, steps: tuple[tuple[int, int], ...]) -> np.ndarray:
    padded = np.pad(cell_ids(height, width), 1, constant_values=OFF_BOARD)
    shifted = [padded[1 + r : 1 + r + height, 1 + c : 1 + c + width].ravel() for r, c in steps]
    around = np.stack(shifted, axis=1)
    around.flags.writeable = False
    return around


@lru_cache(maxsize=64)
def neighbours(height: int, width: int) -> Int[np.ndarray, "n 4"]:
    """The cells above, right, below and left of each cell, or `OFF_BOARD`."""
    return _around(height, width, ORTHOGONAL)


@lru_cache(maxsize=64)
def ring(height: int, width: int) -> Int[np.ndarray, "n 8"]:
    """The eight cells around each cell, clockwise from its upper left, or `OFF_BOARD`."""
    return _around(height, width, CLOCKWISE)


@lru_cache(maxsize=64)
def adjacent_pairs(height: int, width: int) -> Int[np.ndarray, "j 2"]:
    """Every two cells that share an edge."""
    ids = cell_ids(height, width)
    right = np.stack([ids[:, :-1].ravel(), ids[:, 1:].ravel()], 1)
    down = np.stack([ids[:-1].ravel(), ids[1:].ravel()], 1)
    return np.concatenate([right, down])


@lru_cache(maxsize=64)
def windows(height: int, width: int) -> Int[np.ndarray, "j 4"]:
    """Every 2x2 window; none on a board that is one cell thin."""
    ids = cell_ids(height, width)
    corners = ids[:-1, :-1], ids[:-1, 1:], ids[1:, :-1], ids[1:, 1:]
    return np.stack([corner.ravel() for corner in corners], 1)


def rooms(right: Bool[np.ndarray, "H w"], down: Bool[np.ndarray, "h W"]) -> np.ndarray:
    """A room id per cell [n], in the order of the rooms' first cells; borders divide rooms."""
    height, width = right.shape[0], down.shape[1]
    # Cells and the edges between them on one lattice; an edge without border joins two cells.
    lattice = np.zeros((2 * height - 1, 2 * width - 1), bool)
    lattice[::2, ::2] = True
    lattice[::2, 1::2] = ~right
    lattice[1::2, ::2] = ~down
    labels, _ = ndimage.label(lattice, _WITHIN_BOARD[1])  # pyright: ignore[reportGeneralTypeIssues]
    ids = labels[::2, ::2].ravel() - 1
    first = first_cells(ids)
    return ids if (first[1:] > first[:-1]).all() else first_seen_order(ids)


def first_cells(ids: Int[np.ndarray, " n"]) -> Int[np.ndarray, " g"]:
    """The first cell of each group 0, 1, … in reading order."""
    first = np.empty(int(ids.max()) + 1, np.intp)
    # Of several values for one place numpy keeps the last, here the one nearest to the start.
    first[ids[::-1]] = np.arange(len(ids) - 1, -1, -1)
    return first


def segments(blocked: Bool[np.ndarray, "H W"]) -> tuple[np.ndarray, np.ndarray]:
    """Ids [n] of each cell's horizontal and vertical line; a blocked cell stands alone."""
    apart_right = blocked[:, 1:] | blocked[:, :-1]
    apart_down = blocked[1:] | blocked[:-1]
    horizontal = rooms(apart_right, np.ones_like(apart_down))
    vertical = rooms(np.ones_like(apart_right), apart_down)
    return horizontal, vertical


def first_seen_order(ids: np.ndarray) -> Int[np.ndarray, " n"]:
    """The same groups, numbered 0, 1, … as they first appear."""
    _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def members(ids: Int[np.ndarray, " n"]) -> list[Int[np.ndarray, " s"]]:
    """The cells of each group, in the order of its id."""
    order = np.argsort(ids, kind="stable")
    return np.split(order, np.cumsum(np.bincount(ids))[:-1])


def components(
    mask: Bool[np.ndarray, "k H W"],
) -> tuple[Int[np.ndarray, "k H W"], Int[np.ndarray, " k"]]:
    """Orthogonally connected areas of k boards: labels from 1 up, never shared by two boards.

    The second array counts the areas of each board. One C call labels all boards, since
    the structuring element does not reach from one board to the next.
    """
    labels = _label(mask, _WITHIN_BOARD)
    board_of = np.zeros(labels.max(initial=0) + 1, np.int64)
    board_of[labels] = np.arange(len(mask))[:, None, None]
    return labels, np.bincount(board_of[1:], minlength=len(mask))


def _label(mask: np.ndarray, structure: np.ndarray | None = None) -> np.ndarray:
    labels = np.zeros(mask.shape, np.int32)
    ndimage.label(mask, structure, output=labels)
    return labels


def areas(mask: Bool[np.ndarray, "H W"]) -> tuple[Int[np.ndarray, "H W"], int]:
    """Orthogonally connected areas of one board: labels from 1 up, and how many there are."""
    labels = _label(mask)
    return labels, int(labels.max(initial=0))


def area_borders(partitions: Int[np.ndarray, "P n"], shape: tuple[int, int]) -> Borders:
    """Borders between the areas of all partitions that have some: rows and lines are no areas."""
    right = np.zeros((shape[0], shape[1] - 1), bool)
    down = np.zeros((shape[0] - 1, shape[1]), bool)
    for ids in partitions:
        if _are_areas(ids, shape):
            board = ids.reshape(shape)
            right |= board[:, 1:] != board[:, :-1]
            down |= board[1:] != board[:-1]
    return right, down


def _are_areas(ids: Int[np.ndarray, " n"], shape: tuple[int, int]) -> bool:
    """Whether each group is one connected area and some are more than a straight line."""
    groups = members(ids)
    masks = np.stack([np.isin(np.arange(len(ids)), cells) for cells in groups])
    _, pieces = components(masks.reshape(len(groups), *shape))
    rows, columns = zip(*(np.divmod(cells, shape[1]) for cells in groups), strict=True)
    wide = [len(set(r)) > 1 < len(set(c)) for r, c in zip(rows, columns, strict=True)]
    return len(groups) > 1 and bool((pieces == 1).all()) and any(wide)
