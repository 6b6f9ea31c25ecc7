"""`erm evaluate --mode full` is Algorithm 1, candidate by candidate."""

import numpy as np
import pytest

import erm
from erm.algorithm import energy_guided_selection

BOARDS = {
    "sudoku-6x6-token-mlp": ".2.4.6..6..3.3..5.5..2..6..1..1.3.5.",
    "sudoku-6x6-energy-transformer": ".2.4.6..6..3.3..5.5..2..6..1..1.3.5.",
}


@pytest.mark.parametrize("name", BOARDS)
def test_full_mode_equals_algorithm_1(name: str) -> None:
    solver = erm.load(name)
    puzzle = solver.read(BOARDS[name])
    answer, answers, energies = energy_guided_selection(solver, puzzle, depth=4, width=6, seed=3)
    found = solver.solve(puzzle, width=6, depth=4, seed=3, mode="full")
    assert len(np.unique(answers, axis=0)) > 1
    np.testing.assert_array_equal(found.candidates.answers, answers)
    np.testing.assert_allclose(found.candidates.energy.total, energies, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(found.answer, answer)
    assert found.evaluations == 24
