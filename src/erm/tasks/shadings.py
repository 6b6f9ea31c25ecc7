"""All shadings of a small room with so many cells, none of which touch or cut white cells off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from jaxtyping import Int

from erm.grid import components, neighbours

MOST_SHADINGS = 2000
"""A room with more of them tells too little to be worth listing."""


def room_shadings(
    room: Int[np.ndarray, " s"], count: int, shape: tuple[int, int]
) -> Int[np.ndarray, "m s"] | None:
    """The shadings of a room's cells, 1 for shaded; None where they are too many.

    White cells are cut off where even a board that is white outside the room falls apart: cells
    beside a shaded one stay white, so whatever is shaded outside, both parts keep white cells.
    """
    around, place = neighbours(*shape), {cell: index for index, cell in enumerate(room.tolist())}
    touching = [[place[o] for o in around[cell].tolist() if o in place] for cell in place]
    found = list(islice(_sets_apart(touching, count), MOST_SHADINGS + 1))
    if len(found) > MOST_SHADINGS:
        return None
    shadings = np.zeros((len(found), len(room)), np.int64)
    for row, chosen in enumerate(found):
        shadings[row, list(chosen)] = 1
    white = np.ones((len(found), shape[0] * shape[1]), bool)
    white[:, room] = shadings == 0
    _, areas = components(white.reshape(-1, *shape))
    return shadings[areas <= 1]


def _sets_apart(
    touching: Sequence[Sequence[int]],
    count: int,
    first: int = 0,
    barred: frozenset[int] = frozenset(),
) -> Iterator[tuple[int, ...]]:
    """Every choice of so many places from `first` on, no two of them touching."""
    if count == 0:
        yield ()
        return
    for place in range(first, len(touching) - count + 1):
        if place not in barred:
            for rest in _sets_apart(touching, count - 1, place + 1, barred.union(touching[place])):
                yield place, *rest
