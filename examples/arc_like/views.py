"""Ways to look at a cell of a board, from the simplest to the most detailed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

COLOURS = 4
OFF_BOARD = COLOURS
STEPS = [(0, 0), (0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)]
BESIDE, AROUND = STEPS[1:5], STEPS[1:]

View = Callable[[np.ndarray], np.ndarray]
"""What each cell of a board sees, as a number."""
Memory = Mapping[int, set[int]]
"""The colours of the output that went with each thing that a view saw."""


def colour_at(board: np.ndarray, step: tuple[int, int]) -> np.ndarray:
    """The colour one step away from each cell."""
    (height, width), (down, right) = board.shape, step
    padded = np.pad(board.astype(np.int64), 1, constant_values=OFF_BOARD)
    return padded[1 + down : 1 + down + height, 1 + right : 1 + right + width]


def _neighbour(step: tuple[int, int]) -> View:
    return lambda board: colour_at(board, step)


def _own_and_those_at(steps: Sequence[tuple[int, int]]) -> View:
    """A cell's own colour, and which colours there are at some steps from it."""

    def view(board: np.ndarray) -> np.ndarray:
        there = np.zeros(board.shape, np.int64)
        for step in steps:
            there |= (1 << colour_at(board, step)) & ~(1 << OFF_BOARD)
        return board + COLOURS * there

    return view


VIEWS: list[View] = [*map(_neighbour, STEPS), _own_and_those_at(BESIDE), _own_and_those_at(AROUND)]


def memory_of(view: View, examples: np.ndarray) -> Memory:
    """What a view saw in the inputs [pairs, 2, H, W], and the colours that went with it."""
    seen: dict[int, set[int]] = {}
    for before, after in examples:
        for key, colour in zip(view(before).ravel().tolist(), after.ravel().tolist(), strict=True):
            seen.setdefault(key, set()).add(colour)
    return seen


def explains(memory: Memory) -> bool:
    """Whether what the view saw always went with one colour."""
    return all(len(colours) == 1 for colours in memory.values())
