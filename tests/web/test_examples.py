"""The gallery: every puzzle of it has one answer."""

from __future__ import annotations

import numpy as np
import pytest

from erm.data.maze import shortest_path
from erm.data.pencil.solver import count_solutions
from erm.data.sudoku_solver import solve_many
from erm.rulebook.registry import load_task


@pytest.mark.parametrize("kind", ["sudoku", "maze", "lightup", "nurikabe", "heyawake", "tapa"])
def test_examples_are_canonical_different_and_unique(gallery, kind):
    task = load_task(kind)
    texts = [example["text"] for example in gallery[kind]]
    assert len(texts) >= 4 and len(set(texts)) == len(texts)
    for text in texts:
        puzzle = task.parse(text)
        assert task.format(puzzle) == text
        if kind == "sudoku":
            _, solutions, _ = solve_many(puzzle.givens["digits"].reshape(1, -1).astype(np.uint8))
            assert solutions[0] == 1
        elif kind == "maze":
            steps, ways = shortest_path(puzzle.givens["cells"])
            assert steps > 0 and ways == 1
        else:
            assert count_solutions(puzzle) == 1
