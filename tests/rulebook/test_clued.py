"""Boards made from a rulebook alone: filled by random search, unique by brute force."""

from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest

from erm.errors import InputError
from erm.rulebook import clued
from erm.rulebook.complete import enumerate_answers
from erm.rulebook.registry import include, load_task

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def futoshiki():
    include(EXAMPLES / "futoshiki")
    return load_task("futoshiki")


@pytest.fixture
def binairo():
    include(EXAMPLES / "my_task.py")
    return load_task("binairo")


def latin_squares(side):
    rows = list(permutations(range(1, side + 1)))
    squares = (np.array(square) for square in product(rows, repeat=side))
    return [one for one in squares if all(len(set(column)) == side for column in one.T.tolist())]


def keeps_signs(square, givens):
    """Another reading of a futoshiki's givens than the rulebook's."""
    digits, across, down = givens["digits"], givens["across"], givens["down"]
    fine = ((digits == 0) | (digits == square)).all()
    for signs, first, second in (
        (across, square[:, :-1], square[:, 1:]),
        (down, square[:-1], square[1:]),
    ):
        fine &= ((signs == 0) | ((signs == 1) == (first < second))).all()
    return bool(fine)


@pytest.mark.parametrize("minimal", [False, True])
def test_futoshikis_are_unique_by_brute_force(futoshiki, minimal):
    squares = latin_squares(3)
    made = futoshiki.generator()(minimal=minimal)
    for seed in range(6):
        (puzzle,) = made.make(3, 3, np.random.default_rng(seed))
        fitting = [square for square in squares if keeps_signs(square, puzzle.givens)]
        assert [square.ravel().tolist() for square in fitting] == [puzzle.answer.tolist()]
        if not minimal:
            continue
        for name, array in puzzle.givens.items():
            for at in np.flatnonzero(array):
                fewer = {key: value.copy() for key, value in puzzle.givens.items()}
                fewer[name].flat[at] = 0
                assert sum(keeps_signs(square, fewer) for square in squares) > 1


def test_binairos_are_unique_by_brute_force(binairo):
    boards = np.array(list(product((0, 1), repeat=16)))
    boards = boards[binairo.rules(binairo.parse("." * 16)).is_valid(boards)]
    made = binairo.generator()(minimal=True)
    for seed in range(4):
        (puzzle,) = made.make(4, 4, np.random.default_rng(seed))
        shown = puzzle.givens["clues"].ravel()
        fits = ((shown == -1) | (boards == shown)).all(1)
        assert boards[fits].tolist() == [puzzle.answer.tolist()]


def test_random_order_reaches_every_board_and_the_same_seed_the_same(futoshiki):
    rules = futoshiki.rules(futoshiki.blank(3, 3, np.random.default_rng(0)))
    drawn = [clued.fill(rules, np.random.default_rng(seed)) for seed in range(150)]
    assert len({tuple(one.tolist()) for one in drawn}) == len(latin_squares(3)) == 12
    again = clued.fill(rules, np.random.default_rng(3))
    np.testing.assert_array_equal(again, drawn[3])
    every = enumerate_answers(rules, limit=99, rng=np.random.default_rng(1))
    assert every.exhausted and len(every.answers) == 12


def test_a_size_that_a_task_cannot_read_is_refused(binairo):
    with pytest.raises(InputError, match="16, 36, 64"):
        binairo.generator()().check(5, 5)


def test_a_task_without_clues_has_no_generator_and_clues_must_fit(binairo, monkeypatch):
    kind = type(binairo)
    with monkeypatch.context() as patched:
        patched.setattr(
            kind, "clues", lambda self, puzzle, answer: {"clues": 1 - answer.reshape(4, 4)}
        )
        with pytest.raises(InputError, match="contradicts the answer"):
            list(binairo.generator()().make(4, 4, np.random.default_rng(0)))
    monkeypatch.setattr(kind, "givens", {})
    assert binairo.generator() is None
