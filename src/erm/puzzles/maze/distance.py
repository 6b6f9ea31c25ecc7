"""How far it is through a maze, and whether there is only one shortest way."""

from __future__ import annotations

from typing import no_type_check

import numpy as np
from jaxtyping import Integer

from erm.puzzles.maze.givens import GOAL, START, WALL
from erm.rulebook.kernel import kernel


@kernel
@no_type_check
def distances(cells, row, column):
    """Steps from one cell to each (-1 for out of reach), and shortest ways there, 2 for more."""
    height, width = cells.shape
    steps = np.full((height, width), -1, np.int64)
    ways = np.zeros((height, width), np.int64)
    queue = np.empty((height * width, 2), np.int64)
    queue[0] = row, column
    steps[row, column], ways[row, column] = 0, 1
    head, tail = 0, 1
    while head < tail:
        row, column = queue[head]
        head += 1
        for dr, dc in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            r, c = row + dr, column + dc
            if 0 <= r < height and 0 <= c < width and cells[r, c] != WALL:
                if steps[r, c] < 0:
                    steps[r, c] = steps[row, column] + 1
                    queue[tail] = r, c
                    tail += 1
                if steps[r, c] == steps[row, column] + 1:
                    ways[r, c] = min(2, ways[r, c] + ways[row, column])
    return steps, ways


def shortest_path(cells: Integer[np.ndarray, "h w"]) -> tuple[int, int]:
    """Steps from start to goal, -1 for out of reach, and shortest ways: 0, 1 or 2 for more."""
    row, column = np.argwhere(cells == START)[0]
    steps, ways = distances(np.ascontiguousarray(cells, np.uint8), row, column)
    goal = tuple(np.argwhere(cells == GOAL)[0])
    return int(steps[goal]), int(ways[goal])
