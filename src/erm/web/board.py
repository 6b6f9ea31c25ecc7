"""Puzzles as JSON: the arrays that are printed on a board, checked cell by cell, and any text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from erm.drawing.board import board_of
from erm.errors import InputError
from erm.formats.read import read_text
from erm.rulebook.answers import format_answer
from erm.rulebook.registry import load_task
from erm.rulebook.task import Task
from erm.search.problem import Problem
from erm.types import MAX_SIDE, Puzzle
from erm.web import schema
from erm.web.requests import PuzzleRequest
from erm.web.verdict import BLANK

JOINED = 8
"""Rules over more cells than this are not drawn as links between them."""
APART = 1.6
"""Cells between two neighbours on a circle."""


def read_puzzle(request: PuzzleRequest) -> Puzzle:
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
    kind = load_task(task)
    if not kind.givens:
        raise InputError(f"boards of {task} are given as text, not as givens")
    if set(givens) != set(kind.givens):
        names = ", ".join(kind.givens)
        raise InputError(f"the givens of {task} are {names}, got {', '.join(givens)}")
    first = givens[next(iter(kind.givens))]
    height = len(first) if isinstance(first, list) else 0
    width = len(first[0]) if height and isinstance(first[0], list) else 0
    if not (1 <= height <= MAX_SIDE and 1 <= width <= MAX_SIDE):
        raise InputError(f"the board must have 1 to {MAX_SIDE} rows of 1 to {MAX_SIDE} cells")
    arrays = {
        name: given.read(name, givens[name], (height, width)) for name, given in kind.givens.items()
    }
    puzzle = kind.parse(kind.format(kind.normalised(Puzzle(task, height, width, arrays))))
    if puzzle.shape != (height, width):
        raise InputError(f"a {task} board of {height}x{width} cells cannot be")
    return puzzle


def to_json(puzzle: Puzzle) -> schema.Puzzle:
    """The puzzle as the page draws it."""
    task = load_task(puzzle.task)
    board, domain = board_of(task, puzzle), task.domain(puzzle)
    states = task.to_answer(np.arange(task.states_of(puzzle)))
    fixed = domain.sum(-1) == 1
    written = format_answer(task.to_answer(domain.argmax(-1)))
    right, down = board.borders
    return schema.Puzzle(
        task=puzzle.task,
        height=puzzle.height,
        width=puzzle.width,
        states=len(states),
        symbols=format_answer(states),
        written="".join(task.state_symbols[state] for state in states.tolist()),
        text=task.format(puzzle),
        givens={name: array.astype(int).tolist() for name, array in puzzle.givens.items()},
        labels=list(board.labels),
        right=right.astype(int).tolist(),
        down=down.astype(int).tolist(),
        signs=[schema.Sign(cells=cells, text=text) for cells, text in board.signs.items()],
        groups=task.partitions(puzzle).tolist(),
        places=None if task.lattice else places_of(task, puzzle),
        links=[] if task.lattice else links_of(task, puzzle),
        fixed=format_answer(fixed.astype(np.int8)),
        start="".join(
            one if known and not task.marks else BLANK
            for one, known in zip(written, fixed, strict=True)
        ),
        answer=None if puzzle.answer is None else format_answer(puzzle.answer),
    )


def places_of(task: Task, puzzle: Puzzle) -> list[tuple[float, float]]:
    """Where a board that is no lattice is drawn: where its task says, or on a circle."""
    if type(task).places is not Task.places:
        return [(float(row), float(column)) for row, column in task.places(puzzle).tolist()]
    around = 2 * np.pi * np.arange(puzzle.cells) / puzzle.cells
    radius = APART * puzzle.cells / (2 * np.pi)
    rows, columns = radius * (1 - np.cos(around)), radius * (1 + np.sin(around))
    return list(zip(rows.round(2).tolist(), columns.round(2).tolist(), strict=True))


def links_of(task: Task, puzzle: Puzzle) -> list[list[int]]:
    """The cells of every scope that is small enough to be drawn, each once."""
    small = [one.scopes for one in task.factors(puzzle) if 1 < one.scopes.shape[1] <= JOINED]
    return list(map(list, dict.fromkeys(tuple(cells) for one in small for cells in one.tolist())))


def task_json(task: Task, checkpoints: list[schema.Checkpoint], missing: str | None) -> schema.Task:
    """All that the page knows about a kind of puzzle."""
    look = task.look
    return schema.Task(
        name=task.name,
        title=look.title or task.name,
        about=look.about,
        words=dict(look.words),
        marks=task.marks,
        lattice=task.lattice,
        sides=list(task.sides),
        givens={
            name: schema.Given(
                low=given.low,
                high=given.high,
                blank=given.blank,
                names=dict(given.names),
                trim=given.trim,
                slots=given.slots,
            )
            for name, given in task.givens.items()
        },
        page=None if look.page is None else f"puzzles/{task.name}/page.js",
        examples=[schema.Example(title=one.title, text=one.text) for one in look.gallery()],
        checkpoints=checkpoints,
        missing=missing,
    )


def solution_link(problem: Problem, answer: np.ndarray) -> str | None:
    """The solved board as an address, where puzz.link has that kind."""
    if not problem.rules.in_domain(problem.task.to_states(problem.puzzle, answer)).all():
        return None
    return problem.task.link(problem.puzzle, answer)
