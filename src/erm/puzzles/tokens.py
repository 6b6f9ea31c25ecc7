"""Rows of tokens from files that others made, checked before they are believed."""

from __future__ import annotations

import numpy as np
from jaxtyping import Integer

from erm.errors import InputError


def check_range(array: Integer[np.ndarray, "m n"], low: int, high: int, name: str) -> None:
    """InputError that names the first token out of range."""
    wrong = (array < low) | (array > high)
    if wrong.any():
        row, cell = np.argwhere(wrong)[0].tolist()
        raise InputError(
            f"row {row + 1} of {name} has token {array[row, cell]} at cell {cell + 1}, "
            f"where {low} to {high} must stand"
        )
