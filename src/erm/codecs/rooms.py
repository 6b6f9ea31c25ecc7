"""Rooms: the regions into which the borders drawn on a board divide it."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Int
from scipy.ndimage import label


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
    found = label(pixels)[0][::2, ::2].ravel()  # pyright: ignore[reportIndexIssue]
    _, first, members = np.unique(found, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[members].reshape(height, width)


def first_cells(rooms: Int[np.ndarray, "H W"]) -> Int[np.ndarray, " R"]:
    """The index of each room's first cell in reading order, where its clue is kept."""
    return np.unique(rooms.ravel(), return_index=True)[1]
