"""Puzzles as JSON: the arrays that are printed on a board, checked cell by cell, and any text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from erm.errors import InputError
from erm.formats.read import read_text
from erm.rulebook.answers import format_answer
from erm.rulebook.registry import load_task, task_names
from erm.search.problem import Problem
from erm.types import MAX_SIDE, Puzzle
from erm.web import schema


@dataclass(frozen=True)
class Grid:
    """One array of givens: its type, its least and greatest value and how much it is smaller."""

    dtype: type
    low: int
    high: int
    trim: tuple[int, int] = (0, 0)
    """Rows and columns that it lacks against the board, as borders do."""
    slots: int = 0
    """Numbers in a cell where that is more than one."""


CELLS = MAX_SIDE * MAX_SIDE
GRIDS: Mapping[str, Mapping[str, Grid]] = {
    "sudoku": {"digits": Grid(np.int8, 0, 16)},
    "maze": {"cells": Grid(np.uint8, 1, 4)},
    "lightup": {"clues": Grid(np.int8, -2, 4)},
    "nurikabe": {"clues": Grid(np.int16, -1, CELLS)},
    "heyawake": {
        "clues": Grid(np.int16, -1, CELLS),
        "right": Grid(np.bool_, 0, 1, trim=(0, 1)),
        "down": Grid(np.bool_, 0, 1, trim=(1, 0)),
    },
    "tapa": {"clues": Grid(np.int8, -2, 8, slots=4)},
}
"""What each task prints; the first array has one entry a cell of the board."""


def read_puzzle(request: schema.PuzzleRequest) -> Puzzle:
    """The puzzle that a request means."""
    if (request.text is None) == (request.givens is None):
        raise InputError("a puzzle is given either as text or as givens")
    if request.text is not None:
        return read_text(request.text, request.task)
    if request.task is None:
        raise InputError("givens need the name of their task")
    return from_givens(request.task, request.givens or {})


def from_givens(task: str, givens: Mapping[str, Any]) -> Puzzle:
    """A puzzle from arrays, held against the task's own text so that no other rule is needed."""
    grids = GRIDS.get(task)
    if grids is None:
        known = ", ".join(name for name in task_names() if name in GRIDS)
        raise InputError(f"givens can be of {known}, not of {task!r}")
    if set(givens) != set(grids):
        raise InputError(f"the givens of {task} are {', '.join(grids)}, got {', '.join(givens)}")
    first = givens[next(iter(grids))]
    height = len(first) if isinstance(first, list) else 0
    width = len(first[0]) if height and isinstance(first[0], list) else 0
    if not (1 <= height <= MAX_SIDE and 1 <= width <= MAX_SIDE):
        raise InputError(f"the board must have 1 to {MAX_SIDE} rows of 1 to {MAX_SIDE} cells")
    arrays = {
        name: _array(name, grid, givens[name], (height, width)) for name, grid in grids.items()
    }
    kind = load_task(task)
    puzzle = kind.parse(kind.format(Puzzle(task, height, width, arrays)))
    if puzzle.shape != (height, width):
        raise InputError(f"a {task} board of {height}x{width} cells cannot be")
    return puzzle


def _array(name: str, grid: Grid, rows: Any, shape: tuple[int, int]) -> np.ndarray:
    height, width = shape[0] - grid.trim[0], shape[1] - grid.trim[1]
    wanted = (height, width, *([grid.slots] if grid.slots else []))
    flat: list[int] = []
    for r, row in enumerate(_list(rows, height, f"{name}, rows")):
        for c, cell in enumerate(_list(row, width, f"{name}, row {r + 1}")):
            where = f"{name}, row {r + 1}, column {c + 1}"
            for value in _list(cell, grid.slots, where) if grid.slots else [cell]:
                if not isinstance(value, int) or not grid.low <= value <= grid.high:
                    raise InputError(f"{where} must be a number from {grid.low} to {grid.high}")
                flat.append(value)
    return np.array(flat, grid.dtype).reshape(wanted)


def _list(value: Any, length: int, where: str) -> list[Any]:
    if not isinstance(value, list) or len(value) != length:
        raise InputError(f"{where}: a list of {length} is wanted")
    return value


def to_json(puzzle: Puzzle) -> schema.Puzzle:
    """The puzzle as the page draws it."""
    task = load_task(puzzle.task)
    domain = task.domain(puzzle)
    return schema.Puzzle(
        task=puzzle.task,
        height=puzzle.height,
        width=puzzle.width,
        states=task.states_of(puzzle),
        text=task.format(puzzle),
        givens={name: array.astype(int).tolist() for name, array in puzzle.givens.items()},
        fixed=format_answer((domain.sum(-1) == 1).astype(np.int8)),
        answer=None if puzzle.answer is None else format_answer(puzzle.answer),
    )


def solution_link(problem: Problem, answer: np.ndarray) -> str | None:
    """The solved board as an address, where puzz.link has that kind."""
    if not problem.rules.in_domain(problem.task.to_states(problem.puzzle, answer)).all():
        return None
    return problem.task.link(problem.puzzle, answer)
