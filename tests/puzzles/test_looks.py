"""What puzzles say about themselves agrees with their rulebooks."""

from __future__ import annotations

import numpy as np
import pytest

from erm.rulebook.registry import load_task, task_names


@pytest.mark.parametrize("name", task_names())
def test_words_are_about_rules_that_exist(name):
    task = load_task(name)
    rules = set()
    for example in task.look.gallery():
        puzzle = task.parse(example.text)
        of_board = task.rules(puzzle)
        rules |= {of_board.printed, *(one.name for one in of_board.factors)}
        rules |= {one.name for one in of_board.potentials}
        rules |= {getattr(one, "name", None) for one in task.implied(puzzle)}
    assert task.look.title and task.look.about
    assert set(task.look.words) <= rules


@pytest.mark.parametrize("name", task_names())
def test_givens_describe_every_array(name):
    task = load_task(name)
    for example in task.look.gallery():
        puzzle = task.parse(example.text)
        assert set(task.givens) == set(puzzle.givens)
        for key, given in task.givens.items():
            array = puzzle.givens[key]
            assert array.dtype == given.dtype
            again = given.read(key, array.astype(int).tolist(), puzzle.shape)
            np.testing.assert_array_equal(again, array)
            assert given.low <= given.blank <= given.high
            assert all(given.low <= value <= given.high for value in given.names.values())


@pytest.mark.parametrize("name", task_names())
def test_the_pages_module_is_a_file_where_there_is_one(name):
    page = load_task(name).look.page
    assert page is None or page.read_text().count("export default function") == 1


def test_numbers_of_a_room_move_to_its_first_cell():
    task = load_task("heyawake")
    puzzle = task.parse(task.look.gallery()[0].text)
    givens = {key: array.copy() for key, array in puzzle.givens.items()}
    givens["right"][:], givens["down"][:], givens["clues"][:] = False, False, -1
    givens["clues"][1, 2], givens["clues"][3, 1] = 4, 2
    normalised = task.normalised(type(puzzle)(task.name, *puzzle.shape, givens)).givens["clues"]
    assert normalised[0, 0] == 4 and (normalised != -1).sum() == 1
