"""Mazes after EqR's Maze-Unique: a depth-first perfect maze, a start and a goal far enough away.

Rooms lie at odd coordinates; the last row and column of an even side are wall. With loops,
further walls are opened and only goals with one shortest path count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import no_type_check

import numpy as np
from jaxtyping import Integer

from erm.errors import InputError
from erm.puzzles.generators import below, shuffle
from erm.puzzles.maze.rules import distances
from erm.puzzles.maze.text import GOAL, NAME, OPEN, START, WALL
from erm.rulebook.generator import Generator
from erm.rulebook.kernel import kernel
from erm.types import MAX_SIDE, Puzzle

MAZES_A_UNIT = 128
ROOMS_OF_30 = 14 * 14
LENGTHS_OF_30 = (100, 140)
"""Path lengths, in steps, of Maze-Unique on 30x30; other sizes scale with the number of rooms."""
LOOPED_LENGTHS_OF_30 = (30, 60)
"""The same with loops, where paths are as long as the sides rather than the area."""
TRIES = 4000
"""Start cells tried before a range of lengths is found to be out of reach."""
STARTS_A_MAZE, STARTS_A_LENGTH = 4, 200
"""Start cells tried in one maze and for one length before another is drawn."""


@dataclass(frozen=True)
class MazeGenerator(Generator):
    """Mazes like Maze-Unique; killed, the same command continues.

    Example: erm data maze --count 1000 --size 30x30 --out mazes.npz
    """

    usual_size = "30x30"
    sizes = "Height and width, walls included."
    example_sides = (9, 13, 21, 30)

    loops: float = 0.0
    """Share of the inner walls to open; the shortest path stays unique."""
    min_length: int | None = None
    """Fewest steps from start to goal; 100 on 30x30, in proportion to the rooms elsewhere."""
    max_length: int | None = None
    """Most steps from start to goal; 140 on 30x30."""

    def make(self, height: int, width: int, rng: np.random.Generator) -> Iterator[Puzzle]:
        bounds = self.min_length, self.max_length
        mazes = generate_mazes(MAZES_A_UNIT, height, width, rng, *bounds, self.loops)
        for cells, path in zip(*mazes, strict=True):
            answer = path.ravel().astype(np.int8)
            meta = {"length": int(answer.sum()) + 1}
            yield Puzzle(NAME, height, width, {"cells": cells}, answer, meta)


@kernel
@no_type_check
def _carve(rng, cells):
    """A perfect maze by depth-first search over the rooms, from a random one."""
    height, width = (cells.shape[0] - 1) // 2, (cells.shape[1] - 1) // 2
    cells[:] = WALL
    stack = np.empty((height * width, 2), np.int64)
    ways = np.array([[-2, 0], [2, 0], [0, -2], [0, 2]])
    sides = np.arange(4)
    stack[0] = 2 * below(rng, height) + 1, 2 * below(rng, width) + 1
    cells[stack[0, 0], stack[0, 1]] = OPEN
    depth = 0
    while depth >= 0:
        row, column = stack[depth]
        shuffle(rng, sides)
        for side in sides:
            r, c = row + ways[side, 0], column + ways[side, 1]
            if 0 < r <= 2 * height and 0 < c <= 2 * width and cells[r, c] == WALL:
                cells[(row + r) // 2, (column + c) // 2] = OPEN
                cells[r, c] = OPEN
                depth += 1
                stack[depth] = r, c
                break
        else:
            depth -= 1


@kernel
@no_type_check
def _open_walls(rng, cells, share):
    """Open that share of the closed walls between two rooms."""
    height, width = (cells.shape[0] - 1) // 2, (cells.shape[1] - 1) // 2
    walls = np.empty((2 * height * width, 2), np.int64)
    count = 0
    for row in range(1, 2 * height):
        for column in range(1, 2 * width):
            if (row + column) % 2 and cells[row, column] == WALL:
                walls[count] = row, column
                count += 1
    order = np.arange(count)
    shuffle(rng, order)
    for k in order[: int(np.ceil(share * count))]:
        cells[walls[k, 0], walls[k, 1]] = OPEN


@kernel
@no_type_check
def _trace(steps, row, column, path):
    """Mark the cells strictly between the goal and the start that `steps` counts from."""
    path[:] = 0
    while steps[row, column] > 1:
        for dr, dc in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            r, c = row + dr, column + dc
            if (
                0 <= r < steps.shape[0]
                and 0 <= c < steps.shape[1]
                and steps[r, c] == steps[row, column] - 1
            ):
                row, column = r, c
                break
        path[row, column] = 1


@kernel
@no_type_check
def _place(rng, cells, path, low, high, loops):
    """Fill `cells` and `path` with one maze whose path has a uniform length; False if none."""
    length = low
    for attempt in range(TRIES):
        if attempt % STARTS_A_LENGTH == 0:
            length = low + below(rng, high - low + 1)
        if attempt % STARTS_A_MAZE == 0:
            _carve(rng, cells)
            if loops > 0:
                _open_walls(rng, cells, loops)
        rows, columns = np.nonzero(cells == OPEN)
        k = below(rng, len(rows))
        steps, ways = distances(cells, rows[k], columns[k])
        goal_rows, goal_columns = np.nonzero((steps == length) & (ways == 1))
        if len(goal_rows):
            g = below(rng, len(goal_rows))
            _trace(steps, goal_rows[g], goal_columns[g], path)
            cells[rows[k], columns[k]] = START
            cells[goal_rows[g], goal_columns[g]] = GOAL
            return True
    return False


@kernel
@no_type_check
def _place_many(rng, cells, paths, low, high, loops):
    for i in range(len(cells)):
        if not _place(rng, cells[i], paths[i], low, high, loops):
            return i
    return len(cells)


def length_range(height: int, width: int, loops: float = 0.0) -> tuple[int, int]:
    """Path lengths for a size: 100 to 140 steps on 30x30, as Maze-Unique has them."""
    if loops:
        low, high = (round(bound * (height + width) / 60) for bound in LOOPED_LENGTHS_OF_30)
    else:
        rooms = ((height - 1) // 2) * ((width - 1) // 2)
        low, high = (round(bound * rooms / ROOMS_OF_30) for bound in LENGTHS_OF_30)
    return max(low, 2), max(high, 2)


def generate_mazes(
    count: int,
    height: int,
    width: int,
    rng: np.random.Generator,
    min_length: int | None = None,
    max_length: int | None = None,
    loops: float = 0.0,
) -> tuple[Integer[np.ndarray, "n h w"], Integer[np.ndarray, "n h w"]]:
    """Mazes as the field's tokens and their paths (1 strictly between start and goal).

    Lengths are uniform between the bounds (see `length_range`); `loops` is the share of the
    closed walls that is opened.
    """
    rooms = ((height - 1) // 2) * ((width - 1) // 2)
    if rooms < 2 or max(height, width) > MAX_SIDE:
        raise InputError(f"a maze needs 3x5 to {MAX_SIDE}x{MAX_SIDE} cells, got {height}x{width}")
    if not 0 <= loops <= 1:
        raise InputError(f"loops is a share of the walls from 0 to 1, got {loops}")
    low, high = length_range(height, width, loops)
    low = min_length if min_length is not None else min(low, max_length or low)
    high = max_length if max_length is not None else max(high, low)
    if not 1 <= low <= high:
        raise InputError(f"path lengths from {low} to {high} make no range of 1 or more")
    cells = np.empty((count, height, width), np.uint8)
    paths = np.empty((count, height, width), np.uint8)
    if _place_many(rng, cells, paths, low, high, float(loops)) < count:
        raise InputError(
            f"{height}x{width} mazes have hardly any path of {low} to {high} steps; ask for less"
        )
    return cells, paths
