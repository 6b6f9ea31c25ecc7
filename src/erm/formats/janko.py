"""Records of a link and a solution grid, as collections from janko.at are passed around."""

from __future__ import annotations

from typing import Any

import numpy as np

from erm.errors import InputError
from erm.formats import puzzlink, record
from erm.types import Puzzle

KEPT = ("janko_id", "src", "in_golden")
"""Fields that say where a record comes from; they travel in `Puzzle.meta`."""


def parse(fields: dict[str, Any]) -> Puzzle:
    """The puzzle of one record, with its answer where the record has a solution."""
    url = record.text_field(fields, "url")
    puzzle = puzzlink.parse(url)
    puzzle = puzzle.with_meta(url=url, **{name: fields[name] for name in KEPT if name in fields})
    grid = fields.get("solution")
    if grid is None:
        return puzzle
    high = puzzle.width if puzzle.task == "sudoku" else 1
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


def format(puzzle: Puzzle) -> dict[str, Any]:
    """The record of a puzzle."""
    answer = puzzle.answer
    return {
        "pid": puzzle.task,
        "url": puzzlink.format(puzzle),
        "w": puzzle.width,
        "h": puzzle.height,
        "solution": None if answer is None else answer.reshape(puzzle.shape).tolist(),
        **{name: puzzle.meta[name] for name in KEPT if name in puzzle.meta},
    }
