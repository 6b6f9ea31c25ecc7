"""Bands of board sizes, by the longer side, to separate small and large boards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

BOUNDS = (10, 15, 20)
"""The longest side in each band but the last, which is open."""
BANDS = (
    f"up to {BOUNDS[0]}",
    *(f"{low + 1} to {high}" for low, high in pairwise(BOUNDS)),
    f"over {BOUNDS[-1]}",
)


def band_of(shape: Sequence[int]) -> str:
    """The band that a board of this height and width lies in."""
    return BANDS[sum(max(shape) > bound for bound in BOUNDS)]
