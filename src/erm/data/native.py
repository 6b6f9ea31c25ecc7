"""Our own records: one JSON object a puzzle, its text as its task writes it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from erm.errors import InputError
from erm.formats import record
from erm.formats.text import format_answer, parse_answer
from erm.rulebook.registry import load_task
from erm.rulebook.task import Task
from erm.types import Puzzle

_load_task = cache(load_task)


def task_of(name: str) -> Task:
    """`load_task`, remembered: looking through the installed packages takes milliseconds."""
    return _load_task(name)


def parse(fields: dict[str, Any]) -> Puzzle:
    """The puzzle of one record, checked as far as its states go."""
    task = task_of(record.text_field(fields, "task"))
    puzzle = task.parse(record.text_field(fields, "puzzle"))
    meta = fields.get("meta") or {}
    if not isinstance(meta, dict):
        raise InputError("its field 'meta' must be an object")
    answer = fields.get("answer")
    if answer is not None:
        states = parse_answer(record.text_field(fields, "answer"), puzzle.cells)
        task.to_states(puzzle, states)
        return replace(puzzle, answer=states, meta=meta)
    return replace(puzzle, meta=meta)


def format(puzzle: Puzzle) -> dict[str, Any]:
    """The record of a puzzle."""
    answer = puzzle.answer
    return {
        "task": puzzle.task,
        "puzzle": task_of(puzzle.task).format(puzzle),
        "answer": None if answer is None else format_answer(np.asarray(answer)),
        "meta": dict(puzzle.meta),
    }
