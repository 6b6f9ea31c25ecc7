"""A puzzle as it is drawn, in the terminal and on the page, and its usual drawing as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Bool, Int

from erm.drawing.lattice import ANSWER, CLUE, FAINT, FULL, HEAVY, LIGHT, SHADE, Cell, Lattice, frame
from erm.grid import components, members
from erm.types import DIGITS

Borders = tuple[Bool[np.ndarray, "H w"], Bool[np.ndarray, "h W"]]
"""Lines right of each cell [H, W-1] and below it [H-1, W]."""


@dataclass(frozen=True, eq=False)
class Board:
    """What is printed, and which cells belong together."""

    shape: tuple[int, int]
    labels: Sequence[str]
    """What is printed on each cell, "" where nothing is."""
    borders: Borders
    marks: bool
    """Whether answers mark cells instead of writing something into each."""
    signs: Mapping[tuple[int, int], str] = field(default_factory=dict)
    """What is printed between two neighbouring cells, the upper or left one named first."""
    written: str = DIGITS
    """How each state is written into a cell."""

    def lines(self) -> tuple[Int[np.ndarray, "R W"], Int[np.ndarray, "H C"]]:
        """The frame, and a heavy line on every border."""
        right, down = self.borders
        across, beside = frame(*self.shape, HEAVY if right.any() or down.any() else LIGHT)
        across[1:-1] = HEAVY * down
        beside[:, 1:-1] = HEAVY * right
        return across, beside

    def drawn(
        self, answer: Int[np.ndarray, "H W"] | None, marked: Bool[np.ndarray, "H W"]
    ) -> Lattice:
        """The board, or an answer to it, with the marked cells pointed at."""
        cell = self._marking if self.marks else self._writing
        longest = max(map(len, self.labels))
        return Lattice(
            cell_table(self.shape, lambda r, c: cell(r, c, answer, bool(marked[r, c]))),
            *self.lines(),
            widest=max(3, longest + 1),
            narrowest=max(1, longest),
            signs=self.signs,
            look_alike=not self.marks,
        )

    def scattered(
        self,
        places: Int[np.ndarray, "n 2"],
        answer: Int[np.ndarray, "H W"] | None,
        marked: Bool[np.ndarray, "H W"],
    ) -> Lattice:
        """Cells that are no lattice, each at its place of one; what no cell takes stays blank."""
        height, width = (places.max(0) + 1).tolist()
        at = places[:, 0] * width + places[:, 1]
        labels = np.full(height * width, " ", object)
        labels[at] = self.labels
        moved = np.zeros((2, height * width), np.int64)
        moved[0, at] = 0 if answer is None else answer.ravel()
        moved[1, at] = marked.ravel()
        states, pointed = moved.reshape(2, height, width)
        shown = replace(
            self,
            shape=(height, width),
            labels=labels.tolist(),
            borders=area_borders(np.zeros((0, 0), np.int64), (height, width)),
        )
        return shown.drawn(None if answer is None else states, pointed > 0)

    def _label(self, r: int, c: int) -> str:
        return self.labels[r * self.shape[1] + c]

    def _writing(self, r: int, c: int, answer: np.ndarray | None, mark: bool) -> Cell:
        label = self._label(r, c)
        if label:
            return Cell(label, CLUE, mark=mark)
        if answer is None:
            return Cell("·", FAINT, mark=mark)
        return Cell(self.written[answer[r, c]], ANSWER, mark=mark)

    def _marking(self, r: int, c: int, answer: np.ndarray | None, mark: bool) -> Cell:
        """Shading; a cell that an answer leaves alone has a dot."""
        label = self._label(r, c)
        if answer is not None and answer[r, c]:
            return Cell(label or FULL, SHADE, FULL, mark)
        if label:
            return Cell(label, CLUE, mark=mark)
        return Cell("" if answer is None else "·", FAINT, mark=mark)


def cell_table(shape: tuple[int, int], cell: Callable[[int, int], Cell]) -> list[list[Cell]]:
    height, width = shape
    return [[cell(r, c) for c in range(width)] for r in range(height)]


def area_borders(partitions: Int[np.ndarray, "P n"], shape: tuple[int, int]) -> Borders:
    """Borders between the areas of all partitions that have some: rows and lines are no areas."""
    right = np.zeros((shape[0], shape[1] - 1), bool)
    down = np.zeros((shape[0] - 1, shape[1]), bool)
    for ids in partitions:
        if _are_areas(ids, shape):
            board = ids.reshape(shape)
            right |= board[:, 1:] != board[:, :-1]
            down |= board[1:] != board[:-1]
    return right, down


def _are_areas(ids: Int[np.ndarray, " n"], shape: tuple[int, int]) -> bool:
    """Whether each group is one connected area and some are more than a straight line."""
    groups = members(ids)
    masks = np.stack([np.isin(np.arange(len(ids)), cells) for cells in groups])
    _, pieces = components(masks.reshape(len(groups), *shape))
    rows, columns = zip(*(np.divmod(cells, shape[1]) for cells in groups), strict=True)
    wide = [len(set(r)) > 1 < len(set(c)) for r, c in zip(rows, columns, strict=True)]
    return len(groups) > 1 and bool((pieces == 1).all()) and any(wide)
