"""Where a room's clue is kept."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int


def first_cells(rooms: Int[np.ndarray, " n"]) -> Int[np.ndarray, " R"]:
    """The first cell of each room in reading order, from the room of each cell."""
    first = np.empty(int(rooms.max()) + 1, np.intp)
    # Of several values for one place numpy keeps the last, here the one nearest to the start.
    first[rooms[::-1]] = np.arange(len(rooms) - 1, -1, -1)
    return first
