"""Our own records: one JSON object a puzzle, its text as its task writes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from erm.errors import InputError
from erm.formats import record
from erm.rulebook.answers import format_answer
from erm.rulebook.registry import task_of
from erm.types import Puzzle


def parse(fields: dict[str, Any]) -> Puzzle:
    """The puzzle of one record, checked as far as its states go."""
    task = task_of(record.text_field(fields, "task"))
    puzzle = task.parse(record.text_field(fields, "puzzle"))
    meta = fields.get("meta") or {}
    if not isinstance(meta, dict):
        raise InputError("its field 'meta' must be an object")
    if fields.get("answer") is not None:
        puzzle = task.read_answer(puzzle, record.text_field(fields, "answer"))
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
