"""Rooms and borders of a heyawake: what its givens say, for rules, text and generator alike."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Int

from erm.grid import cell_ids, rooms
from erm.types import Puzzle


def rooms_of(puzzle: Puzzle) -> Int[np.ndarray, " n"]:
    """The room of each cell, counted from 0 in the order of their first cells."""
    return rooms(puzzle.givens["right"], puzzle.givens["down"])


def borders_between(
    room_of: Int[np.ndarray, "H W"],
) -> tuple[Bool[np.ndarray, "H w"], Bool[np.ndarray, "h W"]]:
    """The edges between rooms: `right` and `down` of the givens."""
    return room_of[:, :-1] != room_of[:, 1:], room_of[:-1] != room_of[1:]


def borders_around(puzzle: Puzzle) -> Int[np.ndarray, "n 4"]:
    """Whether each cell has a border above, right, below, left; the board's edge is none."""
    sides = np.zeros((*puzzle.shape, 4), np.int64)
    sides[1:, :, 0] = sides[:-1, :, 2] = puzzle.givens["down"]
    sides[:, :-1, 1] = sides[:, 1:, 3] = puzzle.givens["right"]
    return sides.reshape(-1, 4)


def spans(
    right: Bool[np.ndarray, "H w"], down: Bool[np.ndarray, "h W"]
) -> Iterator[Int[np.ndarray, " s"]]:
    """The shortest straight spans that cross two borders: not all of their cells are white."""
    ids = cell_ids(right.shape[0], down.shape[1])
    for line, borders in (*zip(ids, right, strict=True), *zip(ids.T, down.T, strict=True)):
        for one, next_one in pairwise(np.flatnonzero(borders)):
            yield line[one : next_one + 2]
