"""Potentials about connected areas, which no small memory can hold; counts a cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.energy.potential import Potential
from erm.grid import components


@dataclass(frozen=True, eq=False)
class OneArea(Potential):
    """All cells of one state are connected: areas beyond the first are counted."""

    name: str
    shape: tuple[int, int]
    state: int
    needed: bool = False
    """Whether having no such cell at all breaks the rule, too."""

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        _, areas = components(states.reshape(-1, *self.shape) == self.state)
        surplus = np.abs(areas - 1) if self.needed else np.maximum(areas - 1, 0)
        return surplus / states.shape[1]

    def prune(self, domain: Bool[np.ndarray, "b n S"]) -> Bool[np.ndarray, "b n S"]:
        """Cells that the ones known to be in the area cannot reach are not in it."""
        possible = domain[..., self.state]
        known = possible & (domain.sum(-1) == 1)
        labels, _ = components(possible.reshape(-1, *self.shape))
        labels = labels.reshape(len(domain), -1)
        reached = np.where(known, labels, 0).max(1, initial=0)
        pruned = domain.copy()
        pruned[..., self.state] &= (labels == reached[:, None]) | (reached == 0)[:, None]
        return pruned

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """Every area but the largest; the whole board where there is none."""
        labels, areas = components(states.reshape(1, *self.shape) == self.state)
        if areas[0] == 0:
            return np.ones(len(states), bool)
        sizes = np.bincount(labels.ravel())
        main = 1 + sizes[1:].argmax()
        return (labels.ravel() > 0) & (labels.ravel() != main)


@dataclass(frozen=True, eq=False)
class SomeMarked(Potential):
    """At least one cell is marked."""

    name: str

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        return (~(states == 1).any(1)).astype(float) / states.shape[1]

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        return np.ones(len(states), bool)
