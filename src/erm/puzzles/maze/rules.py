"""Maze: mark the interior cells of a path from start to goal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, ClassVar, no_type_check

import numpy as np
from jaxtyping import Bool, Float, Int, Integer, UInt8

from erm.drawing.board import cell_table
from erm.drawing.lattice import FAINT, FULL, HEAVY, NONE, Cell, Lattice, frame, joint
from erm.grid import components, neighbours
from erm.look import Look
from erm.puzzles.maze.text import GOAL, MAZE, OPEN, PATH, START, VOCABULARY, WALL, MazeText
from erm.rulebook.energy import EnergySettings
from erm.rulebook.factor import Factor
from erm.rulebook.generator import Generator
from erm.rulebook.given import Given
from erm.rulebook.kernel import kernel
from erm.rulebook.memory import Enumerated
from erm.rulebook.potential import Potential
from erm.rulebook.symmetry import SQUARE
from erm.rulebook.task import Task
from erm.types import Puzzle

PATH_STYLE = "bold green"
Boards = Bool[np.ndarray, "k H W"]


class Maze(MazeText, Task):
    """Givens: `cells` uint8 [H, W]: 1 wall, 2 open, 3 start, 4 goal.

    State 1 marks a cell between start and goal. Degrees count neighbours that are marked or
    terminals, so a valid path is induced: it touches itself nowhere. In a maze without loops
    that is the one simple path; with loops every shortest path is of this kind, and
    `Maze(shortest=True)` accepts nothing longer. The energy is Eq. 8.
    """

    state_words = ("off the path", "on the path")
    states = 2
    settings = EnergySettings(tau=0.02, beta=1.0, mu=1.0, weight=0.25)
    vocabulary = VOCABULARY
    printed = "wall"
    marks = True
    givens: ClassVar = {
        "cells": Given(
            np.uint8,
            WALL,
            GOAL,
            blank=OPEN,
            names={"wall": WALL, "open": OPEN, "start": START, "goal": GOAL},
        )
    }
    look = Look.beside(
        __file__,
        "Maze",
        "Mark the cells of one path from start to goal that touches itself nowhere.",
        {
            "wall": "marks on open cells only",
            "terminal": "one path cell beside start and goal",
            "open cell": "path cells have two neighbours",
            "format": "marks stand on open cells",
            "degree": "one way in, one way out",
            "start-goal connectivity": "start and goal are joined",
            "cycle": "no loop",
            "length": "as many steps as cells ask for",
        },
    )
    symmetry = SQUARE

    def __init__(self, shortest: bool = False) -> None:
        self.shortest = shortest

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        return tuple(_terminal_factors(puzzle)) + tuple(_open_cell_factors(puzzle))

    def potentials(self, puzzle: Puzzle) -> Sequence[Potential]:
        cells = puzzle.givens["cells"]
        return (
            Format(cells),
            Degree(cells),
            Connectivity(cells),
            Cycle(cells),
            Length(cells, self.shortest),
        )

    def domain(self, puzzle: Puzzle) -> Bool[np.ndarray, "n 2"]:
        """The wall factors: only open cells can be marked; terminals stand for themselves."""
        is_open = puzzle.givens["cells"].ravel() == OPEN
        return np.stack([np.ones_like(is_open), is_open], 1)

    def features(self, puzzle: Puzzle) -> Float[np.ndarray, "n 5"]:
        """Wall, open, start, goal; and a constant, whose zero padding shows the edge."""
        cells = puzzle.givens["cells"].reshape(-1, 1)
        printed = cells == np.array([WALL, OPEN, START, GOAL])
        return np.concatenate([printed, np.ones_like(cells)], 1).astype(np.float32)

    def partitions(self, puzzle: Puzzle) -> Int[np.ndarray, "0 n"]:
        return np.zeros((0, puzzle.cells), np.int64)

    def tokens(self, puzzle: Puzzle) -> Int[np.ndarray, " n"]:
        return puzzle.givens["cells"].ravel().astype(np.int64)

    def answer_tokens(self, puzzle: Puzzle) -> Int[np.ndarray, "n 2"]:
        printed = self.tokens(puzzle)
        return np.stack([printed, np.full_like(printed, PATH)], 1)

    def generator(self) -> type[Generator]:
        from erm.puzzles.maze.generate import MazeGenerator

        return MazeGenerator

    def count_solutions(self, puzzles: Sequence[Puzzle]) -> Iterator[int | None]:
        """Shortest paths; others do not count."""
        return (shortest_path(puzzle.givens["cells"])[1] for puzzle in puzzles)

    def answer_fault(self, puzzle: Puzzle, answer: np.ndarray) -> str | None:
        """A label is also a shortest path."""
        length, steps = int(answer.sum()) + 1, shortest_path(puzzle.givens["cells"])[0]
        longer = f"takes {length} steps where {steps} suffice" if length > steps else None
        return super().answer_fault(puzzle, answer) or longer

    def drawing(
        self,
        puzzle: Puzzle,
        answer: Int[np.ndarray, "H W"] | None,
        marked: Bool[np.ndarray, "H W"],
    ) -> Lattice:
        """Walls filled, the path as a line."""
        cells, (height, width) = puzzle.givens["cells"], puzzle.shape
        path = np.zeros(cells.shape, bool) if answer is None else answer == 1
        ends = (cells == START) | (cells == GOAL)
        around = neighbours(height, width).reshape(height, width, 4)
        # A line goes from a path cell to each neighbour that is on the path, too, or an end of it.
        on_path = np.append((path | ends).ravel(), False)[around] & path[..., None]
        on_path |= ends[..., None] & np.append(path.ravel(), False)[around]

        def cell(r: int, c: int) -> Cell:
            up, right, down, left = (HEAVY * on_path[r, c]).tolist()
            tail, mark = joint(0, right, 0, right), bool(marked[r, c])
            if cells[r, c] == WALL:
                return Cell(FULL, FAINT, FULL, mark)
            if ends[r, c]:
                return Cell(MAZE[cells[r, c]] + tail, PATH_STYLE, mark=mark)
            if path[r, c]:
                bend = joint(up, right, down, left) if up or right or down or left else "•"
                return Cell(bend + tail, PATH_STYLE, mark=mark)
            return Cell("", mark=mark)

        return Lattice(cell_table(puzzle.shape, cell), *frame(height, width, NONE), widest=2)


def _surroundings(puzzle: Puzzle) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Neighbours [n, 4], which of them are open, and how many are terminals."""
    around = neighbours(*puzzle.shape)
    printed = np.append(puzzle.givens["cells"].ravel(), WALL)[around]
    return around, printed == OPEN, (printed >= START).sum(1)


