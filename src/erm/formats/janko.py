"""Records of a link and a solution grid, as collections from janko.at are passed around."""

from __future__ import annotations

from typing import Any

import numpy as np

from erm.errors import InputError
from erm.formats import record
from erm.formats.read import read_text
from erm.rulebook.registry import task_of
from erm.types import Puzzle

KEPT = ("janko_id", "src", "in_golden")
"""Fields that say where a record comes from; they travel in `Puzzle.meta`."""


def parse(fields: dict[str, Any]) -> Puzzle:
    """The puzzle of one record, with its answer where the record has a solution."""
    url = record.text_field(fields, "url")
    puzzle = read_text(url)
    puzzle = puzzle.with_meta(url=url, **{name: fields[name] for name in KEPT if name in fields})
    grid = fields.get("solution")
    if grid is None:
        return puzzle
    task = task_of(puzzle.task)
    high = task.first_state + task.states_of(puzzle) - 1
    if not isinstance(grid, list) or len(grid) != puzzle.height:
        raise InputError(f"its solution must be a list of {puzzle.height} rows")
    for number, row in enumerate(grid, 1):
        if not isinstance(row, list) or len(row) != puzzle.width:
            raise InputError(f"row {number} of its solution must be a list of {puzzle.width}")
        for column, state in enumerate(row, 1):
            if type(state) is not int or not 0 <= state <= high:
                raise InputError(
                    f"its solution has {str(state)[:10]!r} at row {number}, column {column}, "
                    f"where 0 to {high} must stand"
                )
    return puzzle.with_answer(np.array(grid, np.int8))


def link_of(puzzle: Puzzle) -> str:
    """The address of a puzzle, or an InputError where there is none of its kind."""
    link = task_of(puzzle.task).link(puzzle)
    if link is None:
        raise InputError(f"there are no links of {puzzle.task}, which this format is made of")
    return link


def format(puzzle: Puzzle) -> dict[str, Any]:
    """The record of a puzzle."""
    answer = puzzle.answer
    return {
        "pid": puzzle.task,
        "url": link_of(puzzle),
        "w": puzzle.width,
        "h": puzzle.height,
        "solution": None if answer is None else answer.reshape(puzzle.shape).tolist(),
        **{name: puzzle.meta[name] for name in KEPT if name in puzzle.meta},
    }
