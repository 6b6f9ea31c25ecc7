"""The maze's global rules: how far a set of marked cells is from one path (G of Eq. 8).

Violations are plain counts, at least 1 where a rule is broken: the hard rule distance.
Together they are complete: marks in place, start and goal joined, degrees right and no cycle
leave nothing but a path.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int, UInt8

from erm.grid import components
from erm.puzzles.maze.distance import shortest_path
from erm.puzzles.maze.givens import GOAL, OPEN, START, WALL
from erm.rulebook.potential import Potential

Boards = Bool[np.ndarray, "k H W"]


class PathRule(Potential):
    """What the rules share: the graph that marked cells and terminals form on open ground."""

    def __init__(self, cells: UInt8[np.ndarray, "H W"]) -> None:
        self.cells = cells
        self.terminal = cells >= START
        self.start, self.goal = (
            tuple(int(at) for at in np.argwhere(cells == kind)[0]) for kind in (START, GOAL)
        )

    def marked(self, states: Int[np.ndarray, "k n"]) -> Boards:
        return states.reshape(-1, *self.cells.shape) == 1

    def on_path(self, states: Int[np.ndarray, "k n"]) -> Boards:
        """Marked open cells and both terminals; marks on walls are `Format`'s business."""
        return (self.marked(states) & (self.cells == OPEN)) | self.terminal


class LocalPathRule(PathRule):
    """What can be seen on a board without knowing where it ends."""

    @classmethod
    def blame_all(
        cls, potentials: Sequence[Any], states: Int[np.ndarray, "b n"]
    ) -> Bool[np.ndarray, "b n"]:
        """All boards as one above the other, with a row of wall between them."""
        height, width = potentials[0].cells.shape
        cells = np.full((len(states), height + 1, width), WALL, np.uint8)
        cells[:, :height] = [one.cells for one in potentials]
        tower = np.zeros(cells.shape, states.dtype)
        tower[:, :height] = states.reshape(-1, height, width)
        blamed = cls(cells.reshape(-1, width)).blame(tower.ravel())
        return blamed.reshape(cells.shape)[:, :height].reshape(states.shape)


def degrees(on: Boards) -> Int[np.ndarray, "k H W"]:
    """How many neighbours of each cell are on the path."""
    degree = np.zeros(on.shape, np.int64)
    degree[:, 1:] += on[:, :-1]
    degree[:, :-1] += on[:, 1:]
    degree[:, :, 1:] += on[:, :, :-1]
    degree[:, :, :-1] += on[:, :, 1:]
    return degree


def edge_count(on: Boards) -> Int[np.ndarray, " k"]:
    across = (on[:, :, 1:] & on[:, :, :-1]).sum((1, 2))
    return across + (on[:, 1:] & on[:, :-1]).sum((1, 2))


class Format(LocalPathRule):
    """Marks stand on open cells only."""

    name = "format"

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        return self._misplaced(states).sum((1, 2)).astype(float)

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "marked, but not open ground"

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        return self._misplaced(states[None])[0].ravel()

    def _misplaced(self, states: Int[np.ndarray, "k n"]) -> Boards:
        return self.marked(states) & (self.cells != OPEN)


class Degree(LocalPathRule):
    """Terminals have one neighbour on the path, every other cell of it two."""

    name = "degree"

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        return self._excess(states).sum((1, 2)).astype(float)

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "on the path with too few or too many neighbours on it"

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        return self._excess(states[None])[0].ravel() > 0

    def _excess(self, states: Int[np.ndarray, "k n"]) -> Int[np.ndarray, "k H W"]:
        on = self.on_path(states)
        return np.abs(degrees(on) - np.where(self.terminal, 1, 2)) * on


class Connectivity(PathRule):
    """Start and goal lie in one piece."""

    name = "start-goal connectivity"

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        labels, _ = components(self.on_path(states))
        return (labels[:, *self.start] != labels[:, *self.goal]).astype(float)

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "where the way from start to goal ends"

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """The terminals, and the loose ends of their pieces."""
        on = self.on_path(states[None])
        labels, _ = components(on)
        pieces = (labels == labels[:, *self.start]) | (labels == labels[:, *self.goal])
        return (pieces & (degrees(on) < 2) | self.terminal)[0].ravel()


class Cycle(LocalPathRule):
    """No closed loop, joined to the path or apart: edges - cells + pieces is 0."""

    name = "cycle"

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        on = self.on_path(states)
        _, pieces = components(on)
        return (edge_count(on) - on.sum((1, 2)) + pieces).astype(float)

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "on a loop"

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """What remains when dead ends are cut off until there are none."""
        on = self.on_path(states[None])
        while (loose := on & (degrees(on) < 2)).any():
            on = on & ~loose
        return on[0].ravel()


class Length(PathRule):
    """A path over c marked cells has c + 1 steps; with `shortest`, as few as the maze allows."""

    name = "length"

    def __init__(self, cells: UInt8[np.ndarray, "H W"], shortest: bool = False) -> None:
        super().__init__(cells)
        steps = shortest_path(cells)[0] if shortest else -1
        self.fewest_steps = steps if steps >= 0 else None

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        on = self.on_path(states)
        steps = on.sum((1, 2)) - 1
        off = np.abs(edge_count(on) - steps)
        if self.fewest_steps is not None:
            off = off + np.abs(steps - self.fewest_steps)
        return off.astype(float)

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "on a way that is too long"

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        return self.on_path(states[None])[0].ravel()
