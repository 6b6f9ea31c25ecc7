"""The units of a Sudoku: which sides there are, and the row, column and box of each cell."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from jaxtyping import Int

BOX_SHAPES = {4: (2, 2), 6: (2, 3), 9: (3, 3), 16: (4, 4)}
"""Rows and columns of a box for each side of a board."""


@lru_cache(maxsize=len(BOX_SHAPES))
def units(side: int) -> Int[np.ndarray, "3 n"]:
    """The row, column and box of each cell."""
    box_height, box_width = BOX_SHAPES[side]
    row, column = np.divmod(np.arange(side * side), side)
    boxes_a_row = side // box_width
    box = row // box_height * boxes_a_row + column // box_width
    return np.stack([row, column, box])
