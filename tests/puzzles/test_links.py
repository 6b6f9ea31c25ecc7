from __future__ import annotations

import numpy as np
import pytest
from codec_boards import LINKED, assert_same, heyawakes, mutations
from hypothesis import given, settings
from hypothesis import strategies as st
from linked import file, names
from linked import link as link_of
from pzpr_node import golden_records, open_in_pzpr, wild_records

from erm.errors import InputError
from erm.formats.read import read_text
from erm.grid import first_cells, rooms
from erm.puzzles.links import name_of
from erm.rulebook.registry import load_task
from erm.types import Puzzle

PZV = "http://pzv.jp/p.html?"
PUZZ_LINK = "https://puzz.link/p?"
BATCH = st.lists(LINKED, min_size=40, max_size=40)
"""One node process for many boards."""


def answer_or_empty(puzzle: Puzzle) -> np.ndarray:
    if puzzle.answer is not None:
        return puzzle.answer
    return puzzle.givens.get("digits", np.zeros(puzzle.cells, np.int8)).ravel()


@given(LINKED)
def test_links_round_trip(puzzle: Puzzle):
    assert_same(read_text(link_of(puzzle), puzzle.task), puzzle, answers=False)


@settings(max_examples=4)
@given(BATCH)
def test_pzpr_writes_the_same_links_and_files(puzzles: list[Puzzle]):
    links = [link_of(puzzle) for puzzle in puzzles]
    for puzzle, link, seen in zip(puzzles, links, open_in_pzpr(links), strict=True):
        assert seen["link"].removeprefix(PZV) == link.removeprefix(PUZZ_LINK)
        assert seen["file"] == file(puzzle)


@settings(max_examples=4)
@given(BATCH)
def test_pzpr_opens_links_with_answers(puzzles: list[Puzzle]):
    links = [link_of(puzzle, answer_or_empty(puzzle)) for puzzle in puzzles]
    for puzzle, link, seen in zip(puzzles, links, open_in_pzpr(links), strict=True):
        assert seen["file"] == file(puzzle, answer_or_empty(puzzle))
        assert seen["solved"].removeprefix(PZV) == link.removeprefix(PUZZ_LINK)


@given(st.one_of(LINKED.filter(lambda p: p.task != "heyawake"), heyawakes(dangling=False)))
def test_links_with_answers_round_trip(puzzle: Puzzle):
    link = link_of(puzzle, answer_or_empty(puzzle))
    assert_same(read_text(link), puzzle)
    assert_same(read_text(file(puzzle, answer_or_empty(puzzle))), puzzle)


def test_golden_links_are_written_as_pzpr_writes_them():
    names = ("puzzle_url", "puzzlink_url")
    links = [record[name] for record in golden_records() for name in names]
    assert len(links) >= 150
    assert_written_as_pzpr_writes(links)


def test_collected_links_are_written_as_pzpr_writes_them():
    # Every third, to save node's time; all of them agreed when this was written.
    assert_written_as_pzpr_writes([record["url"] for record in wild_records()[::3]])


def assert_written_as_pzpr_writes(links: list[str]) -> None:
    for link, seen in zip(links, open_in_pzpr(links), strict=True):
        puzzle = read_text(link)
        assert link_of(puzzle).removeprefix(PUZZ_LINK) == seen["link"].removeprefix(PZV)
        assert file(puzzle) == seen["file"]


def test_clues_are_those_of_the_collection():
    for record in wild_records():
        givens = read_text(record["url"], record["pid"]).givens
        if record["pid"] == "heyawake":
            room_of = rooms(givens["right"], givens["down"])
            np.testing.assert_array_equal(givens["right"], record["bord_v"])
            np.testing.assert_array_equal(givens["down"], record["bord_h"])
            np.testing.assert_array_equal(room_of, np.ravel(record["rooms"]))
            clues = givens["clues"].ravel()[first_cells(room_of)]
            np.testing.assert_array_equal(clues, record["room_clues"])
        else:
            none, unknown = (0, -1) if record["pid"] == "nurikabe" else (-2, -1)
            clues = givens["clues"]
            theirs = np.select([clues == none, clues == unknown], [-1, -2], clues)
            np.testing.assert_array_equal(theirs, record["clues"])


def test_large_clues_are_read():
    clues = read_text("nurikabe/3/2/g.h-10g").givens["clues"]
    np.testing.assert_array_equal(clues, [[0, -1, 0], [0, 16, 0]])


def test_dangling_borders_are_kept():
    link = PUZZ_LINK + "heyawake/8/8/022gkf3gc2007o00o01s01v07"
    puzzle = read_text(link)
    assert rooms(puzzle.givens["right"], puzzle.givens["down"]).max() == 0
    assert puzzle.givens["right"].any()
    assert puzzle.givens["clues"][0, 0] == 7
    assert link_of(puzzle) == link


