"""Maze: mark the interior cells of a path from start to goal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

import numpy as np
from jaxtyping import Bool, Float, Int, Integer

from erm.drawing.lattice import Lattice
from erm.grid import neighbours
from erm.puzzles.maze import text as codec
from erm.puzzles.maze.drawing import LOOK, drawing
from erm.puzzles.maze.givens import GIVENS, GOAL, OPEN, PATH, START, WALL
from erm.puzzles.maze.path import Connectivity, Cycle, Degree, Format, Length
from erm.rulebook.energy import EnergySettings
from erm.rulebook.factor import Factor
from erm.rulebook.generator import Generator
from erm.rulebook.memory import Enumerated
from erm.rulebook.potential import Potential
from erm.rulebook.symmetry import SQUARE
from erm.rulebook.task import Task
from erm.types import Puzzle


class Maze(Task):
    """Givens: `cells` uint8 [H, W]: 1 wall, 2 open, 3 start, 4 goal.

    State 1 marks a cell between start and goal. Degrees count neighbours that are marked or
    terminals, so a valid path is induced: it touches itself nowhere. In a maze without loops
    that is the one simple path; with loops every shortest path is of this kind, and
    `Maze(shortest=True)` accepts nothing longer. The energy is Eq. 8.
    """

    name = codec.NAME
    state_words = ("off the path", "on the path")
    states = 2
    settings = EnergySettings(tau=0.02, beta=1.0, mu=1.0, weight=0.25)
    vocabulary = 6
    printed = "wall"
    marks = True
    givens = GIVENS
    look = LOOK
    symmetry = SQUARE
    wanted = "rows of # walls and spaces with one S and one G"
    drawn = True

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

    def parse(self, text: str) -> Puzzle:
        return codec.parse_maze(text)

    def format(self, puzzle: Puzzle) -> str:
        return codec.format_maze(puzzle)

    def resembles(self, text: str) -> bool:
        return codec.resembles_maze(text)

    def parse_row(self, question: str, answer: str) -> Puzzle:
        return codec.parse_row(question, answer)

    def format_row(self, puzzle: Puzzle) -> tuple[str, str]:
        return codec.format_row(puzzle)

    def format_solved(self, puzzle: Puzzle) -> str:
        return codec.format_maze(puzzle, puzzle.answer)

    def array_vocabulary(self, side: int) -> int:
        return self.vocabulary

    def recognises_tokens(self, inputs: Integer[np.ndarray, "m n"]) -> bool:
        return codec.are_maze_tokens(inputs)

    def parse_tokens(
        self, inputs: Integer[np.ndarray, "m n"], labels: Integer[np.ndarray, "m n"] | None
    ) -> list[Puzzle]:
        return codec.mazes_of_tokens(inputs, labels)

    def generator(self) -> type[Generator]:
        from erm.puzzles.maze.generate import MazeGenerator

        return MazeGenerator

    def count_solutions(self, puzzles: Sequence[Puzzle]) -> Iterator[int | None]:
        """Shortest paths; others do not count."""
        from erm.puzzles.maze.distance import shortest_path

        return (shortest_path(puzzle.givens["cells"])[1] for puzzle in puzzles)

    def answer_fault(self, puzzle: Puzzle, answer: np.ndarray) -> str | None:
        """A label is also a shortest path."""
        from erm.puzzles.maze.distance import shortest_path

        length, steps = int(answer.sum()) + 1, shortest_path(puzzle.givens["cells"])[0]
        longer = f"takes {length} steps where {steps} suffice" if length > steps else None
        return super().answer_fault(puzzle, answer) or longer

    def drawing(
        self,
        puzzle: Puzzle,
        answer: Int[np.ndarray, "H W"] | None,
        marked: Bool[np.ndarray, "H W"],
    ) -> Lattice:
        return drawing(puzzle.givens["cells"], answer, marked)


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
