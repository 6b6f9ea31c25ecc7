import csv
from pathlib import Path

import numpy as np
import pytest
from made_sudokus import made_sudokus
from plain_sudoku import Search

from erm import load_task
from erm.errors import InputError
from erm.puzzles.sudoku.generate import SudokuGenerator
from erm.puzzles.sudoku.rules import move_sudokus
from erm.puzzles.sudoku.sides import generate_side, solve_side
from erm.puzzles.sudoku.solver import solve_many
from erm.types import Puzzle

HARD = 20
FIELD = Path(__file__).parents[4] / "shared" / "data" / "sudoku"


@pytest.fixture(scope="module")
def minimal():
    return made_sudokus(60, seed=1)


@pytest.fixture(scope="module")
def hard():
    return made_sudokus(48, seed=2, min_guesses=HARD, hard=True)


def boards(text_rows):
    return np.array([[int(c) if c.isdigit() else 0 for c in row] for row in text_rows], np.uint8)


def test_guesses_and_solutions_agree_with_a_plain_solver(minimal, hard):
    for puzzles, solutions, guesses in (minimal, hard):
        for puzzle, solution, count in list(zip(puzzles, solutions, guesses, strict=True))[:5]:
            search = Search(puzzle)
            assert search.solutions == [solution.tolist()]
            assert search.guesses == count


def test_boards_with_several_solutions_or_none_are_told_apart(minimal):
    puzzles, solutions, _ = minimal
    clash = puzzles[0].copy()
    clash[np.flatnonzero(clash == 0)[:1]] = clash[clash > 0][0]
    loose = puzzles[1].copy()
    loose[np.flatnonzero(loose)[:2]] = 0
    wrong = puzzles[2].copy()
    empty = np.flatnonzero(wrong == 0)[5]
    wrong[empty] = solutions[2, empty] % 9 + 1
    found = solve_many(np.stack([clash, loose, wrong, np.zeros(81, np.uint8)]))[1]
    expected = [min(2, len(Search(board).solutions)) for board in (clash, loose, wrong)]
    assert found.tolist() == [*expected, 2]
    assert found[1] == 2 and found[2] == 0


def test_minimal_puzzles_are_unique_and_can_spare_no_clue(minimal, hard):
    for puzzles, _, _ in (minimal, hard):
        assert (solve_many(puzzles)[1] == 1).all()
        for puzzle in puzzles[:20]:
            clues = np.flatnonzero(puzzle)
            fewer = np.repeat(puzzle[None], len(clues), 0)
            fewer[np.arange(len(clues)), clues] = 0
            assert (solve_many(fewer)[1] == 2).all()


def test_solutions_obey_the_rulebook_and_hold_the_clues(minimal, hard):
    task = load_task("sudoku")
    for puzzles, solutions, _ in (minimal, hard):
        for clues, solution in list(zip(puzzles, solutions, strict=True))[:20]:
            puzzle = Puzzle("sudoku", 9, 9, {"digits": clues.reshape(9, 9).astype(np.int8)})
            assert task.is_valid(puzzle, solution.astype(np.int8))


def test_the_guess_filter_holds_and_no_puzzle_comes_twice(hard):
    puzzles, solutions, guesses = hard
    assert guesses.min() >= HARD
    assert len(np.unique(puzzles, axis=0)) == len(puzzles) == 48
    assert len(np.unique(solutions, axis=0)) > 3
    filtered = made_sudokus(20, seed=3, min_guesses=12)
    assert filtered[2].min() >= 12


def test_hard_puzzles_are_hard_however_they_are_turned(hard):
    turned = move_sudokus(
        np.repeat(hard[0][None, ::4], 16, 0).reshape(1, -1, 81), np.random.default_rng(7)
    )
    counts = solve_many(turned[0])[2].reshape(16, -1)
    assert (counts.min(0) < counts.max(0)).all(), "turning a board changes what a solver meets"
    assert counts.mean(0).min() >= HARD


def test_the_same_seed_gives_the_same_puzzles(hard):
    again = made_sudokus(16, seed=2, min_guesses=HARD, hard=True)
    other = made_sudokus(4, seed=3, min_guesses=HARD, hard=True)
    assert all((a == b[:16]).all() for a, b in zip(again, hard, strict=True))
    assert (other[0] != hard[0][:4]).any()


@pytest.mark.parametrize("side", [4, 6, 9, 16])
def test_other_sides_are_unique_and_obey_the_rulebook(side):
    rng = np.random.default_rng(side)
    task = load_task("sudoku")
    for _ in range(2 if side == 16 else 10):
        clues, grid = generate_side(side, rng)
        digits = clues.reshape(side, side).astype(np.int8)
        solution, count, _ = solve_side(digits)
        assert count == 1 and (solution == grid).all()
        assert task.is_valid(Puzzle("sudoku", side, side, {"digits": digits}), solution)
        first = np.flatnonzero(clues)[0]
        clues[first] = 0
        if side < 16:
            assert solve_side(clues.reshape(side, side))[1] == 2


def test_both_solvers_count_the_same_guesses(hard):
    puzzles, _, guesses = hard
    assert [solve_side(p.reshape(9, 9))[2] for p in puzzles] == guesses.tolist()


@pytest.mark.parametrize("bad", [np.zeros(81), np.zeros((2, 80)), np.full((1, 81), 10)])
def test_boards_of_another_shape_are_refused(bad):
    with pytest.raises(InputError, match="Sudoku boards"):
        solve_many(bad)


def test_impossible_wishes_are_refused():
    with pytest.raises(InputError, match="must not be negative"):
        SudokuGenerator(min_guesses=-1).check(9, 9)
    with pytest.raises(InputError, match="Sudokus are 4x4, 6x6, 9x9, 16x16, got 9x6"):
        SudokuGenerator().check(9, 6)
    with pytest.raises(InputError, match="hard Sudokus are 9x9"):
        SudokuGenerator(hard=True).check(6, 6)
    with pytest.raises(InputError, match="0 to 35"):
        SudokuGenerator(clues=36).check(6, 6)


@pytest.mark.skipif(not FIELD.exists(), reason="the field's files are not here")
def test_the_measure_is_that_of_the_field():
    """Sudoku-Extreme's median is about 170; magictour's rating counts branchings."""
    with open(FIELD / "sudoku-extreme-test.csv") as file:
        rows = list(csv.DictReader(file))
    solutions, counts, guesses = solve_many(boards(row["question"] for row in rows))
    assert (counts == 1).all()
    assert (solutions == boards(row["answer"] for row in rows)).all()
    assert 160 <= np.median(guesses) <= 180
    with open(FIELD / "magictour-top1465.csv") as file:
        rows = list(csv.DictReader(file))
    for row in sorted(rows, key=lambda row: int(row["rating"]))[100:700:100]:
        search = Search(boards([row["question"]])[0])
        assert search.branchings == int(row["rating"])


def test_clues_beyond_the_minimal_ones_are_the_answer_s() -> None:
    generator = SudokuGenerator(clues=20)
    for puzzle in generator.make(6, 6, np.random.default_rng(4)):
        digits = puzzle.givens["digits"].ravel()
        assert np.count_nonzero(digits) == 20
        assert (digits[digits > 0] == puzzle.answer[digits > 0]).all()
        assert solve_side(digits.reshape(6, 6))[1] == 1
    for clues, more in ((36, {}), (-1, {}), (20, {"min_guesses": 1})):
        with pytest.raises(InputError, match="--clues"):
            SudokuGenerator(clues=clues, **more).check(6, 6)