def test_tapa_clues_of_every_length():
    clues = read_text("tapa/3/3/.81a0b1cs9d6g").givens["clues"].reshape(9, 4)
    assert clues.tolist() == [
        [-2, -1, -1, -1],
        [8, -1, -1, -1],
        [1, -1, -1, -1],
        [-2, -2, -1, -1],
        [-2, -2, 1, -1],
        [-2, -2, -2, -2],
        [1, 1, 1, 1],
        [1, 1, 1, -2],
        [-1, -1, -1, -1],
    ]


@pytest.mark.parametrize(
    "link",
    [
        "akari/3/3/.iah",
        "lightup/3/3/.iah",
        "p?akari/3/3/.iah",
        "puzz.link/p?akari/3/3/.iah/",
        "https://puzz.link/p?akari/3/3/.iah//",
        "http://puzz.link/p?akari_edit/3/3/.iah",
        "https://puzz.link/p?type=player&akari/3/3/.iah#fragment",
        "http://pzv.jp/p.html?lightup/3/3/.iah",
        " https://pzv.jp/p.html?bijutsukan/3/3/.i\nah\r\n",
    ],
)
def test_every_way_to_write_a_link(link: str):
    puzzle = read_text(link)
    assert puzzle.task == "lightup"
    assert name_of(link) in load_task("lightup").alphabet.names
    assert puzzle.givens["clues"].tolist() == [[-1, -2, -2], [-2, 0, -2], [-2, -2, -2]]
    assert link_of(puzzle) == "https://puzz.link/p?akari/3/3/.iah"


@pytest.mark.parametrize(
    ("link", "complaint"),
    [
        ("", "is empty; wanted are"),
        ("slither/3/3/g", "'slither' names no puzzle"),
        ("nurikabe/3", "WIDTH/HEIGHT/BOARD"),
        ("nurikabe/v:1/3/3/o", "WIDTH/HEIGHT/BOARD"),
        ("nurikabe/3/3", "no board"),
        ("nurikabe/0/3/o", "sides must be 1 to 64"),
        ("nurikabe/9999/9999/zz", "9999x9999"),
        ("nurikabe/3/3/l", "before row 3, column 1, 3 too early"),
        ("nurikabe/3/3/h!", "'!', character 2 of the board, makes no sense at row 1, column 3"),
        ("nurikabe/3/3/h0l", "'0'"),
        ("nurikabe/3/3/z", "'z', character 1"),
        ("nurikabe/3/3/o5", "goes on behind its last cell with '5'"),
        ("nurikabe/3/3/h-1", "'-', character 2"),
        ("nurikabe/3/3/$fffff", "'$'"),
        ("sudoku/5/5/z", "sides of 4, 6, 9 or 16"),
        ("sudoku/4/4/5", "'5', character 1"),
        ("tapa/2/2/f9", "'f'"),
        ("heyawake/3/3/0", "its end, character 2 of the board, is where borders must stand"),
        ("heyawake/3/3/0!", "'!', character 2"),
        ("heyawake/3/3/0000", "before the clue of room 1"),
        ("pzprv3/nurikabe/3/3/. . ./. . ./", "cells, not 3"),
        ("pzprv3/nurikabe/3/x", "line 4"),
        ("x" * 1_000_000, "is no puzzle that we can read; wanted are"),
    ],
)
def test_malformed_links_are_explained(link: str, complaint: str):
    with pytest.raises(InputError) as caught:
        read_text(link)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_link_of_another_kind_is_refused():
    with pytest.raises(InputError, match="a tapa link where a nurikabe puzzle is wanted"):
        read_text("tapa/2/2/j", "nurikabe")


def test_clues_that_no_link_can_hold_are_refused():
    clues = np.zeros((2, 2), np.int16)
    clues[1, 0] = 9999
    with pytest.raises(InputError, match="9999 at row 2, column 1"):
        link_of(Puzzle("nurikabe", 2, 2, {"clues": clues}))
    maze = Puzzle("maze", 1, 2, {"cells": np.array([[3, 4]], np.uint8)})
    assert load_task("maze").link(maze) is None


def test_a_link_of_any_length_is_refused_unread():
    with pytest.raises(InputError, match="too long"):
        load_task("nurikabe").parse("x" * 1_000_000)


LINKS = LINKED.map(link_of)
FILES = LINKED.map(lambda puzzle: link_of(puzzle, answer_or_empty(puzzle)))


@settings(max_examples=200)
@given(
    st.one_of(
        mutations(LINKS),
        mutations(FILES),
        st.text(),
        st.tuples(
            st.sampled_from(names()),
            st.integers(-2, 70),
            st.integers(-2, 70),
            st.text("0123456789abcdefghijklmnopqrstuvwxyz.-+=/"),
        ).map(lambda parts: "/".join(map(str, parts))),
    )
)
def test_no_text_does_worse_than_an_input_error(text: str):
    try:
        puzzle = read_text(text)
    except InputError as error:
        assert len(str(error)) < 400
    else:
        assert_same(read_text(link_of(puzzle)), puzzle, answers=False)


def test_room_names_of_any_length_are_refused():
    lines = ["pzprv3", "heyawake", "1", "2", "2", "0 " + "7" * 70_000, ". .", ". ."]
    with pytest.raises(InputError, match="row 1, column 2"):
        read_text("\n".join(lines))
