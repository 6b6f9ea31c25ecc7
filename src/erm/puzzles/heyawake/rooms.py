"""Rooms on a board, as a room number per cell: rectangles of many sizes, some of them dented."""

from __future__ import annotations

import numpy as np

from erm.grid import ORTHOGONAL, areas
from erm.grid import rooms as divided_by
from erm.puzzles.heyawake.borders import borders_between, spans

SIDES = ((1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (2, 4), (2, 5), (3, 3), (3, 4), (4, 4), (3, 5))


def rectangles(height: int, width: int, rng: np.random.Generator) -> np.ndarray:
    """Cover the board with rectangles, the first free cell first, seen from a random corner."""
    turned = bool(rng.integers(2))
    if turned:
        height, width = width, height
    # A board has its own taste in rooms: weights that differ from board to board.
    taste = rng.dirichlet(np.array([0.1, 0.4, 0.7, 3, 4, 3, 1.5, 2, 1.5, 0.7, 0.7]))
    rooms = np.full((height, width), -1)
    count = 0
    for row in range(height):
        for column in range(width):
            if rooms[row, column] >= 0:
                continue
            tall, wide = SIDES[int(rng.choice(len(SIDES), p=taste))]
            if rng.random() < 0.5:
                tall, wide = wide, tall
            tall = min(tall, height - row)
            free = 1
            while free < wide and column + free < width and rooms[row, column + free] < 0:
                free += 1
            rooms[row : row + tall, column : column + free] = count
            count += 1
    rooms = rooms[:: rng.choice([-1, 1]), :: rng.choice([-1, 1])]
    return rooms.T if turned else rooms


def dent(rooms: np.ndarray, rng: np.random.Generator, share: float) -> np.ndarray:
    """Hand over cells on a border to the room behind it, and join crumbs with a neighbour."""
    rooms = rooms.copy()
    height, width = rooms.shape
    for cell in rng.permutation(rooms.size)[: int(share * rooms.size)].tolist():
        row, column = divmod(cell, width)
        dr, dc = ORTHOGONAL[int(rng.integers(4))]
        r, c = row + dr, column + dc
        if 0 <= r < height and 0 <= c < width and rooms[r, c] != rooms[row, column]:
            moved = hand_over(rooms, cell, int(rooms[r, c]))
            if moved is not None:
                rooms = moved
    return rooms


def hand_over(rooms: np.ndarray, cell: int, room: int) -> np.ndarray | None:
    """The cell joins another room beside it; None where that would tear its own room apart."""
    own = int(rooms.flat[cell])
    moved = rooms.copy()
    moved.flat[cell] = room
    return moved if areas(moved == own)[1] <= 1 else None


def cuts(rooms: np.ndarray, room: int) -> list[np.ndarray]:
    """Every way to cut a room in two connected parts along one straight line."""
    fresh = int(rooms.max()) + 1
    mask = rooms == room
    rows, columns = np.nonzero(mask)
    lines = [np.arange(rooms.shape[0])[:, None] > row for row in range(rows.min(), rows.max())]
    lines += [np.arange(rooms.shape[1])[None] > c for c in range(columns.min(), columns.max())]
    parts = [(mask & line, mask & ~line) for line in lines]
    return [
        np.where(far, fresh, rooms)
        for far, near in parts
        if areas(far)[1] == 1 and areas(near)[1] == 1
    ]


def tidy(rooms: np.ndarray) -> np.ndarray:
    """The same rooms, numbered in the order of their first cells."""
    return divided_by(*borders_between(rooms)).reshape(rooms.shape)


def crossings(rooms: np.ndarray) -> list[np.ndarray]:
    """The shortest straight lines over two borders: in each one some cell must be shaded."""
    return list(spans(*borders_between(rooms)))
