from pathlib import Path

import numpy as np
import pytest

from erm import load_task
from erm.data.symmetry import canonical, random_symmetry
from erm.formats.dataset import load_dataset
from erm.rulebook.symmetry import TURNS
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


@pytest.mark.parametrize("name", sorted(BOARDS))
def test_turned_boards_keep_their_answers_and_their_form(name):
    puzzle, task = solved(name), load_task(name)
    forms, boards = set(), set()
    for turn in TURNS:
        moved = task.symmetry.turned(puzzle, turn)
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
