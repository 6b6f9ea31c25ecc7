from __future__ import annotations

import json

import pytest
from codec_boards import LINKED, assert_same, mutations
from hypothesis import given
from hypothesis import strategies as st
from linked import link
from pzpr_node import golden_records, open_in_pzpr, wild_records

from erm.errors import InputError
from erm.formats import janko, ppbench, record
from erm.types import Puzzle


def test_golden_records_are_written_again_byte_for_byte():
    for fields in golden_records():
        puzzle = ppbench.parse(fields)
        again = ppbench.format(puzzle)
        assert again["solution_enc"] == fields["solution_enc"]
        assert {name: again[name] for name in again if not name.endswith("url")} == {
            name: fields[name] for name in again if not name.endswith("url")
        }
        assert_same(ppbench.parse(again), puzzle)


def test_pzpr_finds_golden_answers_solved_in_our_links():
    puzzles = [ppbench.parse(fields) for fields in golden_records()]
    assert len(puzzles) >= 75
    links = [link(puzzle, puzzle.answer) for puzzle in puzzles if puzzle.answer is not None]
    assert len(links) == len(puzzles)
    assert all(seen["complete"] for seen in open_in_pzpr(links, judge=True))


@given(LINKED)
def test_records_round_trip(puzzle: Puzzle):
    fields = json.loads(json.dumps(ppbench.format(puzzle)))
    assert_same(ppbench.parse(fields), puzzle)
    assert_same(janko.parse(json.loads(json.dumps(janko.format(puzzle)))), puzzle)


def test_collected_records_round_trip():
    for fields in wild_records():
        again = janko.format(janko.parse(fields))
        for name in ("pid", "w", "h", "solution", "janko_id"):
            assert again[name] == fields[name]


GOOD = {"puzzlink_url": "nurikabe/2/2/2i", "solution_enc": None}


def solution(**moves: object) -> dict[str, object]:
    return {**GOOD, "solution_enc": ppbench.encode_solution(moves)}  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({}, "'puzzlink_url' is missing"),
        ({"puzzlink_url": 3}, "must be text"),
        ({**GOOD, "solution_enc": "!"}, "not base64"),
        ({**GOOD, "solution_enc": "AAAA"}, "not base64 of JSON"),
        ({**GOOD, "solution_enc": "A" * 5_000_000}, "too long"),
        (solution(), "no list moves_full"),
        (solution(moves_full=["jump"]), "'jump'"),
        (solution(moves_full=[None]), "'None'"),
        (solution(moves_full=["mouse,left,2,1"]), "not on a cell"),
        (solution(moves_full=["mouse,left,5,1"]), "not on a cell"),
        (
            {**solution(moves_full=["mouse,left,1,1;key,1"]), "puzzlink_url": "sudoku/4/4/v"},
            "row 1",
        ),
        (
            {**solution(moves_full=["mouse,left,1,1;key,9"]), "puzzlink_url": "sudoku/4/4/v"},
            "digit",
        ),
    ],
)
def test_malformed_records_are_explained(fields: dict[str, object], complaint: str):
    with pytest.raises(InputError) as caught:
        ppbench.parse(fields)
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("grid", "complaint"),
    [
        (7, "2 rows"),
        ([[0, 1]], "2 rows"),
        ([[0, 1], [1]], "row 2"),
        ([[0, 1], [1, 2]], "'2' at row 2, column 2"),
        ([[0, 1], [1, "1"]], "'1' at row 2, column 2"),
    ],
)
def test_malformed_solution_grids_are_explained(grid: object, complaint: str):
    with pytest.raises(InputError) as caught:
        janko.parse({"url": "nurikabe/2/2/2i", "solution": grid})
    assert complaint in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(
    st.one_of(
        st.text(),
        st.just("[" * 100_000),
        st.just('{"url": ' + "9" * 10_000 + "}"),
        mutations(LINKED.map(lambda puzzle: json.dumps(janko.format(puzzle)))),
        mutations(LINKED.map(lambda puzzle: json.dumps(ppbench.format(puzzle)))),
        st.dictionaries(
            st.sampled_from(["url", "puzzlink_url", "solution", "solution_enc"]),
            st.just("nurikabe/2/2/2i") | JSON,
        ).map(json.dumps),
    )
)
def test_no_line_does_worse_than_an_input_error(line: str):
    for codec in (ppbench, janko):
        try:
            puzzle = codec.parse(record.parse(line))
        except InputError as error:
            assert len(str(error)) < 400
        else:
            assert link(puzzle)
