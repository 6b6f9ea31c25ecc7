"""Boards of every kind for hypothesis, solvable or not: codecs must not care."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from erm.grid import first_cells, rooms
from erm.types import Puzzle

SIDES = st.integers(1, 7)
TAPA_CLUES = [
    (-1, -1, -1, -1),
    *[(number, -1, -1, -1) for number in (-2, *range(9))],
    *[(a, b, -1, -1) for a, b in product((-2, 1, 2, 3, 4, 5), repeat=2)],
    *[(a, b, c, -1) for a, b, c in product((-2, 1, 2, 3), repeat=3)],
    *product((-2, 1), repeat=4),
]


def _with_answer(draw: st.DrawFn, puzzle: Puzzle, free: np.ndarray) -> Puzzle:
    """A shading of free cells, or none at all."""
    shaded = draw(arrays(bool, puzzle.shape, elements=st.booleans())) & free
    return puzzle.with_answer(shaded) if shaded.any() else puzzle


@st.composite
def sudokus(draw: st.DrawFn, sides: tuple[int, ...] = (4, 6, 9, 16)) -> Puzzle:
    side = draw(st.sampled_from(sides))
    answer = draw(arrays(np.int8, (side, side), elements=st.integers(1, side)))
    shown = draw(arrays(bool, (side, side), elements=st.booleans()))
    puzzle = Puzzle("sudoku", side, side, {"digits": np.where(shown, answer, 0).astype(np.int8)})
    return puzzle.with_answer(answer) if draw(st.booleans()) or shown.all() else puzzle


@st.composite
def mazes(draw: st.DrawFn, square: bool = False) -> Puzzle:
    height = draw(st.integers(2, 7))
    width = height if square else draw(st.integers(2, 7))
    cells = draw(arrays(np.uint8, (height, width), elements=st.integers(1, 2)))
    ends = draw(st.lists(st.integers(0, cells.size - 1), min_size=2, max_size=2, unique=True))
    cells.flat[ends] = 3, 4
    return _with_answer(draw, Puzzle("maze", height, width, {"cells": cells}), cells == 2)


@st.composite
def lightups(draw: st.DrawFn) -> Puzzle:
    shape = draw(SIDES), draw(SIDES)
    elements = st.sampled_from((-2, -2, -2, -1, 0, 1, 2, 3, 4))
    clues = draw(arrays(np.int8, shape, elements=elements))
    return _with_answer(draw, Puzzle("lightup", *shape, {"clues": clues}), clues == -2)


@st.composite
def nurikabes(draw: st.DrawFn) -> Puzzle:
    shape = draw(SIDES), draw(SIDES)
    elements = st.sampled_from((0, 0, 0, 0, -1, 1, 2, 15, 16, 255, 256, 4095, 4096))
    clues = draw(arrays(np.int16, shape, elements=elements))
    return _with_answer(draw, Puzzle("nurikabe", *shape, {"clues": clues}), clues == 0)


@st.composite
def heyawakes(draw: st.DrawFn, dangling: bool = True) -> Puzzle:
    height, width = draw(SIDES), draw(SIDES)
    right = draw(arrays(bool, (height, width - 1), elements=st.booleans()))
    down = draw(arrays(bool, (height - 1, width), elements=st.booleans()))
    room_of = rooms(right, down)
    if not dangling:
        board = room_of.reshape(height, width)
        right, down = board[:, 1:] != board[:, :-1], board[1:] != board[:-1]
    clues = np.full(height * width, -1, np.int16)
    first = first_cells(room_of)
    elements = st.sampled_from((-1, -1, 0, 1, 2, 15, 16, 300))
    clues[first] = draw(arrays(np.int16, len(first), elements=elements))
    givens = {"right": right, "down": down, "clues": clues.reshape(height, width)}
    puzzle = Puzzle("heyawake", height, width, givens)
    return _with_answer(draw, puzzle, np.ones((height, width), bool))


@st.composite
def tapas(draw: st.DrawFn) -> Puzzle:
    shape = draw(SIDES), draw(SIDES)
    chosen = draw(arrays(np.int16, shape, elements=st.integers(-99, len(TAPA_CLUES) - 1)))
    clues = np.array(TAPA_CLUES, np.int8)[np.maximum(chosen, 0)]
    return _with_answer(draw, Puzzle("tapa", *shape, {"clues": clues}), clues[..., 0] == -1)


LINKED = st.one_of(sudokus(), lightups(), nurikabes(), heyawakes(), tapas())
"""Whatever has links."""
ANY = st.one_of(LINKED, mazes())


def assert_same(one: Puzzle, other: Puzzle, answers: bool = True) -> None:
    """Equal in every array and its type."""
    assert (one.task, one.shape) == (other.task, other.shape)
    assert one.givens.keys() == other.givens.keys()
    for name, given in one.givens.items():
        assert given.dtype == other.givens[name].dtype
        np.testing.assert_array_equal(given, other.givens[name])
    if answers:
        assert (one.answer is None) == (other.answer is None)
        if one.answer is not None and other.answer is not None:
            np.testing.assert_array_equal(one.answer, other.answer)


@st.composite
def mutations(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A good text with some characters changed, dropped, doubled or thrown in."""
    text = list(draw(texts))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(text) - 1)))
        put = draw(st.one_of(st.sampled_from([*'/-+=.%0fgz9:? \n,{}"SGo#|']), st.characters()))
        how = draw(st.integers(0, 3))
        text[at : at + (how > 0)] = [] if how == 1 else [put] if how == 2 else [put] * how
    return "".join(text)
