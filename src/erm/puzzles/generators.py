"""What generators share: random choices in kernels, grown regions, boards proved by clingo."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, no_type_check

import numpy as np
from jaxtyping import Bool

from erm.errors import InputError
from erm.grid import OFF_BOARD, neighbours, windows
from erm.puzzles.pencil import Pencil
from erm.puzzles.prover import Undecided
from erm.rulebook.generator import Generator
from erm.rulebook.kernel import kernel
from erm.types import MAX_SIDE, Puzzle

MIN_SIDE = 4
"""Smaller boards hold few different puzzles and most of the repairs do not fit on them."""
ATTEMPTS = 100
BOARDS_A_UNIT = 4


@kernel
@no_type_check
def below(rng, n):
    """A random integer from 0 to n - 1."""
    return int(rng.random() * n)


@kernel
@no_type_check
def shuffle(rng, values):
    for i in range(len(values) - 1, 0, -1):
        j = below(rng, i + 1)
        values[i], values[j] = values[j], values[i]


class Growth:
    """A region that grows on a board and never fills a 2x2 square."""

    def __init__(self, height: int, width: int, rng: np.random.Generator) -> None:
        self.shape, self.rng = (height, width), rng
        self._beside, self._squares = _surroundings(height, width)
        self._filled = [False] * (height * width)
        self._edge: list[int] = []
        self._listed: set[int] = set()
        self.size = 0

    @property
    def region(self) -> Bool[np.ndarray, "H W"]:
        return np.array(self._filled, bool).reshape(self.shape)

    def add(self, cell: int) -> None:
        self._filled[cell] = True
        self.size += 1
        for other in self._beside[cell]:
            if other not in self._listed:
                self._listed.add(other)
                self._edge.append(other)
        self._listed.add(cell)

    def fits(self, cell: int) -> bool:
        """Whether the cell may join: it is free and would not complete a square."""
        filled = self._filled
        return not filled[cell] and not any(
            filled[a] and filled[b] and filled[c] for a, b, c in self._squares[cell]
        )

    def touches(self, cell: int) -> int:
        """How many cells of the region lie beside this one."""
        return sum(self._filled[other] for other in self._beside[cell])

    def grow(self, target: int, loops: float, straight: float) -> None:
        """Grow from a random cell to `target` cells or until nothing fits.

        A cell that would close a loop joins with chance `loops`; with chance `straight` the
        region goes on from where it grew last, which makes long arms.
        """
        if self.size == 0:
            row, column = (int(self.rng.integers(side)) for side in self.shape)
            self.add(row * self.shape[1] + column)
        while self._edge and self.size < target:
            n = len(self._edge)
            at = n - 1 if self.rng.random() < straight else int(self.rng.integers(n))
            self._edge[at], self._edge[-1] = self._edge[-1], self._edge[at]
            cell = self._edge.pop()
            # A refused cell is never listed again: what closes a loop now, closes it later.
            if self.fits(cell) and (self.touches(cell) == 1 or self.rng.random() < loops):
                self.add(cell)

    def fill(self, cells: Iterable[int]) -> bool:
        """Add the first of these cells that fits and touches the region."""
        for cell in cells:
            if self.fits(cell) and self.touches(cell):
                self.add(cell)
                return True
        return False


@lru_cache(maxsize=64)
def _surroundings(height: int, width: int) -> tuple[list[list[int]], list[list[list[int]]]]:
    """The cells beside each cell, and the other three of each square that it lies in."""
    beside = [
        [other for other in around if other != OFF_BOARD]
        for around in neighbours(height, width).tolist()
    ]
    squares: list[list[list[int]]] = [[] for _ in beside]
    for square in windows(height, width).tolist():
        for cell in square:
            squares[cell].append([other for other in square if other != cell])
    return beside, squares


@dataclass(frozen=True)
class ProvedGenerator(Generator):
    """Starts from an answer that it constructs, prints clues for it, and repairs the board where
    clingo shows another answer."""

    task: ClassVar[type[Pencil]]
    """Whose boards are made; its encoding proves them."""

    minimal: bool = False
    """Leave out clues as long as the solution stays the only one: harder puzzles."""

    @abstractmethod
    def construct(self, height: int, width: int, rng: np.random.Generator) -> Puzzle | None:
        """One unique board, or None where repairs did not lead to one."""

    def check(self, height: int, width: int) -> None:
        if not (MIN_SIDE <= height <= MAX_SIDE and MIN_SIDE <= width <= MAX_SIDE):
            raise InputError(
                f"{self.task.name} boards are made with sides of {MIN_SIDE} to {MAX_SIDE}, "
                f"but the size asked for is {height}x{width}"
            )

    def make(self, height: int, width: int, rng: np.random.Generator) -> Iterator[Puzzle]:
        for _ in range(BOARDS_A_UNIT):
            puzzle = self.make_one(height, width, rng)
            if puzzle is not None:
                yield puzzle

    def make_one(self, height: int, width: int, rng: np.random.Generator) -> Puzzle | None:
        """One board with exactly one answer; None, after many attempts, where the size gives no
        such board."""
        self.check(height, width)
        for _ in range(ATTEMPTS):
            try:
                puzzle = self.construct(height, width, rng)
            except Undecided:
                continue
            if puzzle is not None:
                self._prove(puzzle)
                return puzzle
        return None

    def _prove(self, puzzle: Puzzle) -> None:
        """Repairs ask for other answers only; here the board as printed has to name this one."""
        answers = [answer.tolist() for answer in self.task.prover(puzzle.givens).answers(2)]
        if puzzle.answer is None or answers != [puzzle.answer.tolist()]:
            raise RuntimeError(
                f"a generated {puzzle.task} has {len(answers)} answers or another one"
            )
