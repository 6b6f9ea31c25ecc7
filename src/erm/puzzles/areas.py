"""Potentials about connected areas, which no small memory can hold; counts per cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.grid import components, neighbours
from erm.rulebook.potential import Potential
from erm.rulebook.propagation.parts import Connected, Part


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

    def parts(self) -> tuple[Part, ...]:
        around = neighbours(*self.shape)
        members = np.full(len(around), 1 << self.state)
        return (Connected(members, around, self.needed),)

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """Every area but the largest; the whole board where there is none."""
        labels, areas = components(states.reshape(1, *self.shape) == self.state)
        if areas[0] == 0:
            return np.ones(len(states), bool)
        sizes = np.bincount(labels.ravel())
        main = 1 + sizes[1:].argmax()
        return (labels.ravel() > 0) & (labels.ravel() != main)

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "cut off from the others" if (states == self.state).any() else "all of another kind"

    @classmethod
    def blame_all(
        cls, potentials: Sequence[Any], states: Int[np.ndarray, "b n"]
    ) -> Bool[np.ndarray, "b n"]:
        wanted = np.array([one.state for one in potentials])[:, None]
        needed = np.array([one.needed for one in potentials])
        boards = (states == wanted).reshape(-1, *potentials[0].shape)
        labels, areas = components(boards)
        labels = labels.reshape(states.shape)
        sizes = np.bincount(labels.ravel())[labels]
        sizes[labels == 0] = 0
        # The largest area of a board, the first of those as large.
        main = labels[np.arange(len(labels)), sizes.argmax(1)][:, None]
        return (labels > 0) & (labels != main) | ((areas == 0) & needed)[:, None]


@dataclass(frozen=True, eq=False)
class SomeMarked(Potential):
    """At least one cell is marked."""

    name: str

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        return (~(states == 1).any(1)).astype(float) / states.shape[1]

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        return np.ones(len(states), bool)
