from __future__ import annotations

import numpy as np
import pytest
from codec_boards import assert_same, mazes, mutations
from hypothesis import given, settings
from hypothesis import strategies as st

from erm.errors import InputError
from erm.puzzles.maze.text import format_maze, parse_maze
from erm.types import Puzzle


@given(mazes())
def test_mazes_round_trip(maze: Puzzle):
    assert_same(parse_maze(format_maze(maze, maze.answer)), maze)
    assert_same(parse_maze(format_maze(maze).replace(" ", ".") + "\r\n"), maze, answers=False)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("\n\n", "empty"),
        ("S #\nG", "row 2 of the maze has 1 cells, row 1 has 3"),
        ("S#\nG?", "'?' at row 2, column 2"),
        ("S#\n##", "0 G; exactly one"),
        ("SS\nG#", "2 S, the second at row 1, column 2"),
        ("S" + " " * 70 + "G", "1x72"),
        ("S\u00e9G", "'é' at row 1, column 2"),
    ],
)
def test_malformed_mazes_are_explained(text: str, complaint: str):
    with pytest.raises(InputError) as caught:
        parse_maze(text)
    assert complaint in str(caught.value)


def test_an_answer_goes_over_open_cells():
    with pytest.raises(InputError, match="not open"):
        format_maze(parse_maze("S G\n###"), np.array([0, 1, 0, 0, 0, 1]))


@settings(max_examples=200)
@given(st.one_of(st.text(), st.text("# SGo.\n"), mutations(mazes().map(format_maze))))
def test_no_text_does_worse_than_an_input_error(text: str):
    try:
        maze = parse_maze(text)
    except InputError as error:
        assert len(str(error)) < 300
    else:
        assert_same(parse_maze(format_maze(maze)), maze, answers=False)
