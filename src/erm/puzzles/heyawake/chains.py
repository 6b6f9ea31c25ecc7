"""Chains of shaded cells, corner to corner. Shaded cells that never touch leave the white ones
connected exactly as long as no chain closes a loop, by itself or together with the board's edge."""

from __future__ import annotations

from typing import no_type_check

import numpy as np
from jaxtyping import Integer

from erm.grid import OFF_BOARD, neighbours, ring
from erm.rulebook.kernel import kernel


@kernel
@no_type_check
def edge_contacts(ring_cells):
    """How often the board's edge begins around a cell: twice only where the board is thin."""
    contacts = 0
    for side in range(8):
        contacts += ring_cells[side] < 0 and ring_cells[side - 1] >= 0
    return contacts


@kernel
@no_type_check
def no_chains(parent):
    """A forest over no shaded cell, -1 for all, and over the edge, which stands at its end."""
    parent[:] = -1
    parent[len(parent) - 1] = len(parent) - 1


@kernel
@no_type_check
def closes_loop(parent, cell, diagonal, contacts):
    """Shade a cell: tie the chains at its four corners, and the edge, together by it; whether
    two of them were one already."""
    edge = len(parent) - 1
    parent[cell] = cell
    for side in range(-contacts, 4):
        other = edge if side < 0 else diagonal[side]
        if other < 0 or parent[other] < 0:
            continue
        one = cell
        while parent[one] != one:
            one = parent[one]
        while parent[other] != other:
            other = parent[other]
        if one == other:
            return True
        parent[one] = other
    return False


class Chains:
    """Shaded cells that obey two rules, one added after the other: apart, white cells connected."""

    def __init__(self, height: int, width: int) -> None:
        self.shaded = [0] * (height * width)
        around = ring(height, width)
        self._beside = neighbours(height, width).tolist()
        self._corners: list[Integer[np.ndarray, " 4"]] = list(around[:, ::2])
        self._contacts: list[int] = [edge_contacts(cells) for cells in around]
        self._parent = np.empty(height * width + 1, np.int64)
        no_chains(self._parent)

    def allows(self, cell: int) -> bool:
        """Whether that cell may be shaded, too."""
        shaded = self.shaded
        if shaded[cell] or any(y != OFF_BOARD and shaded[y] for y in self._beside[cell]):
            return False
        return not self._tie(self._parent.copy(), cell)

    def add(self, cell: int) -> None:
        self._tie(self._parent, cell)
        self.shaded[cell] = 1

    def _tie(self, parent: Integer[np.ndarray, " m"], cell: int) -> bool:
        return closes_loop(parent, cell, self._corners[cell], self._contacts[cell])
