"""Potentials about nurikabe's islands: one clue each, and as many cells as it says."""

from __future__ import annotations

from abc import abstractmethod
from typing import no_type_check

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.grid import components, neighbours
from erm.puzzles.nurikabe.givens import ANY_SIZE, NO_CLUE
from erm.rulebook.kernel import kernel
from erm.rulebook.potential import Potential

LAND, SEA = 0, 1


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

    def prune(self, domain: Bool[np.ndarray, "b n S"]) -> Bool[np.ndarray, "b n S"]:
        """Land that no island can reach with the cells it still lacks is sea; where known land can
        grow in one place only, it does. This speaks for both island rules."""
        pruned = domain.copy()
        possible, known = domain[..., LAND], domain[..., LAND] & ~domain[..., SEA]
        labels, _ = components(known.reshape(-1, *self.clues.shape))
        labels = labels.reshape(len(domain), -1)
        sizes = self.clues.ravel()[self.clued]
        around = neighbours(*self.clues.shape)
        reached, needed = _reachable(possible, labels, self.clued, sizes, around)
        pruned[..., LAND] &= reached
        pruned[..., SEA] &= ~needed
        return pruned


@kernel
@no_type_check
def _reachable(possible, labels, clued, sizes, around):
    """Which cells some island may hold, none on boards where an island cannot be completed, and
    which cells are the only way for known land to grow.

    An island grows from the known land around its clue, over possible land that does not touch
    another clue's, by at most the cells that it lacks.
    """
    boards, cells = possible.shape
    reached = np.zeros((boards, cells), np.bool_)
    needed = np.zeros((boards, cells), np.bool_)
    for board in range(boards):
        label, land = labels[board], possible[board]
        if _grow_islands(land, label, clued, sizes, around, reached[board]):
            _only_exits(reached[board], label, clued, sizes, around, needed[board])
        else:
            reached[board] = False
    return reached, needed


@kernel
@no_type_check
def _label_range(label):
    """The lowest and the highest label of known land on a board; the latter 0 without any."""
    first, last = label.max() + 1, 0
    for piece in label:
        if piece > 0:
            first, last = min(first, piece), max(last, piece)
    return first, last


@kernel
@no_type_check
def _grow_islands(land, label, clued, sizes, around, reached):
    """Mark what each island may reach; False where one is too large, too small or has two clues."""
    cells = len(land)
    lowest, highest = _label_range(label)
    island_of_label = np.full(highest - lowest + 1, -1)
    for island in range(len(clued)):
        own = label[clued[island]] - lowest
        if own < 0 or island_of_label[own] >= 0:
            return False
        island_of_label[own] = island
    island_of = np.full(cells, -1)
    previous = np.full(cells, -1)
    newest = np.full(len(clued), -1)
    for cell in range(cells):
        if label[cell] > 0:
            island = island_of_label[label[cell] - lowest]
            if island >= 0:
                island_of[cell] = island
                previous[cell] = newest[island]
                newest[island] = cell
    queue = np.empty(cells, np.int64)
    steps = np.empty(cells, np.int64)
    visitor = np.full(cells, -1)
    for island in range(len(clued)):
        last = 0
        cell = newest[island]
        while cell >= 0:
            visitor[cell] = island
            steps[cell] = 0
            queue[last] = cell
            last += 1
            cell = previous[cell]
        lacking = sizes[island] - last if sizes[island] != ANY_SIZE else cells
        if lacking < 0:
            return False
        first = 0
        while first < last:
            cell = queue[first]
            first += 1
            reached[cell] = True
            if steps[cell] == lacking:
                continue
            for beside in around[cell]:
                if beside < 0 or not land[beside] or visitor[beside] == island:
                    continue
                free = island_of[beside] < 0
                for neighbour in around[beside]:
                    if neighbour >= 0 and island_of[neighbour] not in (-1, island):
                        free = False
                if free:
                    visitor[beside] = island
                    steps[beside] = steps[cell] + 1
                    queue[last] = beside
                    last += 1
        if sizes[island] != ANY_SIZE and last < sizes[island]:
            return False
    return True


@kernel
@no_type_check
def _only_exits(reached, label, clued, sizes, around, needed):
    """Mark the one cell beside each unfinished piece of known land that it can grow into."""
    first, last = _label_range(label)
    if last == 0:
        return
    size_of = np.zeros(last - first + 1, np.int64)
    for piece in label:
        if piece > 0:
            size_of[piece - first] += 1
    lacks = np.ones(last - first + 1, np.bool_)
    for island in range(len(clued)):
        own = label[clued[island]] - first
        lacks[own] = sizes[island] != ANY_SIZE and sizes[island] > size_of[own]
    exits = np.full(last - first + 1, -1)
    for cell in range(len(label)):
        if label[cell] > 0 or not reached[cell]:
            continue
        for beside in around[cell]:
            if beside >= 0 and label[beside] > 0:
                piece = label[beside] - first
                if exits[piece] == -1:
                    exits[piece] = cell
                elif exits[piece] != cell:
                    exits[piece] = -2
    for piece in range(len(exits)):
        if lacks[piece] and exits[piece] >= 0:
            needed[exits[piece]] = True
