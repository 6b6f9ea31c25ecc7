"""One way to read a text: what it is, is asked of the tasks and never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest
from codec_boards import ANY, assert_same
from hypothesis import given

from erm.errors import InputError
from erm.formats.read import Teller, read_text, tell
from erm.rulebook.registry import include, load_task
from erm.types import Puzzle

BINAIRO = Path(__file__).parents[2] / "examples" / "my_task.py"
SIX = "...1.111...00..0011.010.1.01...1..1."
"""A board of 6x6 cells of . 0 1: a Sudoku as well as a binairo."""


@given(ANY)
def test_what_a_task_writes_is_told_to_be_its_own(puzzle: Puzzle):
    text = load_task(puzzle.task).format(puzzle)
    assert_same(read_text(text), puzzle, answers=False)
    assert_same(read_text(text, puzzle.task), puzzle, answers=False)


@pytest.mark.parametrize(
    ("text", "task"),
    [("S.G", "maze"), ("SoG\n###", "maze"), ("." * 16, "sudoku"), ("akari/3/3/.iah", "lightup")],
)
def test_short_texts_tell_their_task(text: str, task: str):
    assert tell(text).name == task


def test_a_text_that_fits_two_tasks_is_of_neither():
    assert read_text(SIX).task == "sudoku"
    include(BINAIRO)
    with pytest.raises(InputError, match="fits binairo and sudoku alike; say which with --task"):
        read_text(SIX)
    assert read_text(SIX, "sudoku").task == "sudoku"
    assert read_text(SIX, prefer=["binairo", "maze"]).task == "binairo"
    assert read_text("." * 81, prefer=["binairo"]).task == "sudoku"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "the puzzle is empty; wanted are"),
        ("hello", "'hello' is no puzzle that we can read; wanted are heyawake, lightup"),
        ("53..7", "the Sudoku has 5 cells"),
        ("S.#", "the maze has 0 G"),
        ("https://puzz.link/p?chess/8/8/a", "'chess' names no puzzle of a link; known are akari"),
        ("nurikabe/3/3/h!", "the nurikabe link cannot be read"),
    ],
)
def test_a_text_that_fits_none_says_what_would(text: str, complaint: str):
    with pytest.raises(InputError) as caught:
        read_text(text)
    assert complaint in str(caught.value) and "\n" not in str(caught.value)


def test_texts_of_one_file_may_be_of_many_tasks():
    teller = Teller()
    texts = ["nurikabe/2/2/2i", "tapa/2/2/j", "." * 16, "S.G"]
    read = [teller.read(text, lambda task, text=text: task.parse(text).task) for text in texts]
    assert read == ["nurikabe", "tapa", "sudoku", "maze"]
