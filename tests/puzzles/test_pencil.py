"""Single rules of the four pencil puzzles, with the cells that a person is shown."""

import numpy as np
import pytest
from boards import every_state

from erm.puzzles import pencil
from erm.puzzles.pencil import Pencil
from erm.puzzles.tapa.rules import clues_that_fit
from erm.rulebook.registry import all_tasks, load_task
from erm.types import Puzzle


def board(text: str) -> np.ndarray:
    return np.array([mark == "#" for mark in text.replace(" ", "").replace("\n", "")]).astype(int)


def broken(puzzle: Puzzle, answer: np.ndarray) -> dict[str, tuple[int, ...]]:
    violations = load_task(puzzle.task).violations(puzzle, answer)
    return {violation.rule: violation.cells for violation in violations}


def lightup(rows: list[list[int]]) -> Puzzle:
    return Puzzle("lightup", len(rows), len(rows[0]), {"clues": np.array(rows, np.int8)})


def test_lightup_rules():
    puzzle = lightup([[-2, -2, 1], [-2, -1, -2]])
    assert broken(puzzle, board("#.. ..#")) == {}
    assert broken(puzzle, board("##. ...")) == {
        "one bulb a line of sight": (0, 1),
        "unlit cells": (5,),
    }
    assert broken(puzzle, board("#.. ...")) == {
        "number of bulbs beside a clue": (1, 5),
        "unlit cells": (5,),
    }
    assert broken(puzzle, board("#.# ..#")) == {"clue": (2,)}


def test_a_lightup_clue_that_cannot_be_met_leaves_no_answer():
    walled_in = lightup([[1, -1, -2]])
    too_much = lightup([[3, -2]])
    for puzzle in (walled_in, too_much):
        states = every_state(puzzle.cells)
        assert not load_task("lightup").rules(puzzle).is_valid(states).any()


def nurikabe(rows: list[list[int]]) -> Puzzle:
    return Puzzle("nurikabe", len(rows), len(rows[0]), {"clues": np.array(rows, np.int16)})


def test_nurikabe_rules():
    puzzle = nurikabe([[2, 0, 0], [0, 0, 0], [-1, 0, 0]])
    assert broken(puzzle, board("..# ### ..#")) == {}
    assert broken(puzzle, board(".## ### ..#")) == {
        "no 2x2 of sea": (1, 2, 4, 5),
        "an island is as large as its clue": (0,),
    }
    assert broken(puzzle, board("..# .## .##")) == {
        "no 2x2 of sea": (4, 5, 7, 8),
        "an island holds one clue": (0, 1, 3, 6),
    }
    assert broken(puzzle, board("..# ##. .##")) == {
        "an island holds one clue": (5,),
        "sea is connected": (2,),
    }


def heyawake(right: list[list[int]], down: list[list[int]], clues: dict[int, int]) -> Puzzle:
    height, width = len(right), len(right[0]) + 1
    numbers = np.full(height * width, -1, np.int16)
    numbers[list(clues)] = list(clues.values())
    givens = {
        "right": np.array(right, bool),
        "down": np.array(down, bool).reshape(height - 1, width),
        "clues": numbers.reshape(height, width),
    }
    return Puzzle("heyawake", height, width, givens)


def test_heyawake_rules():
    puzzle = heyawake([[1, 0, 1], [0, 0, 0]], [[0, 1, 1, 0]], {})
    across_two = {"a white line crosses one border": (0, 1, 2, 3)}
    assert broken(puzzle, board(".... #...")) == across_two
    assert broken(puzzle, board(".#.. ....")) == {}
    assert broken(puzzle, board("##.. ....")) == {"no two shaded cells touch": (0, 1)}
    assert broken(puzzle, board(".... ....")) == {
        **across_two,
        "some cell is shaded": tuple(range(8)),
    }


