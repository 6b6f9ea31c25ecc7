"""Boards in the terminal: clues bold, the answer in colour, broken rules marked with "!"."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from rich.console import Console
from rich.text import Text

from erm.drawing.board import draw_puzzle
from erm.drawing.lattice import FAINT, Lattice, to_ascii
from erm.rulebook.registry import load_task
from erm.types import Puzzle


def draw(
    console: Console,
    puzzle: Puzzle,
    answer: np.ndarray | None = None,
    marked: Collection[int] = (),
    clues_apart: bool = True,
) -> Text:
    """A puzzle, or its answer with the given clues apart, as wide as the console has room for."""
    room = console.width if console.is_terminal else None
    drawings = [_lattice(puzzle, answer, marked)]
    colours = console.is_terminal and not console.no_color
    if clues_apart and drawings[0].look_alike and not colours and answer is not None:
        # Without colours clues and answer look alike, so the puzzle is drawn beside the answer.
        drawings.insert(0, _lattice(puzzle, None, ()))
    cell = drawings[0].fit(room)
    if not cell:
        needed = drawings[0].columns(drawings[0].narrowest)
        return Text(f"(the board needs {needed} columns, the terminal has {room})", FAINT)
    texts = [lattice.draw(cell) for lattice in drawings]
    if console.options.ascii_only:
        texts = [to_ascii(text) for text in texts]
    beside = room is None or 2 * drawings[0].columns(cell) + 3 <= room
    return _side_by_side(texts) if beside else Text("\n").join(texts)


def _lattice(puzzle: Puzzle, answer: np.ndarray | None, marked: Collection[int]) -> Lattice:
    return draw_puzzle(load_task(puzzle.task), puzzle, answer, marked)


def _side_by_side(texts: list[Text]) -> Text:
    rows = zip(*(text.split("\n") for text in texts), strict=True)
    return Text("\n", no_wrap=True).join(Text("   ").join(row) for row in rows)
