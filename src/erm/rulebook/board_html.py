"""Boards for notebooks."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from jaxtyping import Int

from erm.drawing.svg import BOARD, to_svg
from erm.rulebook.task import Task
from erm.types import Puzzle


def board_html(
    task: Task,
    puzzle: Puzzle,
    answer: Int[np.ndarray, " n"] | None = None,
    marked: Collection[int] = (),
    room: int = BOARD,
) -> str:
    """A puzzle, or an answer to it, with the marked cells pointed at, as inline SVG."""
    marks = np.zeros(puzzle.cells, bool)
    marks[list(marked)] = True
    states = None if answer is None else np.asarray(answer, np.int64).reshape(puzzle.shape)
    return to_svg(task.drawing(puzzle, states, marks.reshape(puzzle.shape)), room)