def test_heyawake_counts_dangling_borders_as_pzpr_does():
    """One room, whose two inner borders end inside it: a white line may not cross both."""
    puzzle = heyawake([[1, 0, 1], [0, 0, 0]], [[0, 0, 0, 0]], {0: 1})
    assert load_task("heyawake").partitions(puzzle).tolist() == [[0] * 8]
    assert "a white line crosses one border" in broken(puzzle, board(".... #..."))
    assert broken(puzzle, board(".#.. ....")) == {}
    assert broken(puzzle, board(".#.. ...#")) == {"number of shaded cells in a room": (1, 7)}


def tapa(shape: tuple[int, int], clues: dict[int, list[int]]) -> Puzzle:
    slots = np.full((shape[0] * shape[1], 4), -1, np.int8)
    for cell, numbers in clues.items():
        slots[cell, : len(numbers)] = numbers
    return Puzzle("tapa", *shape, {"clues": slots.reshape(*shape, 4)})


def test_tapa_rules():
    puzzle = tapa((3, 3), {4: [1, 3]})
    assert broken(puzzle, board("### ... .#.")) == {"shaded cells form one wall": (7,)}
    assert broken(puzzle, board("### #.. ...")) == {"shaded runs around a clue": (0, 1, 2, 3)}
    assert broken(tapa((2, 2), {}), board("## ##")) == {"no 2x2 of shaded cells": (0, 1, 2, 3)}
    assert broken(tapa((2, 2), {}), board(".. ..")) == {"shaded cells form one wall": (0, 1, 2, 3)}


def test_a_lone_question_mark_may_stand_for_no_run():
    puzzle = tapa((1, 4), {0: [-2]})
    assert broken(puzzle, board("..##")) == {} == broken(puzzle, board(".###"))
    two = tapa((3, 3), {4: [-2, -2]})
    assert "shaded runs around a clue" in broken(two, board("### ... ..."))


@pytest.mark.parametrize("kind", ["lightup", "nurikabe", "heyawake", "tapa"])
def test_a_board_of_one_cell(kind):
    givens = {
        "lightup": lightup([[-2]]),
        "nurikabe": nurikabe([[0]]),
        "heyawake": heyawake([[]], [], {}),
        "tapa": tapa((1, 1), {}),
    }
    task = load_task(kind)
    valid = task.rules(givens[kind]).is_valid(np.array([[0], [1]]))
    assert valid.tolist() == [False, True]


def test_tokens_of_the_types_fill_the_vocabulary_and_never_meet():
    """Sudoku's are below, and every other type has a range of its own; checkpoints rely on them."""
    types = [task for task in all_tasks() if isinstance(task, Pencil)]
    assert {task.name: task.printed_tokens for task in types} == {
        "lightup": range(13, 20),
        "nurikabe": range(20, 63),
        "tapa": range(63, 107),
        "heyawake": range(107, 347),
    }
    owned = sorted(token for task in types for token in task.printed_tokens)
    assert owned == list(range(pencil.MARKED + 1, pencil.VOCABULARY))
    assert load_task("sudoku").vocabulary == pencil.WHITE


def test_every_printed_cell_has_a_token_of_its_own():
    def tokens(puzzle: Puzzle) -> list[int]:
        return load_task(puzzle.task).tokens(puzzle).tolist()

    assert tokens(lightup([[-2, -1, 0, 1, 2, 3, 4]])) == list(range(13, 20))
    assert tokens(nurikabe([[0, -1, *range(1, 42)]])) == list(range(20, 63))
    assert tokens(nurikabe([[4000]])) == [62]
    clues = clues_that_fit()
    printed = tapa((1, len(clues) + 1), dict(enumerate(map(list, clues))))
    assert tokens(printed) == [*range(64, 106), 63]
    assert tokens(tapa((1, 1), {0: [5, 5]})) == [106]
    room = heyawake([[0, 1], [0, 1]], [[0, 0, 1]], {0: 3})
    # Sides above, right, below, left are 1, 2, 4, 8; room clues -1, 0, 1, ... are 0, 1, 2, ...
    first, second = 107 + 16 * 4, 107
    assert tokens(room) == [first, first + 2, second + 4 + 8, first, first + 2, second + 1 + 8]
    assert tokens(heyawake([[]], [], {0: 99})) == [107 + 16 * 14]
