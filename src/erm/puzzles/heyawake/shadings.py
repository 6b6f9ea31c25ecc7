"""All shadings of a small room with so many cells, none of which touch or cut white cells off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from jaxtyping import Int

from erm.grid import components, neighbours

LARGEST_ROOM = 64
MOST_STEPS = 10_000
"""Rooms with more cells or more ways to search through are not worth listing."""


def room_shadings(
    room: Int[np.ndarray, " s"], count: int, shape: tuple[int, int]
) -> Int[np.ndarray, "m s"] | None:
    """The shadings of a room's cells, 1 for shaded; None where they are too many to list.

    White cells are cut off where even a board that is white outside the room falls apart: cells
    beside a shaded one stay white, so whatever is shaded outside, both parts keep white cells.
    """
    if len(room) > LARGEST_ROOM:
        return None
    around, place = neighbours(*shape), {cell: index for index, cell in enumerate(room.tolist())}
    touching = [[place[o] for o in around[cell].tolist() if o in place] for cell in place]
    steps = list(islice(_sets_apart(touching, count), MOST_STEPS + 1))
    if len(steps) > MOST_STEPS:
        return None
    found = [chosen for chosen in steps if len(chosen) == count]
    shadings = np.zeros((len(found), len(room)), np.int64)
    for row, chosen in enumerate(found):
        shadings[row, list(chosen)] = 1
    white = np.ones((len(found), shape[0] * shape[1]), bool)
    white[:, room] = shadings == 0
    _, areas = components(white.reshape(-1, *shape))
    return shadings[areas <= 1]


def _sets_apart(
    touching: Sequence[Sequence[int]], count: int, chosen: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """Every set of at most so many places, no two of them touching, that may grow to the count."""
    yield chosen
    lacking = count - len(chosen)
    first = chosen[-1] + 1 if chosen else 0
    for place in range(first, len(touching) - lacking + 1 if lacking else first):
        if not any(other in chosen for other in touching[place]):
            yield from _sets_apart(touching, count, (*chosen, place))
