"""A task of states and factors alone: text, network input, clues and data follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erm.errors import InputError
from erm.rulebook import Factor, Given, Permutations, Puzzle, Task, cell_ids


class Latin(Task):
    """A Latin square of side 3."""

    name = "latin"
    states = 3
    first_state = 1
    givens: ClassVar = {"digits": Given.of_states(3)}

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        ids = cell_ids(*puzzle.shape)
        return Factor("row", ids, Permutations(3)), Factor("column", ids.T, Permutations(3))


class Free(Task):
    """A task without `givens`, with a domain of its own."""

    name = "free"
    states = 2

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        return ()

    def domain(self, puzzle: Puzzle) -> np.ndarray:
        return np.stack([puzzle.givens["open"].ravel() > 0, np.ones(puzzle.cells, bool)], 1)


def test_rows_of_characters_are_read_as_they_are_written():
    task = Latin()
    puzzle = task.parse("latin:1../.2./...")
    assert task.format(puzzle) == "latin:1../.2./..."
    assert task.parse("latin:1..\n.2.\n...").givens["digits"].tolist() == [
        [0, -1, -1], [-1, 1, -1], [-1, -1, -1]
    ]  # fmt: skip
    assert task.is_valid(puzzle, [1, 3, 2, 3, 2, 1, 2, 1, 3])
    assert "".join(task.labels(puzzle)) == "12"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("latin:1../.2/...", "row 2 of the latin has 2 cells"),
        ("latin:1../.4./...", "row 2 of the latin has '4'; use . 1 2 3"),
        ("latin:", "row 1"),
        ("123", "the text of a latin is latin: and its rows"),
        ('{"task":"latin"}', "height, width and givens"),
        ('{"task":"other"}', '"task":"latin"'),
        ('{"task":"latin","height":1,"width":1,"givens":{"digits":[[7]]}}', "-1 to 2"),
        ("{", "is no JSON"),
    ],
)
def test_a_wrong_text_is_one_sentence(text: str, message: str):
    with pytest.raises(InputError, match=message):
        Latin().parse(text)


@given(st.text() | st.text('latin:123./{"task":,0}[]'))
def test_any_text_is_read_or_refused(text: str):
    for task in (Latin(), Free()):
        try:
            puzzle = task.parse(text)
        except InputError:
            continue
        assert task.format(task.parse(task.format(puzzle))) == task.format(puzzle)


def test_other_givens_are_json():
    task = Free()
    puzzle = Puzzle("free", 1, 2, {"open": np.array([[1, 0]])})
    text = '{"task":"free","height":1,"width":2,"givens":{"open":[[1,0]]}}'
    assert task.format(puzzle) == text
    np.testing.assert_array_equal(task.domain(task.parse(text)), task.domain(puzzle))
    with pytest.raises(InputError, match="open must be lists of whole numbers"):
        task.parse(text.replace("[1,0]", '["a",0]'))


def test_a_network_sees_rows_columns_and_states():
    encoding = Latin().encode(Latin().parse("latin:1../.2./..."))
    assert encoding.partitions.tolist() == [[0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 1, 2] * 3]
    assert encoding.tokens.tolist() == [2, 1, 1, 1, 3, 1, 1, 1, 1]
    assert encoding.answer_tokens[0].tolist() == [2, 3, 4]
    assert encoding.features.shape == (9, 1) and Latin.vocabulary == 5


def test_boards_are_made_from_the_rules():
    generator = Latin().generator()
    assert generator is not None and Free().generator() is None
    for puzzle in generator().make(3, 3, np.random.default_rng(0)):
        assert [*Latin().count_solutions([puzzle])] == [1]
        assert puzzle.answer is not None and Latin().is_valid(puzzle, puzzle.answer)


def test_a_task_without_domain_or_printed_states_is_refused():
    class Empty(Latin):
        givens: ClassVar = {}

    with pytest.raises(InputError, match="latin needs domain"):
        Empty().rules(Puzzle("latin", 3, 3, {}))
