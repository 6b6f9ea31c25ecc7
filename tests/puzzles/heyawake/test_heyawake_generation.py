"""Rooms and shadings from which heyawake boards are made."""

from __future__ import annotations

import numpy as np
import pytest

from erm.grid import areas, rooms
from erm.puzzles.heyawake.generate import crossings, dent, rectangles, shade, tidy
from erm.puzzles.heyawake.text import borders_between
from erm.rulebook.registry import load_task
from erm.types import Puzzle


@pytest.mark.parametrize("seed", range(5))
def test_rooms_cover_the_board_and_are_connected(seed):
    rng = np.random.default_rng(seed)
    board = rectangles(8, 11, rng)
    for made in (board, dent(board, rng, 0.3)):
        assert made.min() >= 0
        for room in np.unique(made):
            assert areas(made == room)[1] == 1
        names = tidy(made)
        np.testing.assert_array_equal(names != np.roll(names, 1), made != np.roll(made, 1))
        np.testing.assert_array_equal(names, rooms(*borders_between(made)).reshape(made.shape))
        first = np.unique(names, return_index=True)[1]
        assert (np.diff(first) > 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_shadings_obey_the_rulebook(seed):
    rng = np.random.default_rng(seed)
    board = tidy(rectangles(7, 7, rng))
    shaded = next(s for s in (shade(board, rng) for _ in range(200)) if s is not None)
    right, down = borders_between(board)
    clues = np.full(board.shape, -1, np.int16)
    puzzle = Puzzle("heyawake", 7, 7, {"right": right, "down": down, "clues": clues})
    assert load_task("heyawake").is_valid(puzzle, shaded)
    assert all(shaded[line].any() for line in crossings(board))
