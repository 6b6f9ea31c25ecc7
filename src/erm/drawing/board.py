"""A puzzle as it is drawn: in the terminal, on the page and in notebooks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Bool, Int

from erm.drawing.lattice import ANSWER, CLUE, FAINT, FULL, HEAVY, LIGHT, SHADE, Cell, Lattice, frame
from erm.drawing.svg import BOARD, to_svg
from erm.grid import Borders, area_borders
from erm.rulebook.registry import task_of
from erm.rulebook.task import Task
from erm.types import DIGITS, Puzzle


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
    symbols: str = DIGITS
    """The character of each state."""

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
        return Cell(self.symbols[answer[r, c]], ANSWER, mark=mark)

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


def board_of(task: Task, puzzle: Puzzle) -> Board:
    """What is printed on a puzzle."""
    return Board(
        puzzle.shape,
        task.labels(puzzle),
        task.borders(puzzle),
        task.marks,
        task.signs(puzzle),
        task.state_symbols,
    )


def draw_puzzle(
    task: Task,
    puzzle: Puzzle,
    answer: Int[np.ndarray, " n"] | None = None,
    marked: Collection[int] = (),
) -> Lattice:
    """The puzzle, or an answer to it, with the marked cells highlighted."""
    marks = np.zeros(puzzle.cells, bool)
    marks[list(marked)] = True
    marks = marks.reshape(puzzle.shape)
    states = None if answer is None else np.asarray(answer, np.int64).reshape(puzzle.shape)
    own = task.drawing(puzzle, states, marks)
    if own is not None:
        return own
    board = board_of(task, puzzle)
    if task.lattice:
        return board.drawn(states, marks)
    return board.scattered(task.places(puzzle), states, marks)


def board_html(
    task: Task,
    puzzle: Puzzle,
    answer: Int[np.ndarray, " n"] | None = None,
    marked: Collection[int] = (),
    room: int = BOARD,
) -> str:
    """The same as inline SVG, for notebooks."""
    return to_svg(draw_puzzle(task, puzzle, answer, marked), room)


def puzzle_html(puzzle: Puzzle) -> str:
    """A puzzle of a known task as inline SVG."""
    return board_html(task_of(puzzle.task), puzzle)
