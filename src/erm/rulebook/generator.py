"""What makes puzzles of one task; `erm data TASK` is derived from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from erm.types import Puzzle


@dataclass(frozen=True)
class Generator(ABC):
    """Makes puzzles with one solution, each with its answer.

    Fields are the options that decide what comes out beside size and seed, each with a default;
    `erm data TASK` offers them by name. The first line of the docstring is its help.
    """

    usual_size: ClassVar[str] = "10x10"
    """What is made where no size is asked for."""
    sizes: ClassVar[str] = "Height and width."
    """Which sizes there are, for people."""

    example_sides: ClassVar[tuple[int, ...]] = (5, 6, 8, 10)
    """Of the boards to try on the page."""

    def check(self, height: int, width: int) -> None:
        """InputError where no puzzles of that size can be made with these options."""
        return

    @abstractmethod
    def make(self, height: int, width: int, rng: np.random.Generator) -> Iterable[Puzzle]:
        """One unit of work: some puzzles, the same for the same state of `rng`; perhaps none."""

    def examples(self, rng: np.random.Generator) -> Iterator[tuple[str, Puzzle]]:
        """A few puzzles to try, from easy to hard, each with its title."""
        for side in self.example_sides:
            made: Puzzle | None = None
            while made is None:
                made = next(iter(self.make(side, side, rng)), None)
            yield f"{side} × {side}", made


def unit_rng(seed: int, unit: int) -> np.random.Generator:
    """The randomness of one unit of work, the same whichever process does it."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(unit,)))
