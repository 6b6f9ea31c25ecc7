"""Generators of boards whose only answer is proved with clingo."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from erm.errors import InputError
from erm.puzzles.pencil import Pencil
from erm.puzzles.prover import Undecided
from erm.rulebook.generator import Generator
from erm.types import MAX_SIDE, Puzzle

MIN_SIDE = 4
"""Smaller boards hold few different puzzles and most of the repairs do not fit on them."""
ATTEMPTS = 100
BOARDS_A_UNIT = 4


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
