from itertools import permutations

import numpy as np
import pytest
import torch
from boards import solved_sudoku

from erm.puzzles.sudoku.rules import BOX_SHAPES, units
from erm.rulebook.registry import load_task
from erm.rulebook.task import energy

SUDOKU = load_task("sudoku")


@pytest.mark.parametrize("side", BOX_SHAPES)
def test_units(side):
    """Boxes have their shape, and each unit as many cells as the board has digits."""
    height, width = BOX_SHAPES[side]
    box = units(side)[2].reshape(side, side)
    assert (box[:height, :width] == 0).all() and box[height, 0] != 0 and box[0, width] == 1
    for ids in units(side):
        assert np.bincount(ids).tolist() == [side] * side


@pytest.mark.parametrize("side", BOX_SHAPES)
def test_solved_grids_of_every_size_are_valid(side):
    puzzle = solved_sudoku(side, np.random.default_rng(side))
    assert SUDOKU.is_valid(puzzle, puzzle.answer)
    swapped = puzzle.answer.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    broken = {violation.rule for violation in SUDOKU.violations(puzzle, swapped)}
    assert "column" in broken and "row" not in broken


def test_energy_is_equation_6():
    """Sum over all permutations of each unit, with clue cells clamped, by brute force."""
    rng = np.random.default_rng(0)
    puzzle = solved_sudoku(4, rng)
    log_probs = torch.log_softmax(torch.from_numpy(rng.normal(size=(3, 16, 4))), -1)
    digits = puzzle.givens["digits"].ravel()
    logits = log_probs.numpy().copy()
    for cell in np.flatnonzero(digits):
        logits[:, cell] = -1e4
        logits[:, cell, digits[cell] - 1] = 0
    wanted = np.zeros(3)
    for ids in units(4):
        for unit in range(4):
            cells = np.flatnonzero(ids == unit)
            scores = [logits[:, cells, list(order)].sum(-1) for order in permutations(range(4))]
            wanted -= np.logaddexp.reduce(scores)
    terms = energy(SUDOKU, puzzle, np.tile(puzzle.answer, (3, 1)), log_probs)
    np.testing.assert_allclose(terms.total, wanted, rtol=1e-9)
    assert set(terms.factors) == {"row", "column", "box"}


def test_boards_of_one_size_share_their_factors():
    rng = np.random.default_rng(1)
    one, other = solved_sudoku(9, rng), solved_sudoku(9, rng)
    assert SUDOKU.factors(one) is SUDOKU.factors(other)


def test_tokens_are_those_of_hrm_trm_and_eqr():
    puzzle = SUDOKU.parse("1" + "." * 79 + "9")
    assert SUDOKU.tokens(puzzle)[[0, 1, 80]].tolist() == [2, 1, 10]
    assert SUDOKU.answer_tokens(puzzle)[5].tolist() == list(range(2, 11))


def test_links_are_read():
    puzzle = SUDOKU.parse("https://puzz.link/p?sudoku/4/4/1h2g3k4j")
    assert puzzle.givens["digits"].shape == (4, 4)
