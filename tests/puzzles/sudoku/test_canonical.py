"""The invariant hash of Sudokus, and moving them about."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from made_sudokus import made_sudokus

from erm import load_task
from erm.data.symmetry import canonical, random_symmetry
from erm.puzzles.sudoku.canonical import canonical_sudoku
from erm.puzzles.sudoku.rules import move_sudokus
from erm.types import Puzzle


def smallest_by_trying_all(digits):
    """The smallest version of a 4x4 board by brute force over all 2 * 8 * 8 symmetries."""
    orders = [
        [2 * band + (k ^ flip) for band, flip in zip(bands, flips, strict=True) for k in (0, 1)]
        for bands in ((0, 1), (1, 0))
        for flips in product((0, 1), repeat=2)
    ]
    forms = []
    for board in (digits, digits.T):
        for rows, columns in product(orders, orders):
            names = {0: 0}
            forms.append(
                [names.setdefault(int(d), len(names)) for d in board[rows][:, columns].ravel()]
            )
    return min(forms)


@given(st.lists(st.integers(0, 4), min_size=16, max_size=16))
def test_small_boards_share_a_hash_where_one_is_a_version_of_the_other(digits):
    board = np.array(digits).reshape(4, 4)
    smallest = np.array(smallest_by_trying_all(board)).reshape(4, 4)
    assert canonical_sudoku(board) == canonical_sudoku(smallest)


def test_small_boards_that_differ_have_different_hashes():
    rng = np.random.default_rng(0)
    boards = [rng.integers(0, 5, (4, 4)) * (rng.random((4, 4)) < 0.5) for _ in range(2000)]
    pairs = {(tuple(smallest_by_trying_all(b)), int(canonical_sudoku(b)[0])) for b in boards}
    assert len({form for form, _ in pairs}) == len({found for _, found in pairs}) == len(pairs)


@given(st.data())
def test_forms_of_sparse_boards_do_not_depend_on_the_version(data):
    """Empty rows, columns, bands and digits that never occur are where shortcuts could err."""
    side = data.draw(st.sampled_from([4, 6, 9]))
    cells = data.draw(
        st.dictionaries(st.integers(0, side * side - 1), st.integers(1, side), max_size=14)
    )
    board = np.zeros(side * side, np.uint8)
    for cell, digit in cells.items():
        board[cell] = digit
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    moved = move_sudokus(board[None, None], rng)[0, 0]
    same = canonical_sudoku(board.reshape(side, side))
    assert (canonical_sudoku(moved.reshape(side, side)) == same).all()


def test_forms_of_puzzles_and_grids_are_kept_and_tell_puzzles_apart():
    puzzles, solutions, _ = made_sudokus(60, seed=4)
    moved = move_sudokus(np.stack([puzzles, solutions]), np.random.default_rng(0))
    forms = [canonical_sudoku(p.reshape(9, 9)).tobytes() for p in puzzles]
    assert forms == [canonical_sudoku(p.reshape(9, 9)).tobytes() for p in moved[0]]
    assert len(set(forms)) == 60
    for solution, other in zip(solutions[:3], moved[1][:3], strict=True):
        assert (
            canonical_sudoku(solution.reshape(9, 9)) == canonical_sudoku(other.reshape(9, 9))
        ).all()
    assert len({canonical_sudoku(grid.reshape(9, 9)).tobytes() for grid in solutions}) == 60
    for puzzle, form in zip(puzzles[:20], forms[:20], strict=True):
        nearly = puzzle.copy()
        first, second = np.flatnonzero(nearly)[:2]
        nearly[first] = 0
        assert canonical_sudoku(nearly.reshape(9, 9)).tobytes() != form
        nearly[first] = puzzle[second] if puzzle[first] != puzzle[second] else 0
        assert canonical_sudoku(nearly.reshape(9, 9)).tobytes() != form


def test_moved_sudokus_are_still_solved_and_every_symmetry_occurs():
    puzzles, solutions, _ = made_sudokus(50, seed=5)
    task, rng = load_task("sudoku"), np.random.default_rng(1)
    puzzle = Puzzle(
        "sudoku", 9, 9, {"digits": puzzles[0].reshape(9, 9).astype(np.int8)}, meta={"guesses": 3}
    ).with_answer(solutions[0])
    for _ in range(20):
        moved = random_symmetry(puzzle, rng)
        assert moved.answer is not None and task.is_valid(moved, moved.answer)
        assert moved.meta == {"guesses": 3}
        assert canonical(moved) == canonical(puzzle)
    corner = np.zeros((1, 2000, 81), np.uint8)
    corner[0, :, 0] = 1
    places = move_sudokus(corner, rng)[0]
    assert set(np.argmax(places > 0, axis=1)) == set(range(81))
    assert set(places.max(1)) == set(range(1, 10))