def _terminal_factors(puzzle: Puzzle) -> Iterator[Factor]:
    """Start and goal have path degree one; beside each other they need no path."""
    around, is_open, terminals = _surroundings(puzzle)
    cells = puzzle.givens["cells"].ravel()
    for cell in np.flatnonzero(cells >= START).tolist():
        beside = around[cell][is_open[cell]]
        memory = _terminal_memory(len(beside), 1 - int(terminals[cell]))
        yield Factor("terminal", np.append(cell, beside)[None], memory)


def _open_cell_factors(puzzle: Puzzle) -> Iterator[Factor]:
    """An open cell is off the path, or on it with degree two."""
    around, is_open, terminals = _surroundings(puzzle)
    cells = np.flatnonzero(puzzle.givens["cells"].ravel() == OPEN)
    shapes = np.stack([is_open[cells].sum(1), terminals[cells]], 1)
    for open_count, terminal_count in np.unique(shapes, axis=0).tolist():
        alike = cells[(shapes == (open_count, terminal_count)).all(1)]
        beside = around[alike][is_open[alike]].reshape(len(alike), open_count)
        scopes = np.concatenate([alike[:, None], beside], 1)
        yield Factor("open cell", scopes, _open_cell_memory(open_count, 2 - terminal_count))


@lru_cache(maxsize=16)
def _terminal_memory(size: int, degree: int) -> Enumerated:
    """A terminal, itself unmarked, and its `size` open neighbours, `degree` of them marked."""
    around = product((0, 1), repeat=size)
    patterns = [(0, *marks) for marks in around if sum(marks) == degree]
    return Enumerated(np.array(patterns, np.int64).reshape(-1, 1 + size), states=2)


@lru_cache(maxsize=32)
def _open_cell_memory(size: int, degree: int) -> Enumerated:
    """A cell and its `size` open neighbours: unmarked, or marked with `degree` of them."""
    around = list(product((0, 1), repeat=size))
    off = [(0, *marks) for marks in around]
    on = [(1, *marks) for marks in around if sum(marks) == degree]
    return Enumerated(np.array(off + on), states=2)


class PathRule(Potential):
    """The graph that marked cells and terminals form on open ground (G of Eq. 8).

    Violations of path rules are plain counts, at least 1 where a rule is broken. Together they are
    complete: marks in place, start and goal joined, degrees right and no cycle leave only a path.
    """

    def __init__(self, cells: UInt8[np.ndarray, "H W"]) -> None:
        self.cells = cells
        self.terminal = cells >= START
        self.start, self.goal = (
            tuple(int(at) for at in np.argwhere(cells == kind)[0]) for kind in (START, GOAL)
        )

    def marked(self, states: Int[np.ndarray, "k n"]) -> Boards:
        return states.reshape(-1, *self.cells.shape) == 1

    def on_path(self, states: Int[np.ndarray, "k n"]) -> Boards:
        """Marked open cells and both terminals; marks on walls are `Format`'s business."""
        return (self.marked(states) & (self.cells == OPEN)) | self.terminal


class LocalPathRule(PathRule):
    """What can be seen on a board without knowing where it ends."""

    @classmethod
    def blame_all(
        cls, potentials: Sequence[Any], states: Int[np.ndarray, "b n"]
    ) -> Bool[np.ndarray, "b n"]:
        """All boards as one above the other, with a row of wall between them."""
        height, width = potentials[0].cells.shape
        cells = np.full((len(states), height + 1, width), WALL, np.uint8)
        cells[:, :height] = [one.cells for one in potentials]
        tower = np.zeros(cells.shape, states.dtype)
        tower[:, :height] = states.reshape(-1, height, width)
        blamed = cls(cells.reshape(-1, width)).blame(tower.ravel())
        return blamed.reshape(cells.shape)[:, :height].reshape(states.shape)


