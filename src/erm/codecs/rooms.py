"""Rooms: the regions into which the borders drawn on a board divide it."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Int
from scipy.ndimage import label

CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)


def label_rooms(
    right: Bool[np.ndarray, "H W1"], down: Bool[np.ndarray, "H1 W"]
) -> Int[np.ndarray, "H W"]:
    """The room of each cell, counted in the order of the rooms' first cells in reading order.

    `right` says where a border lies between a cell and its right neighbour, `down` below it;
    a border that ends inside a room divides nothing.
    """
    height, width = right.shape[0], down.shape[1]
    # Every other pixel is a cell and those between are open where no border is.
    pixels = np.zeros((2 * height - 1, 2 * width - 1), bool)
    pixels[::2, ::2] = True
    pixels[::2, 1::2] = ~right
    pixels[1::2, ::2] = ~down
    labels = np.empty(pixels.shape, np.int32)
    label(pixels, CROSS, labels)
    rooms = labels[::2, ::2] - 1
    first = first_cells(rooms)
    if (first[1:] > first[:-1]).all():
        return rooms
    return np.argsort(np.argsort(first))[rooms]


def first_cells(rooms: Int[np.ndarray, "H W"]) -> Int[np.ndarray, " R"]:
    """The index of each room's first cell in reading order, where its clue is kept."""
    backwards = rooms.ravel()[::-1]
    first = np.empty(int(rooms.max()) + 1, np.intp)
    # Of several values for one place numpy keeps the last, here the one nearest to the start.
    first[backwards] = np.arange(rooms.size - 1, -1, -1)
    return first
