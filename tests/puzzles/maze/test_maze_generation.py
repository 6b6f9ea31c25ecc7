import numpy as np
import pytest
from scipy import ndimage
from scipy.stats import chisquare

from erm import load_task
from erm.errors import InputError
from erm.puzzles.maze.generate import generate_mazes, length_range
from erm.puzzles.maze.rules import shortest_path
from erm.puzzles.maze.text import GOAL, START, WALL
from erm.types import Puzzle

SIZES = [(30, 30), (13, 13), (7, 12), (3, 5), (21, 40)]


def edges(passable):
    return (passable[1:] & passable[:-1]).sum() + (passable[:, 1:] & passable[:, :-1]).sum()


@pytest.mark.parametrize("height, width", SIZES)
def test_a_maze_is_a_tree_over_all_rooms_with_a_valid_path(height, width):
    task = load_task("maze")
    cells, paths = generate_mazes(20, height, width, np.random.default_rng(1))
    rooms = ((height - 1) // 2) * ((width - 1) // 2)
    low, high = length_range(height, width)
    for maze, path in zip(cells, paths, strict=True):
        passable = maze != WALL
        assert passable.sum() == 2 * rooms - 1
        assert ndimage.label(passable)[1] == 1
        assert edges(passable) == passable.sum() - 1
        assert passable[1 : 2 * ((height - 1) // 2) : 2, 1 : 2 * ((width - 1) // 2) : 2].all()
        assert not passable[[0, -1]].any() and not passable[:, [0, -1]].any()
        assert (maze == START).sum() == (maze == GOAL).sum() == 1
        puzzle = Puzzle("maze", height, width, {"cells": maze})
        assert task.is_valid(puzzle, path.ravel())
        assert low <= path.sum() + 1 <= high
        assert shortest_path(maze) == (path.sum() + 1, 1)


def test_even_sides_end_in_a_double_wall_as_in_maze_unique():
    cells, _ = generate_mazes(5, 30, 30, np.random.default_rng(0))
    assert (cells[:, -2:] == WALL).all() and (cells[:, :, -2:] == WALL).all()
    assert ((cells != WALL).sum((1, 2)) == 391).all()
    assert length_range(30, 30) == (100, 140)


def test_lengths_are_uniform_and_starts_fall_on_passages_too():
    cells, paths = generate_mazes(4100, 30, 30, np.random.default_rng(5))
    counts = np.bincount(paths.sum((1, 2)) + 1 - 100, minlength=41)
    assert len(counts) == 41
    assert chisquare(counts).pvalue > 1e-4
    _, rows, columns = np.nonzero(cells == START)
    on_passage = ((rows % 2 == 0) | (columns % 2 == 0)).mean()
    assert abs(on_passage - 195 / 391) < 0.04


def test_carving_prefers_no_direction():
    cells, _ = generate_mazes(500, 31, 31, np.random.default_rng(6))
    passable = cells != WALL
    upright = passable[:, 2:-1:2, 1::2].sum()
    flat = passable[:, 1::2, 2:-1:2].sum()
    assert abs(upright - flat) / (upright + flat) < 0.02


@pytest.mark.parametrize("height, width, loops", [(13, 13, 0.1), (30, 30, 0.1), (20, 15, 0.4)])
def test_loops_leave_one_shortest_path(height, width, loops):
    task = load_task("maze")
    cells, paths = generate_mazes(20, height, width, np.random.default_rng(2), loops=loops)
    for maze, path in zip(cells, paths, strict=True):
        passable = maze != WALL
        assert edges(passable) > passable.sum() - 1
        assert shortest_path(maze) == (path.sum() + 1, 1)
        assert task.is_valid(Puzzle("maze", height, width, {"cells": maze}), path.ravel())


def test_a_second_shortest_path_and_a_missing_one_are_seen():
    square = np.full((5, 5), WALL, np.uint8)
    square[1:4, 1:4] = 2
    square[2, 2] = WALL
    square[1, 1], square[3, 3] = START, GOAL
    assert shortest_path(square) == (4, 2)
    square[1, 3] = WALL
    assert shortest_path(square) == (4, 1)
    square[3, 1] = WALL
    assert shortest_path(square) == (-1, 0)


def test_bounds_are_kept_and_impossible_ones_refused():
    rng = np.random.default_rng(3)
    lengths = generate_mazes(50, 13, 13, rng, min_length=5, max_length=9)[1].sum((1, 2)) + 1
    assert lengths.min() >= 5 and lengths.max() <= 9
    only_short = generate_mazes(20, 13, 13, rng, max_length=4)[1].sum((1, 2)) + 1
    assert only_short.max() <= 4
    with pytest.raises(InputError, match="hardly any path"):
        generate_mazes(1, 7, 7, rng, min_length=40, max_length=50)
    with pytest.raises(InputError, match="no range"):
        generate_mazes(1, 13, 13, rng, min_length=9, max_length=5)
    with pytest.raises(InputError, match="a maze needs"):
        generate_mazes(1, 3, 3, rng)
    with pytest.raises(InputError, match="share of the walls"):
        generate_mazes(1, 13, 13, rng, loops=1.5)