def degrees(on: Boards) -> Int[np.ndarray, "k H W"]:
    """How many neighbours of each cell are on the path."""
    degree = np.zeros(on.shape, np.int64)
    degree[:, 1:] += on[:, :-1]
    degree[:, :-1] += on[:, 1:]
    degree[:, :, 1:] += on[:, :, :-1]
    degree[:, :, :-1] += on[:, :, 1:]
    return degree


def edge_count(on: Boards) -> Int[np.ndarray, " k"]:
    across = (on[:, :, 1:] & on[:, :, :-1]).sum((1, 2))
    return across + (on[:, 1:] & on[:, :-1]).sum((1, 2))


class Format(LocalPathRule):
    """Marks stand on open cells only."""

    name = "format"

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        return self._misplaced(states).sum((1, 2)).astype(float)

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "marked, but not open ground"

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        return self._misplaced(states[None])[0].ravel()

    def _misplaced(self, states: Int[np.ndarray, "k n"]) -> Boards:
        return self.marked(states) & (self.cells != OPEN)


class Degree(LocalPathRule):
    """Terminals have one neighbour on the path, every other cell of it two."""

    name = "degree"

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        return self._excess(states).sum((1, 2)).astype(float)

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "on the path with too few or too many neighbours on it"

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        return self._excess(states[None])[0].ravel() > 0

    def _excess(self, states: Int[np.ndarray, "k n"]) -> Int[np.ndarray, "k H W"]:
        on = self.on_path(states)
        return np.abs(degrees(on) - np.where(self.terminal, 1, 2)) * on


class Connectivity(PathRule):
    """Start and goal lie in one piece."""

    name = "start-goal connectivity"

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        labels, _ = components(self.on_path(states))
        return (labels[:, *self.start] != labels[:, *self.goal]).astype(float)

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "where the way from start to goal ends"

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """The terminals, and the loose ends of their pieces."""
        on = self.on_path(states[None])
        labels, _ = components(on)
        pieces = (labels == labels[:, *self.start]) | (labels == labels[:, *self.goal])
        return (pieces & (degrees(on) < 2) | self.terminal)[0].ravel()


class Cycle(LocalPathRule):
    """No closed loop, joined to the path or apart: edges - cells + pieces is 0."""

    name = "cycle"

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        on = self.on_path(states)
        _, pieces = components(on)
        return (edge_count(on) - on.sum((1, 2)) + pieces).astype(float)

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "on a loop"

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """What remains when dead ends are cut off until there are none."""
        on = self.on_path(states[None])
        while (loose := on & (degrees(on) < 2)).any():
            on = on & ~loose
        return on[0].ravel()


class Length(PathRule):
    """A path over c marked cells has c + 1 steps; with `shortest`, as few as the maze allows."""

    name = "length"

    def __init__(self, cells: UInt8[np.ndarray, "H W"], shortest: bool = False) -> None:
        super().__init__(cells)
        steps = shortest_path(cells)[0] if shortest else -1
        self.fewest_steps = steps if steps >= 0 else None

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        on = self.on_path(states)
        steps = on.sum((1, 2)) - 1
        off = np.abs(edge_count(on) - steps)
        if self.fewest_steps is not None:
            off = off + np.abs(steps - self.fewest_steps)
        return off.astype(float)

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "on a way that is too long"

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        return self.on_path(states[None])[0].ravel()


@kernel
@no_type_check
def distances(cells, row, column):
    """Steps from one cell to each (-1 for out of reach), and shortest ways there, 2 for more."""
    height, width = cells.shape
    steps = np.full((height, width), -1, np.int64)
    ways = np.zeros((height, width), np.int64)
    queue = np.empty((height * width, 2), np.int64)
    queue[0] = row, column
    steps[row, column], ways[row, column] = 0, 1
    head, tail = 0, 1
    while head < tail:
        row, column = queue[head]
        head += 1
        for dr, dc in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            r, c = row + dr, column + dc
            if 0 <= r < height and 0 <= c < width and cells[r, c] != WALL:
                if steps[r, c] < 0:
                    steps[r, c] = steps[row, column] + 1
                    queue[tail] = r, c
                    tail += 1
                if steps[r, c] == steps[row, column] + 1:
                    ways[r, c] = min(2, ways[r, c] + ways[row, column])
    return steps, ways


def shortest_path(cells: Integer[np.ndarray, "h w"]) -> tuple[int, int]:
    """Steps from start to goal, -1 for out of reach, and shortest ways: 0, 1 or 2 for more."""
    row, column = np.argwhere(cells == START)[0]
    steps, ways = distances(np.ascontiguousarray(cells, np.uint8), row, column)
    goal = tuple(np.argwhere(cells == GOAL)[0])
    return int(steps[goal]), int(ways[goal])
