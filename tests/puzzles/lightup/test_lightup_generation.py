"""Black cells and bulbs from which lightup boards are made."""

from __future__ import annotations

import numpy as np
import pytest

from erm.puzzles.lightup.generate import SYMMETRIES, place_bulbs, symmetric_cells
from erm.rulebook.registry import load_task
from erm.types import Puzzle


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_symmetric_cells_belong_together(symmetry):
    orbits = symmetric_cells(6, 6, symmetry)
    for cell, orbit in enumerate(orbits):
        assert cell in orbit
        assert all(orbits[other] == orbit for other in orbit)


def test_bulbs_light_every_cell():
    rng = np.random.default_rng(0)
    black = rng.random((9, 9)) < 0.2
    bulbs = place_bulbs(black, np.zeros_like(black), rng, hug=0.5)
    puzzle = Puzzle("lightup", 9, 9, {"clues": np.where(black, -1, -2).astype(np.int8)})
    assert load_task("lightup").is_valid(puzzle, bulbs.ravel().astype(np.int8))
