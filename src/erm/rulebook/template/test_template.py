"""The rulebook of template against a second opinion: brute force on small boards."""

from __future__ import annotations

from itertools import pairwise, permutations, product

import numpy as np
import pytest

from erm.rulebook import InputError, energy

from .rules import Template

SIDE = 5


def brute_force(side: int) -> np.ndarray:
    """All answers to a board without clues, by other means than the rulebook's."""
    apart = [p for p in permutations(range(side)) if all(abs(a - b) > 1 for a, b in pairwise(p))]
    return np.array([np.eye(side, dtype=int)[list(p)].ravel() for p in apart])


def test_the_rulebook_accepts_what_brute_force_does():
    task = Template()
    puzzle = task.parse("template:" + "/".join(["...."] * 4))
    boards = np.array(list(product((0, 1), repeat=16)))
    valid = boards[task.rules(puzzle).is_valid(boards)]
    assert {*map(tuple, valid.tolist())} == {*map(tuple, brute_force(4).tolist())}


def test_text_is_read_as_it_is_written():
    task = Template()
    text = "template:*..../..-../...../...../....."
    assert task.format(task.parse(text)) == text
    with pytest.raises(InputError, match="row 2"):
        task.parse("template:*.../.?../..../....")


def test_a_right_answer_has_the_lowest_energy():
    task = Template()
    puzzle, right = task.blank(SIDE, SIDE, np.random.default_rng(0)), brute_force(SIDE)[0]
    wrong = right.copy()
    wrong[np.flatnonzero(right)[0]] = 0
    assert energy(task, puzzle, np.stack([wrong, right])).total.argmin() == 1
    assert {one.rule for one in task.violations(puzzle, wrong)} == {
        "one star a row",
        "one star a column",
    }


def test_generated_boards_have_one_answer():
    task = Template()
    generator = task.generator()
    assert generator is not None
    answers = brute_force(SIDE)
    for seed in range(3):
        for puzzle in generator().make(SIDE, SIDE, np.random.default_rng(seed)):
            fits = task.domain(puzzle)[np.arange(puzzle.cells), answers].all(1)
            np.testing.assert_array_equal(answers[fits], [puzzle.answer])
