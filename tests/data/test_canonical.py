from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erm import load_task
from erm.data.dataset import load_dataset
from erm.data.sudoku import generate_sudoku
from erm.data.sudoku_canonical import canonical_sudoku
from erm.data.symmetry import TURNS, canonical, move_sudokus, random_symmetry, turned
from erm.types import Puzzle

GOLDEN = Path(__file__).parents[3] / "shared/data/ppbench/golden_300_five_types.jsonl"
BOARDS = {
    "lightup": "https://puzz.link/p?akari/7/7/p.k7dgdgeg.g.ken",
    "nurikabe": "https://puzz.link/p?nurikabe/6/6/i2g4g1l4u1h4h",
    "heyawake": "https://puzz.link/p?heyawake/6/6/aaeaaa0dp360030g2i",
    "tapa": "https://puzz.link/p?tapa/6/6/ia71hagk7i4m7g7alga7k",
    "maze": "#######\n#S    #\n# ### #\n#   #G#\n#######",
}
ANSWERS = {
    "lightup": "0001000001010001000101000101010101000101000001000",
    "nurikabe": "111010101010110110100010111111010000",
    "heyawake": "001000000100101001000100010010001000",
    "tapa": "110000101010101010111111101000011111",
    "maze": "00000000011110000001000000000000000",
}


def solved(name):
    puzzle = load_task(name).parse(BOARDS[name])
    return puzzle.with_answer(np.array([int(state) for state in ANSWERS[name]]))


def smallest_by_trying_all(digits):
    """The canonical form of a 4x4 board by brute force over all 2 * 8 * 8 symmetries."""
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
def test_the_form_of_small_boards_is_the_smallest_of_all(digits):
    board = np.array(digits).reshape(4, 4)
    assert canonical_sudoku(board).tolist() == smallest_by_trying_all(board)


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
    puzzles, solutions, _ = generate_sudoku(60, seed=4)
    moved = move_sudokus(np.stack([puzzles, solutions]), np.random.default_rng(0))
    forms = [canonical_sudoku(p.reshape(9, 9)).tobytes() for p in puzzles]
    assert forms == [canonical_sudoku(p.reshape(9, 9)).tobytes() for p in moved[0]]
    assert len(set(forms)) == 60
    for solution, other in zip(solutions[:3], moved[1][:3], strict=True):
        assert (
            canonical_sudoku(solution.reshape(9, 9)) == canonical_sudoku(other.reshape(9, 9))
        ).all()
    for puzzle, form in zip(puzzles[:20], forms[:20], strict=True):
        nearly = puzzle.copy()
        first, second = np.flatnonzero(nearly)[:2]
        nearly[first] = 0
        assert canonical_sudoku(nearly.reshape(9, 9)).tobytes() != form
        nearly[first] = puzzle[second] if puzzle[first] != puzzle[second] else 0
        assert canonical_sudoku(nearly.reshape(9, 9)).tobytes() != form


def test_the_form_is_itself_a_version_of_the_puzzle():
    puzzles, _, _ = generate_sudoku(20, seed=6)
    for puzzle in puzzles:
        form = canonical_sudoku(puzzle.reshape(9, 9))
        assert (canonical_sudoku(form.reshape(9, 9)) == form).all()
        assert (np.sort(np.bincount(form, minlength=10)[1:]) == _digit_counts(puzzle)).all()


def _digit_counts(puzzle):
    return np.sort(np.bincount(puzzle, minlength=10)[1:])


def test_moved_sudokus_are_still_solved_and_every_symmetry_occurs():
    puzzles, solutions, _ = generate_sudoku(50, seed=5)
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


@pytest.mark.parametrize("name", sorted(BOARDS))
def test_turned_boards_keep_their_answers_and_their_form(name):
    puzzle, task = solved(name), load_task(name)
    forms, boards = set(), set()
    for turn in TURNS:
        moved = turned(puzzle, turn)
        assert moved.answer is not None and task.is_valid(moved, moved.answer)
        again = task.parse(task.format(moved))
        assert all((again.givens[k] == moved.givens[k]).all() for k in moved.givens)
        forms.add(canonical(moved))
        boards.add(task.format(moved))
    assert len(forms) == 1 and len(boards) == 8
    assert canonical(puzzle.with_answer(None)) in forms


def test_different_boards_have_different_forms():
    assert len({canonical(solved(name)) for name in BOARDS}) == len(BOARDS)
    tapa = solved("tapa")
    clues = tapa.givens["clues"].copy()
    clues[tuple(np.argwhere(clues[..., 0] >= 0)[0])] = (3, 3, -1, -1)
    changed = Puzzle("tapa", 6, 6, {"clues": clues})
    assert canonical(changed) != canonical(tapa)
    heyawake = solved("heyawake")
    down = heyawake.givens["down"].copy()
    down[2, 3] ^= True
    bent = Puzzle("heyawake", 6, 6, {**heyawake.givens, "down": down})
    assert canonical(bent) != canonical(heyawake)


@pytest.mark.skipif(not GOLDEN.exists(), reason="the golden puzzles are not here")
def test_golden_answers_survive_every_random_symmetry():
    rng = np.random.default_rng(0)
    for puzzle in load_dataset(GOLDEN):
        moved = random_symmetry(puzzle, rng)
        assert moved.answer is not None
        assert load_task(puzzle.task).is_valid(moved, moved.answer)
        assert canonical(moved) == canonical(puzzle)
