import io

import numpy as np
import pytest
from rich.console import Console

from erm.cli.draw import draw
from erm.rulebook import Task, registry
from erm.rulebook.registry import load_task
from erm.types import Puzzle

SUDOKU, SOLVED = "1..43.....1.....", "1234342143122143"


def pipe():
    return Console(file=io.StringIO())


def terminal(width=80, **options):
    return Console(file=io.StringIO(), force_terminal=True, width=width, **options)


def states(text):
    return np.array([int(state) for state in text])


def lines(puzzle, answer=None, marked=(), console=None):
    answer = None if answer is None else states(answer)
    return draw(console or pipe(), puzzle, answer, marked).plain.split("\n")


def test_a_sudoku_in_a_pipe_has_its_clues_beside_the_answer():
    assert lines(load_task("sudoku").parse(SUDOKU), SOLVED) == [
        "┏━━━━━━┳━━━━━━┓   ┏━━━━━━┳━━━━━━┓",
        "┃ 1  · ┃ ·  4 ┃   ┃ 1  2 ┃ 3  4 ┃",
        "┃ 3  · ┃ ·  · ┃   ┃ 3  4 ┃ 2  1 ┃",
        "┣━━━━━━╋━━━━━━┫   ┣━━━━━━╋━━━━━━┫",
        "┃ ·  · ┃ 1  · ┃   ┃ 4  3 ┃ 1  2 ┃",
        "┃ ·  · ┃ ·  · ┃   ┃ 2  1 ┃ 4  3 ┃",
        "┗━━━━━━┻━━━━━━┛   ┗━━━━━━┻━━━━━━┛",
    ]


def test_colours_tell_clues_and_answer_apart_and_no_color_draws_both_boards(monkeypatch):
    puzzle = load_task("sudoku").parse(SUDOKU)
    monkeypatch.delenv("NO_COLOR", raising=False)
    board = draw(terminal(), puzzle, states(SOLVED))
    assert len(board.plain.split("\n")[0]) == 15
    clue, answer = (board.plain.index(digit) for digit in "12")
    styles = [
        {str(span.style) for span in board.spans if span.start <= at < span.end}
        for at in (clue, answer)
    ]
    assert styles[0] != styles[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert len(draw(terminal(), puzzle, states(SOLVED)).plain.split("\n")[0]) == 33


def test_a_maze_has_its_path_drawn_as_a_line():
    maze = load_task("maze").parse("######\n#S  ##\n### ##\n#G  ##\n######")
    assert lines(maze, "000000001100000100001100000000") == [
        "████████████",
        "██S━━━┓ ████",
        "██████┃ ████",
        "██G━━━┛ ████",
        "████████████",
    ]


def test_a_path_cell_without_neighbours_is_still_seen():
    maze = load_task("maze").parse("#####\n#S  #\n#  G#\n#   #\n#####")
    assert lines(maze, "0" * 15 + "01000" + "0" * 5)[3] == "██•     ██"


def test_light_reaches_up_to_the_next_black_cell():
    clues = np.array([[-2, -2, -2], [-2, -2, -1], [-2, 2, -2]], np.int8)
    assert lines(Puzzle("lightup", 3, 3, {"clues": clues}), "100000000") == [
        "┌─────────┐",
        "│ ●  ·  · │",
        "│ ·    ███│",
        "│ · █2█   │",
        "└─────────┘",
    ]


def test_sea_and_islands_and_a_broken_cell():
    clues = np.array([[2, 0, 0], [0, 0, -1]], np.int16)
    assert lines(Puzzle("nurikabe", 2, 3, {"clues": clues}), "001110", {4}) == [
        "┌─────────┐",
        "│ 2  · ███│",
        "│█████! ? │",
        "└─────────┘",
    ]


def test_rooms_have_borders_also_dangling_ones():
    givens = {
        "right": np.array([[1, 0], [1, 0]], bool),
        "down": np.array([[0, 0, 1]], bool),
        "clues": np.array([[1, -1, 0], [-1, -1, -1]], np.int16),
    }
    assert lines(Puzzle("heyawake", 2, 3, givens), "100010") == [
        "┏━━━┳━━━━━━┓",
        "┃█1█┃ ·  0 ┃",
        "┃   ┃   ━━━┫",
        "┃ · ┃███ · ┃",
        "┗━━━┻━━━━━━┛",
    ]


def test_tapa_clues_of_several_numbers_fit_into_their_cells():
    clues = np.full((2, 2, 4), -1, np.int8)
    clues[0, 0, :3] = 1, 1, -2
    clues[1, 1, 0] = 3
    board = ["┌────────┐", "│11? ████│", "│████ 3  │", "└────────┘"]
    assert lines(Puzzle("tapa", 2, 2, {"clues": clues}), "0110") == board


@pytest.mark.parametrize(("width", "columns"), [(80, 31), (25, 22), (15, 13), (12, None)])
def test_a_board_takes_the_room_there_is_or_says_what_it_needs(width, columns):
    drawn = lines(load_task("sudoku").parse("." * 81), console=terminal(width))
    if columns is None:
        assert drawn == ["(the board needs 13 columns, the terminal has 12)"]
    else:
        assert {len(line) for line in drawn} == {columns}


def test_a_terminal_without_unicode_gets_ascii():
    console = Console(file=io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    clues = np.array([[2, 0, 0], [0, 0, -1]], np.int16)
    drawn = lines(Puzzle("nurikabe", 2, 3, {"clues": clues}), "001110", console=console)
    assert drawn == ["+---------+", "| 2  . ###|", "|###### ? |", "+---------+"]


class Toy(Task):
    """Three by three: two L-shaped areas beside rows, and signs between cells, nothing more."""

    name = "toy"
    states = 3
    first_state = 1
    vocabulary = 4

    def factors(self, puzzle):
        return ()

    def domain(self, puzzle):
        printed = puzzle.givens["digits"].reshape(-1, 1)
        return (printed == 0) | (printed == np.arange(1, 4))

    def features(self, puzzle):
        return np.zeros((puzzle.cells, 0), np.float32)

    def partitions(self, puzzle):
        rows = np.arange(puzzle.cells) // puzzle.width
        return np.stack([rows, np.array([0, 0, 1, 0, 1, 1, 2, 2, 2])])

    def tokens(self, puzzle):
        return puzzle.givens["digits"].ravel().astype(np.int64)

    def answer_tokens(self, puzzle):
        return np.tile([1, 2, 3], (puzzle.cells, 1))

    def parse(self, text):
        digits = np.array([int(digit) for digit in text], np.int8).reshape(3, 3)
        return Puzzle(self.name, 3, 3, {"digits": digits})

    def format(self, puzzle):
        return "".join(map(str, puzzle.givens["digits"].ravel().tolist()))

    def signs(self, puzzle):
        return {(0, 1): "<", (4, 7): "v"}


def test_a_task_of_somebody_else_has_areas_and_signs_between_cells(monkeypatch):
    monkeypatch.setitem(registry._registry, "toy", Toy)
    puzzle = load_task("toy").parse("100000003")
    assert lines(puzzle) == [
        "┏━━━━━━━┳━━━┓",
        "┃ 1 < · ┃ · ┃",
        "┃   ┏━━━┛   ┃",
        "┃ · ┃ ·   · ┃",
        "┣━━━┻━v━━━━━┫",
        "┃ ·   ·   3 ┃",
        "┗━━━━━━━━━━━┛",
    ]
    assert lines(puzzle, "123231312")[1] == "┃ 1 < · ┃ · ┃   ┃ 1 < 2 ┃ 3 ┃"
