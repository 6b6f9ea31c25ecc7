"""CSV rows of source, question, answer and rating, as Sudoku-Extreme and Maze-Hard come."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from erm.errors import InputError
from erm.formats import puzzlink
from erm.formats.text import (
    format_answer,
    format_maze,
    format_sudoku,
    parse_answer,
    parse_maze,
    parse_sudoku,
)
from erm.types import Puzzle

COLUMNS: tuple[str, ...] = ("source", "question", "answer", "rating")


def parse_row(row: dict[str, str]) -> Puzzle:
    """One CSV row of source, question, answer and rating; the task is told from the question."""
    question, answer = row["question"], row.get("answer") or ""
    if puzzlink.is_link(question):
        puzzle = puzzlink.parse(question)
    elif "#" in question or "S" in question:
        puzzle = parse_maze(_folded(question))
        if answer:
            puzzle = _answered(puzzle, parse_maze(_folded(answer)))
    else:
        puzzle = parse_sudoku(question)
    if answer and puzzle.task != "maze":
        states = parse_answer(answer, puzzle.cells)
        low, high = (1, puzzle.width) if puzzle.task == "sudoku" else (0, 1)
        if ((states < low) | (states > high)).any():
            raise InputError(f"its answer must hold states {low} to {high}")
        puzzle = replace(puzzle, answer=states)
    meta = {name: _number(row[name]) for name in row if name not in ("question", "answer")}
    return replace(puzzle, meta=meta)


def format_row(puzzle: Puzzle) -> dict[str, Any]:
    """The CSV row of a puzzle; mazes that are not square keep their line ends."""
    answer = puzzle.answer
    if puzzle.task == "maze":
        separator = "" if puzzle.height == puzzle.width else "\n"
        question = format_maze(puzzle).replace("\n", separator)
        label = "" if answer is None else format_maze(puzzle, answer).replace("\n", separator)
    else:
        sudoku = puzzle.task == "sudoku"
        question = format_sudoku(puzzle) if sudoku else puzzlink.format(puzzle)
        label = "" if answer is None else format_answer(answer)
    rating = puzzle.meta.get("rating", puzzle.meta.get("guesses", ""))
    source = str(puzzle.meta.get("source", ""))
    return dict(zip(COLUMNS, (source, question, label, rating), strict=True))


def _number(value: str) -> int | str:
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 16 else value


def _folded(maze: str) -> str:
    side = math.isqrt(len(maze))
    if "\n" in maze or side * side != len(maze):
        return maze
    return "\n".join(maze[start : start + side] for start in range(0, len(maze), side))


def _answered(puzzle: Puzzle, label: Puzzle) -> Puzzle:
    if not np.array_equal(puzzle.givens["cells"], label.givens["cells"]):
        raise InputError("its answer is not the same maze as its question")
    answer = label.answer if label.answer is not None else np.zeros(puzzle.cells)
    return puzzle.with_answer(answer)
