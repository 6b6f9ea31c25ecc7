import numpy as np
import pytest

from erm.errors import InputError
from erm.rulebook.registry import include, load_task, task_names
from erm.rulebook.task import energy

MY_TASK = """
from erm.rulebook.registry import register
from erm.puzzles.lightup.rules import Lightup

@register
class Lamps(Lightup):
    name = "lamps"
"""


def test_the_six_tasks_load():
    assert {"sudoku", "maze", "lightup", "nurikabe", "heyawake", "tapa"} <= set(task_names())
    assert load_task("tapa").name == "tapa"


def test_an_unknown_task_names_the_known_ones():
    with pytest.raises(InputError, match=r"no task 'sudoko'.*sudoku"):
        load_task("sudoko")


def test_include_adds_a_task(tmp_path):
    path = tmp_path / "my_task.py"
    path.write_text(MY_TASK)
    include(path)
    assert load_task("lamps").name == "lamps" and "lamps" in task_names()
    with pytest.raises(InputError, match="takes a Python file"):
        include(tmp_path / "none.py")


def test_answers_are_checked_for_size_and_states():
    task = load_task("sudoku")
    puzzle = task.parse("." * 16)
    with pytest.raises(InputError, match="has 16 cells"):
        task.is_valid(puzzle, np.ones(81, int))
    with pytest.raises(InputError, match="states 1 to 4"):
        task.is_valid(puzzle, np.zeros(16, int))


def test_energy_keeps_its_terms_apart():
    task = load_task("nurikabe")
    puzzle = task.parse("nurikabe/3/3/1n")
    answers = np.array([[0, 1, 1, 1, 1, 0, 1, 0, 0], [1] * 9])
    terms = energy(task, puzzle, answers)
    parts = sum(terms.factors.values()) + sum(terms.potentials.values())
    assert terms.total == pytest.approx(parts)
    assert (terms.factors["clue"] > 0).tolist() == [False, True]
    assert terms[1].total == terms.total[1]
