"""Nurikabe: one sea without pools around islands that each hold one clue, their size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.energy.counting import AtMost
from erm.energy.factor import Factor
from erm.energy.potential import Potential
from erm.grid import components, windows
from erm.tasks import ppbench
from erm.tasks.areas import OneArea
from erm.tasks.pencil import Pencil, magnitude, one_hot, stack_features
from erm.types import Puzzle

NO_CLUE, ANY_SIZE = 0, -1
LAND, SEA = 0, 1


class Nurikabe(Pencil):
    """Givens: `clues` int16 [H, W]: 0 none, -1 any size ("?"), n an island of n cells; 1 is sea."""

    name = "nurikabe"

    def markable(self, puzzle: Puzzle) -> Bool[np.ndarray, " n"]:
        return puzzle.givens["clues"].ravel() == NO_CLUE

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        return (Factor("no 2x2 of sea", windows(*puzzle.shape), AtMost(3, 4)),)

    def potentials(self, puzzle: Puzzle) -> Sequence[Potential]:
        clues = puzzle.givens["clues"]
        return OneClue(clues), IslandSize(clues), OneArea("sea is connected", clues.shape, SEA)

    def features(self, puzzle: Puzzle) -> Float[np.ndarray, "n 16"]:
        """No clue, "?", sizes 1 to 12 one-hot, any size by magnitude."""
        clues = puzzle.givens["clues"].ravel()
        return stack_features(one_hot(clues, (NO_CLUE, ANY_SIZE, *range(1, 13))), magnitude(clues))

    def tokens(self, puzzle: Puzzle) -> Int[np.ndarray, " n"]:
        return ppbench.nurikabe_tokens(puzzle.givens["clues"])


class IslandRule(Potential):
    """A count of what is wrong with the islands, a cell of the board."""

    def __init__(self, clues: Int[np.ndarray, "H W"]) -> None:
        self.clues = clues
        self.clued = np.flatnonzero(clues.ravel() != NO_CLUE)

    def islands(self, states: Int[np.ndarray, "k n"]) -> tuple[np.ndarray, np.ndarray]:
        """Island ids [k, n], 0 at sea, and how many clues each id holds."""
        labels, counts = components(states.reshape(-1, *self.clues.shape) == LAND)
        labels = labels.reshape(len(states), -1)
        clues = np.bincount(labels[:, self.clued].ravel(), minlength=counts.sum() + 1)
        return labels, clues

    def faults(self, labels: np.ndarray, clues: np.ndarray) -> np.ndarray:
        """What is wrong with each island id; 0 for the sea."""
        raise NotImplementedError

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        labels, clues = self.islands(states)
        board = np.zeros(len(clues), np.int64)
        board[labels] = np.arange(len(states))[:, None]
        faults = self.faults(labels, clues)
        return np.bincount(board, faults, minlength=len(states)) / states.shape[1]

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        labels, clues = self.islands(states[None])
        return self.faults(labels, clues)[labels[0]] > 0


class OneClue(IslandRule):
    """An island without clue is one fault; one with several has one for each beyond the first."""

    name = "an island holds one clue"

    def faults(self, labels: np.ndarray, clues: np.ndarray) -> np.ndarray:
        faults = np.abs(clues - 1)
        faults[0] = 0
        return faults


class IslandSize(IslandRule):
    """Cells missing or surplus on the islands that hold one numbered clue."""

    name = "an island is as large as its clue"

    def faults(self, labels: np.ndarray, clues: np.ndarray) -> np.ndarray:
        sizes = np.bincount(labels.ravel(), minlength=len(clues))
        values = np.tile(self.clues.ravel()[self.clued], len(labels))
        wanted = np.bincount(labels[:, self.clued].ravel(), values, minlength=len(clues))
        faults = np.where((clues == 1) & (wanted != ANY_SIZE), np.abs(sizes - wanted), 0)
        faults[0] = 0
        return faults
