"""A connected region without a 2x2 square, grown cell by cell: nurikabe's sea, tapa's wall."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import label

BESIDE = ((-1, 0), (0, 1), (1, 0), (0, -1))


class Growth:
    """A region that grows on a board and never fills a 2x2 square."""

    def __init__(self, height: int, width: int, rng: np.random.Generator) -> None:
        self.height, self.width, self.rng = height, width, rng
        # A frame around the board spares every test for its edge.
        self._filled = [[False] * (width + 2) for _ in range(height + 2)]
        self._edge: list[tuple[int, int]] = []
        self._listed: set[tuple[int, int]] = set()
        self.size = 0

    @property
    def region(self) -> np.ndarray:
        return np.array(self._filled, bool)[1:-1, 1:-1]

    def add(self, row: int, column: int) -> None:
        self._filled[row + 1][column + 1] = True
        self.size += 1
        for dr, dc in BESIDE:
            cell = row + dr, column + dc
            inside = 0 <= cell[0] < self.height and 0 <= cell[1] < self.width
            if inside and cell not in self._listed:
                self._listed.add(cell)
                self._edge.append(cell)
        self._listed.add((row, column))

    def fits(self, row: int, column: int) -> bool:
        """Whether the cell may join: it is free and would not complete a square."""
        f, r, c = self._filled, row + 1, column + 1
        if f[r][c]:
            return False
        up, down, left, right = f[r - 1][c], f[r + 1][c], f[r][c - 1], f[r][c + 1]
        return not (
            (up and left and f[r - 1][c - 1])
            or (up and right and f[r - 1][c + 1])
            or (down and left and f[r + 1][c - 1])
            or (down and right and f[r + 1][c + 1])
        )

    def touches(self, row: int, column: int) -> int:
        """How many cells of the region lie beside this one."""
        f, r, c = self._filled, row + 1, column + 1
        return f[r - 1][c] + f[r + 1][c] + f[r][c - 1] + f[r][c + 1]

    def grow(self, target: int, loops: float, straight: float) -> None:
        """Grow from a random cell to `target` cells or until nothing fits.

        A cell that would close a loop joins with chance `loops`; with chance `straight` the
        region goes on from where it grew last, which makes long arms.
        """
        if self.size == 0:
            self.add(int(self.rng.integers(self.height)), int(self.rng.integers(self.width)))
        while self._edge and self.size < target:
            n = len(self._edge)
            at = n - 1 if self.rng.random() < straight else int(self.rng.integers(n))
            self._edge[at], self._edge[-1] = self._edge[-1], self._edge[at]
            cell = self._edge.pop()
            # A refused cell is never listed again: what closes a loop now, closes it later.
            if self.fits(*cell) and (self.touches(*cell) == 1 or self.rng.random() < loops):
                self.add(*cell)

    def fill(self, cells: list[tuple[int, int]]) -> bool:
        """Add the first of these cells that fits and touches the region."""
        for cell in cells:
            if self.fits(*cell) and self.touches(*cell):
                self.add(*cell)
                return True
        return False


def components(mask: np.ndarray) -> tuple[np.ndarray, int]:
    """Labels from 1 of the connected parts of a mask, and how many there are."""
    labels, count = label(mask)  # type: ignore[misc]
    return labels, count
