"""CSV rows of source, question, answer and rating, as Sudoku-Extreme and Maze-Hard come."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from erm.formats.read import Teller
from erm.rulebook.registry import task_of
from erm.types import Puzzle

COLUMNS: tuple[str, ...] = ("source", "question", "answer", "rating")


def parse_row(row: dict[str, str], teller: Teller | None = None) -> Puzzle:
    """One CSV row of source, question, answer and rating; the task is told from the question."""
    question, answer = row["question"], row.get("answer") or ""
    teller = teller or Teller()
    puzzle = teller.read(question, lambda task: task.parse_row(question, answer))
    meta = {name: _number(row[name]) for name in row if name not in ("question", "answer")}
    return replace(puzzle, meta=meta)


def format_row(puzzle: Puzzle) -> dict[str, Any]:
    """The CSV row of a puzzle."""
    question, answer = task_of(puzzle.task).format_row(puzzle)
    rating = puzzle.meta.get("rating", puzzle.meta.get("guesses", ""))
    source = str(puzzle.meta.get("source", ""))
    return dict(zip(COLUMNS, (source, question, answer, rating), strict=True))


def _number(value: str) -> int | str:
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 16 else value
