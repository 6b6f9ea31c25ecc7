"""What lightup, nurikabe, heyawake and tapa share: two states, links, tokens, Eq. 7."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.formats import puzzlink
from erm.puzzles import ppbench
from erm.rulebook.energy import EnergySettings
from erm.rulebook.task import Task
from erm.types import Puzzle


class Pencil(Task):
    """A pencil puzzle: each cell is marked (shaded, or a bulb) or not.

    The energy is Eq. 7: distances to memories with beta 128, potentials per cell with mu 64,
    no confidence (gamma 0); at tau 0.02 the nearest memory decides.
    """

    states = 2
    settings = EnergySettings(tau=0.02, beta=128.0, mu=64.0, gamma=0.0)
    vocabulary = ppbench.VOCABULARY
    marks = True

    @abstractmethod
    def markable(self, puzzle: Puzzle) -> Bool[np.ndarray, " n"]:
        """The cells on which the printed clues leave room for a mark."""

    def domain(self, puzzle: Puzzle) -> Bool[np.ndarray, "n 2"]:
        markable = self.markable(puzzle)
        return np.stack([np.ones_like(markable), markable], 1)

    def partitions(self, puzzle: Puzzle) -> Int[np.ndarray, "P n"]:
        return np.zeros((0, puzzle.cells), np.int64)

    def answer_tokens(self, puzzle: Puzzle) -> Int[np.ndarray, "n 2"]:
        return np.tile([ppbench.WHITE, ppbench.MARKED], (puzzle.cells, 1))

    def parse(self, text: str) -> Puzzle:
        return puzzlink.parse(text, self.name)

    def format(self, puzzle: Puzzle) -> str:
        return puzzlink.format(puzzle)


def one_hot(values: Int[np.ndarray, " n"], choices: Iterable[int]) -> Bool[np.ndarray, "n c"]:
    """One channel a choice; all zero where the value is none of them."""
    return values[:, None] == np.array(list(choices))


def magnitude(values: Int[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Counts on a scale where 15 is 1, so that numbers of any size stay readable; 0 below 1."""
    return np.log2(1 + np.maximum(values, 0)) / 4


def stack_features(*channels: np.ndarray) -> Float[np.ndarray, "n F"]:
    """Channels side by side, and a constant one, whose zero padding shows the board's edge."""
    columns = [channel.reshape(len(channel), -1) for channel in channels]
    columns.append(np.ones((len(channels[0]), 1)))
    return np.concatenate(columns, 1).astype(np.float32)
