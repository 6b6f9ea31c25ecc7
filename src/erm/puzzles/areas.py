"""Potentials about connected areas, which no small memory can hold; counts a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, no_type_check

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.grid import components, neighbours
from erm.rulebook.kernel import kernel
from erm.rulebook.potential import Potential


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
        """Cells that the area cannot reach are not in it; those it cannot do without are."""
        possible = np.ascontiguousarray(domain[..., self.state])
        known = possible & (domain.sum(-1) == 1)
        reached, needed = _trace(possible, known, neighbours(*self.shape))
        pruned = domain & ~needed[..., None]
        pruned[..., self.state] = domain[..., self.state] & reached
        return pruned

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """Every area but the largest; the whole board where there is none."""
        labels, areas = components(states.reshape(1, *self.shape) == self.state)
        if areas[0] == 0:
            return np.ones(len(states), bool)
        sizes = np.bincount(labels.ravel())
        main = 1 + sizes[1:].argmax()
        return (labels.ravel() > 0) & (labels.ravel() != main)

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


@kernel
@no_type_check
def _trace(possible, known, around):
    """What the area may reach on each board, and the cells without which it would fall apart.

    A walk in depth from a known cell reaches all that the area may hold. A cell is needed where a
    part of the walk behind it holds known cells and has no other way back (Tarjan's low links).
    Boards without a known cell are left open.
    """
    boards, cells = possible.shape
    reached = possible.copy()
    needed = np.zeros((boards, cells), np.bool_)
    when = np.empty(cells, np.int64)
    low = np.empty(cells, np.int64)
    parent = np.empty(cells, np.int64)
    side = np.empty(cells, np.int64)
    holds = np.empty(cells, np.int64)
    for board in range(boards):
        land, sure = possible[board], known[board]
        if not sure.any():
            continue
        when[:] = -1
        side[:] = 0
        cell = np.argmax(sure)
        parent[cell] = -1
        when[cell] = low[cell] = clock = 0
        holds[cell] = 1
        while cell >= 0:
            if side[cell] < 4:
                other = around[cell, side[cell]]
                side[cell] += 1
                if other < 0 or not land[other]:
                    continue
                if when[other] < 0:
                    clock += 1
                    when[other] = low[other] = clock
                    parent[other] = cell
                    holds[other] = 1 if sure[other] else 0
                    cell = other
                elif when[other] < low[cell]:
                    low[cell] = when[other]
                continue
            back = parent[cell]
            if back >= 0:
                holds[back] += holds[cell]
                if low[cell] < low[back]:
                    low[back] = low[cell]
                if holds[cell] and low[cell] >= when[back]:
                    needed[board, back] = True
            cell = back
        for at in range(cells):
            reached[board, at] = when[at] >= 0
    return reached, needed
