"""The encodings and the rulebooks were written apart; here they must agree on every answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pencil_boards import GIVENS, answers_by_brute_force, random_board

from erm.formats.dataset import load_dataset
from erm.puzzles.pencil import Pencil
from erm.puzzles.prover import Prover
from erm.rulebook.registry import load_task
from erm.types import Puzzle

SHARED = Path(__file__).parents[3] / "shared" / "data"
GOLDEN = SHARED / "ppbench" / "golden_300_five_types.jsonl"
WILD = SHARED / "wild" / "janko-half.jsonl.gz"


def prover(puzzle: Puzzle) -> Prover:
    task = load_task(puzzle.task)
    assert isinstance(task, Pencil)
    return task.prover(puzzle.givens)


def count_solutions(puzzle: Puzzle, limit: int = 2) -> int:
    return sum(1 for _ in prover(puzzle).answers(limit))


DANGLING = "heyawake/8/8/022gkf3gc2007o00o01s01v07"
"""A golden board with borders that end inside a room."""


@pytest.mark.parametrize("task", GIVENS)
@pytest.mark.parametrize(
    ("height", "width", "boards"), [(1, 1, 4), (1, 4, 12), (4, 1, 12), (3, 3, 40), (3, 4, 12)]
)
def test_clingo_and_the_rulebook_find_the_same_answers(task, height, width, boards):
    rng = np.random.default_rng(height * 10 + width)
    for _ in range(boards):
        puzzle = random_board(task, height, width, rng)
        found = [tuple(answer.tolist()) for answer in prover(puzzle).answers()]
        assert sorted(found) == answers_by_brute_force(puzzle), puzzle.givens


@pytest.mark.parametrize("task", GIVENS)
def test_the_random_boards_are_worth_comparing(task):
    """Some have no answer, some one, some many: none of the comparisons above is empty."""
    rng = np.random.default_rng(33)
    counts = [len(answers_by_brute_force(random_board(task, 3, 3, rng))) for _ in range(40)]
    assert min(counts) == 0
    assert 1 in counts
    assert max(counts) > 3


@pytest.mark.parametrize("task", GIVENS)
def test_four_by_four(task):
    rng = np.random.default_rng(44)
    for _ in range(2):
        puzzle = random_board(task, 4, 4, rng)
        found = {tuple(answer.tolist()) for answer in prover(puzzle).answers()}
        assert found == set(answers_by_brute_force(puzzle)), puzzle.givens


def test_dangling_borders_count():
    """A white line may not cross the same room's border twice, nor a border inside a room."""
    right = np.array([[True, True, False], [False, False, False]])
    down = np.zeros((1, 4), bool)
    clues = np.full((2, 4), -1, np.int16)
    puzzle = Puzzle("heyawake", 2, 4, {"right": right, "down": down, "clues": clues})
    found = [answer.reshape(2, 4) for answer in prover(puzzle).answers()]
    assert found
    assert all(answer[0, :3].any() for answer in found)


def test_a_known_board_with_dangling_borders_is_unique():
    assert count_solutions(load_task("heyawake").parse(DANGLING)) == 1


def test_a_lone_question_mark_may_stand_for_zero():
    clues = np.full((3, 4, 4), -1, np.int8)
    clues[0, 0, 0] = -2
    puzzle = Puzzle("tapa", 3, 4, {"clues": clues})
    found = [answer.reshape(3, 4) for answer in prover(puzzle).answers()]
    assert any(answer[:2, :2].sum() == 0 for answer in found)
    assert any(answer[:2, :2].sum() == 3 for answer in found)


def test_no_answer_and_many_answers():
    black = np.array([[-1, 4], [-2, -2]], np.int8)
    assert count_solutions(Puzzle("lightup", 2, 2, {"clues": black})) == 0
    open_ = np.full((3, 3), -2, np.int8)
    many = Puzzle("lightup", 3, 3, {"clues": open_})
    assert count_solutions(many) == 2
    assert count_solutions(many, limit=100) == len(answers_by_brute_force(many))


@pytest.mark.skipif(not GOLDEN.is_file(), reason="the golden puzzles are not here")
def test_golden_puzzles_have_the_given_answer_and_no_other():
    puzzles = [p for p in load_dataset(GOLDEN) if p.task in GIVENS and p.cells <= 150]
    assert len(puzzles) >= 40
    for puzzle in puzzles:
        assert_only_answer(puzzle)


@pytest.mark.skipif(not WILD.is_file(), reason="the wild puzzles are not here")
def test_wild_puzzles_have_the_given_answer_and_no_other():
    puzzles = [p for p in load_dataset(WILD) if p.cells <= 200]
    assert len(puzzles) > 600
    for puzzle in puzzles[::8]:
        assert_only_answer(puzzle)


def assert_only_answer(puzzle: Puzzle) -> None:
    answers = list(prover(puzzle).answers(2))
    name = load_task(puzzle.task).format(puzzle)
    assert len(answers) == 1, name
    assert puzzle.answer is not None
    np.testing.assert_array_equal(answers[0], puzzle.answer, err_msg=name)
