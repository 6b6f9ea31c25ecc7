from __future__ import annotations

import numpy as np
import pytest
from codec_boards import assert_same, mazes, mutations, sudokus
from hypothesis import given, settings
from hypothesis import strategies as st

from erm.errors import InputError
from erm.formats.text import (
    format_answer,
    format_maze,
    format_sudoku,
    parse_answer,
    parse_maze,
    parse_sudoku,
)
from erm.types import Puzzle

LINE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
PRINTED = """
+-------+-------+-------+
| 5 3 . | . 7 . | . . . |
| 6 . . | 1 9 5 | . . . |
| . 9 8 | . . . | . 6 . |
+-------+-------+-------+
| 8 . . | . 6 . | . . 3 |
| 4 . . | 8 . 3 | . . 1 |
| 7 . . | . 2 . | . . 6 |
+-------+-------+-------+
| . 6 . | . . . | 2 8 . |
| . . . | 4 1 9 | . . 5 |
| . . . | . 8 . | . 7 9 |
+-------+-------+-------+
"""


@given(sudokus(), st.booleans())
def test_sudokus_round_trip(puzzle: Puzzle, pretty: bool):
    assert_same(parse_sudoku(format_sudoku(puzzle, pretty=pretty)), puzzle, answers=False)


@given(mazes())
def test_mazes_round_trip(maze: Puzzle):
    assert_same(parse_maze(format_maze(maze, maze.answer)), maze)
    assert_same(parse_maze(format_maze(maze).replace(" ", ".") + "\r\n"), maze, answers=False)


@given(st.lists(st.integers(0, 16), min_size=1))
def test_answers_round_trip(states: list[int]):
    text = format_answer(np.array(states, np.int8))
    assert parse_answer(text, len(states)).tolist() == states
    assert parse_answer(text.lower(), len(states)).tolist() == states


@pytest.mark.parametrize(
    "text",
    [
        LINE,
        LINE.replace(".", "0"),
        LINE.replace(".", "_"),
        LINE.replace(".", "*") + "\n",
        LINE.replace(".", "-"),
        PRINTED,
        PRINTED.replace("+", "┼").replace("-", "─").replace("|", "│"),
        PRINTED.replace("+", "-").replace("|", " "),
        PRINTED.replace(" ", ""),
        "\n".join(LINE[at : at + 9] for at in range(0, 81, 9)),
        " ".join(LINE.replace(".", "0")),
        ",".join(LINE.replace(".", "0")[:41]) + ",\n" + ",".join(LINE.replace(".", "0")[41:]),
    ],
)
def test_the_same_sudoku_in_every_dress(text: str):
    assert format_sudoku(parse_sudoku(text)) == LINE


def test_a_16x16_board_in_decimals():
    numbers = [(7 * cell) % 17 for cell in range(256)]
    rows = [" ".join(map(str, numbers[at : at + 16])) for at in range(0, 256, 16)]
    assert parse_sudoku("\n".join(rows)).givens["digits"].ravel().tolist() == numbers


def test_pretty_boards_show_their_boxes():
    side = parse_sudoku("1234341221434321")
    assert (
        format_sudoku(side, pretty=True) == "1 2 | 3 4\n3 4 | 1 2\n----+----\n2 1 | 4 3\n4 3 | 2 1"
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "0 cells"),
        (LINE[1:], "80 cells"),
        (LINE[:-1] + "x", "'x' at row 9, column 9"),
        ("5" + "." * 15, "'5' at row 1, column 1, where a digit up to 4"),
        (PRINTED.replace("| 7 . .", "| 7 . "), "80 cells (line 9 has 8, line 3 has 9)"),
        ("9" * 1_000_000, "more than any board"),
    ],
)
def test_malformed_sudokus_are_explained(text: str, complaint: str):
    with pytest.raises(InputError) as caught:
        parse_sudoku(text)
    assert complaint in str(caught.value)


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


def test_answers_must_fit():
    with pytest.raises(InputError, match="3 characters, but the board has 4"):
        parse_answer("010", 4)
    with pytest.raises(InputError, match="'x' at cell 2"):
        parse_answer("0x10", 4)
    with pytest.raises(InputError, match="not open"):
        format_maze(parse_maze("S G\n###"), np.array([0, 1, 0, 0, 0, 1]))


@settings(max_examples=200)
@given(
    st.one_of(
        st.text(),
        st.text("0123456789.|-+ \n"),
        st.text("# SGo.\n"),
        mutations(sudokus().map(lambda puzzle: format_sudoku(puzzle, pretty=True))),
        mutations(mazes().map(format_maze)),
    )
)
def test_no_text_does_worse_than_an_input_error(text: str):
    for parse, write in ((parse_sudoku, format_sudoku), (parse_maze, format_maze)):
        try:
            puzzle = parse(text)
        except InputError as error:
            assert len(str(error)) < 300
        else:
            assert_same(parse(write(puzzle)), puzzle, answers=False)
