from __future__ import annotations

from collections.abc import Callable

import pytest
from codec_boards import assert_same, mutations, sudokus
from hypothesis import given, settings
from hypothesis import strategies as st

from erm.errors import InputError
from erm.puzzles.sudoku.boxes import BOX_SHAPES
from erm.puzzles.sudoku.text import format_sudoku, parse_sudoku
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


def in_boxes(puzzle: Puzzle) -> str:
    """As books print it, with lines between the boxes."""
    side, (rows, columns) = puzzle.height, BOX_SHAPES[puzzle.height]
    line = format_sudoku(puzzle)
    rule = "+".join(["-" * (2 * columns + 1)] * (side // columns))[1:-1]
    printed = []
    for at in range(0, side * side, side):
        row = line[at : at + side]
        printed += [rule] if at and at // side % rows == 0 else []
        printed.append(" | ".join(" ".join(row[c : c + columns]) for c in range(0, side, columns)))
    return "\n".join(printed)


@given(sudokus(), st.sampled_from([format_sudoku, in_boxes]))
def test_sudokus_round_trip(puzzle: Puzzle, write: Callable[[Puzzle], str]):
    assert_same(parse_sudoku(write(puzzle)), puzzle, answers=False)


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


@settings(max_examples=200)
@given(
    st.one_of(
        st.text(),
        st.text("0123456789.|-+ \n"),
        mutations(sudokus().map(in_boxes)),
    )
)
def test_no_text_does_worse_than_an_input_error(text: str):
    try:
        puzzle = parse_sudoku(text)
    except InputError as error:
        assert len(str(error)) < 300
    else:
        assert_same(parse_sudoku(format_sudoku(puzzle)), puzzle, answers=False)
