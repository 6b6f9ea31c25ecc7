"""How many puzzles are held in memory at a time."""

from __future__ import annotations

from erm.errors import InputError
from erm.limits import LIMITS, raised_by

LEAST_CELLS = 64
"""A small board takes as much memory as one of so many cells."""


def check_cells(cells: int) -> None:
    """An InputError where puzzles with so many cells in all are more than is held."""
    if cells > LIMITS.cells:
        raise InputError(
            f"it has more puzzles than are read at a time ({raised_by(LIMITS.cells, 'cells')}); "
            "--limit reads fewer"
        )


def cells_of(puzzles: int, cells: int) -> int:
    """What so many boards count for."""
    return puzzles * max(LEAST_CELLS, cells)
