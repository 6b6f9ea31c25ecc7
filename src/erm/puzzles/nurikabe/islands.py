"""Potentials about nurikabe's islands: one clue each, and as many cells as it says."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.grid import components, neighbours
from erm.puzzles.nurikabe.givens import ANY_SIZE, NO_CLUE
from erm.rulebook.potential import Potential
from erm.rulebook.propagation import parts
from erm.rulebook.propagation.parts import Part, SeededAreas

LAND, SEA = 0, 1


class IslandRule(Potential):
    """A count of what is wrong with the islands, per cell of the board."""

    def __init__(self, clues: Int[np.ndarray, "H W"]) -> None:
        self.clues = clues
        self.clued = np.flatnonzero(clues.ravel() != NO_CLUE)

    def islands(self, states: Int[np.ndarray, "k n"]) -> tuple[np.ndarray, np.ndarray]:
        """Island ids [k, n], 0 at sea, and how many clues each id holds."""
        labels, counts = components(states.reshape(-1, *self.clues.shape) == LAND)
        labels = labels.reshape(len(states), -1)
        clues = np.bincount(labels[:, self.clued].ravel(), minlength=counts.sum() + 1)
        return labels, clues

    @abstractmethod
    def faults(self, labels: np.ndarray, clues: np.ndarray) -> np.ndarray:
        """What is wrong with each island id; 0 for the sea."""

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        labels, clues = self.islands(states)
        board = np.zeros(len(clues), np.int64)
        board[labels] = np.arange(len(states))[:, None]
        faults = self.faults(labels, clues)
        return np.bincount(board, faults, minlength=len(states)) / states.shape[1]

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        labels, clues = self.islands(states[None])
        return self.faults(labels, clues)[labels[0]] > 0

    @classmethod
    def blame_all(
        cls, potentials: Sequence[Any], states: Int[np.ndarray, "b n"]
    ) -> Bool[np.ndarray, "b n"]:
        """All boards as one above the other, with a row of sea between them."""
        height, width = potentials[0].clues.shape
        clues = np.zeros((len(states), height + 1, width), potentials[0].clues.dtype)
        clues[:, :height] = [one.clues for one in potentials]
        tower = np.full(clues.shape, SEA)
        tower[:, :height] = states.reshape(-1, height, width)
        blamed = cls(clues.reshape(-1, width)).blame(tower.ravel())
        return blamed.reshape(clues.shape)[:, :height].reshape(states.shape)


class OneClue(IslandRule):
    """An island without clue is one fault; one with several has one for each beyond the first."""

    name = "an island holds one clue"

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "on an island without a clue or with several"

    def faults(self, labels: np.ndarray, clues: np.ndarray) -> np.ndarray:
        faults = np.abs(clues - 1)
        faults[0] = 0
        return faults


class IslandSize(IslandRule):
    """Cells missing or surplus on the islands that hold one numbered clue."""

    name = "an island is as large as its clue"

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "on an island of another size"

    def faults(self, labels: np.ndarray, clues: np.ndarray) -> np.ndarray:
        sizes = np.bincount(labels.ravel(), minlength=len(clues))
        values = np.tile(self.clues.ravel()[self.clued], len(labels))
        wanted = np.bincount(labels[:, self.clued].ravel(), values, minlength=len(clues))
        faults = np.where((clues == 1) & (wanted != ANY_SIZE), np.abs(sizes - wanted), 0)
        faults[0] = 0
        return faults

    def parts(self) -> tuple[Part, ...]:
        """This speaks for both island rules."""
        clues = self.clues.ravel()[self.clued]
        sizes = np.where(clues == ANY_SIZE, parts.ANY_SIZE, clues)
        return (SeededAreas(LAND, self.clued, sizes, neighbours(*self.clues.shape)),)
