"""Tables of one puzzle a row: Sudoku-Extreme's and Maze-Hard's columns, Kaggle's and others'."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from erm.errors import InputError
from erm.formats.lines import TextFile
from erm.formats.read import Teller
from erm.formats.signs import Signs
from erm.rulebook.registry import task_of
from erm.types import Puzzle

COLUMNS: tuple[str, ...] = ("source", "question", "answer", "rating")
QUESTIONS = ("question", "quiz", "quizzes", "puzzle", "puzzles", "sudoku", "board", "grid")
ANSWERS = ("answer", "answers", "solution", "solutions", "solved")
"""What the columns of puzzles and answers are called, the likeliest first."""
DELIMITERS = ",;\t"


@dataclass(frozen=True)
class Columns:
    """How a table is laid out, so that it can be written as it was read."""

    names: tuple[str, ...] = COLUMNS
    """As they stand in the header."""
    question: str = "question"
    answer: str | None = "answer"
    """Which of them hold the puzzle and its answer."""
    delimiter: str = ","

    @classmethod
    def of(cls, header: str) -> Columns | None:
        """The layout that a header line tells; None where it names no column of puzzles."""
        for delimiter in DELIMITERS:
            try:
                row = next(csv.reader(io.StringIO(header), delimiter=delimiter), [])
            except csv.Error:
                continue
            found = cls.named(tuple(name.strip() for name in row))
            if found is not None:
                return replace(found, delimiter=delimiter)
        return None

    @classmethod
    def named(cls, names: tuple[str, ...]) -> Columns | None:
        """The layout of columns with these names; None where none is one of puzzles."""
        lower = {name.lower(): name for name in reversed(names)}
        question = next((lower[name] for name in QUESTIONS if name in lower), None)
        answer = next((lower[name] for name in ANSWERS if name in lower), None)
        return None if question is None else cls(names, question, answer)

    @property
    def answered(self) -> Columns:
        """With a column for answers, where there was none."""
        if self.answer is not None:
            return self
        return replace(self, names=(*self.names, "answer"), answer="answer")


def rows_of(file: TextFile, columns: Columns) -> Iterator[tuple[int, dict[str, str] | InputError]]:
    """Line numbers and rows behind the header, by column; the puzzle's is named "question" and
    its answer's "answer". A row that cannot be taken apart is what is wrong with it."""
    number = 0

    def lines() -> Iterator[str]:
        nonlocal number
        for at, line in file.lines():
            number = at
            yield line + "\n"

    named = {columns.question: "question", columns.answer: "answer"}
    keys = [named.get(name, name.lower()) for name in columns.names]
    if max(keys.count("question"), keys.count("answer")) > 1:
        raise InputError(f"{file.name} has two columns of puzzles or of answers under one name")
    reader = csv.reader(lines(), delimiter=columns.delimiter)
    header = False
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise InputError(f"{file.name}, line {number} is no CSV: {error}") from None
        if row is None:
            return
        if not row:
            continue
        if not header:
            header = Columns.of(columns.delimiter.join(row)) is not None
        elif len(row) != len(keys):
            yield number, InputError(f"it has {len(row)} fields, not {len(keys)}")
        else:
            yield number, dict(zip(keys, row, strict=True))


def parse_row(row: Mapping[str, Any], teller: Teller | None = None) -> Puzzle:
    """One row of question, answer and anything else; the task follows from the question."""
    question, answer = row["question"], row.get("answer") or ""
    teller = teller or Teller()
    puzzle = teller.read(question, lambda task: task.parse_row(question, answer))
    meta = {name: _number(row[name]) for name in row if name not in ("question", "answer")}
    return replace(puzzle, meta=meta)


def format_row(
    puzzle: Puzzle, columns: Columns | None = None, signs: Signs | None = None
) -> dict[str, Any]:
    """The row of a puzzle, in our own columns and signs or in those that its file had."""
    columns = columns or Columns()
    question, answer = task_of(puzzle.task).format_row(puzzle)
    question = signs.written(question, puzzle) if signs else question
    meta = {
        **puzzle.meta,
        "rating": puzzle.meta.get("rating", puzzle.meta.get("guesses", "")),
        "source": str(puzzle.meta.get("source", "")),
    }
    row = {name: meta.get(name.lower(), "") for name in columns.names}
    row[columns.question] = question
    if columns.answer is not None:
        row[columns.answer] = answer
    return row


def _number(value: Any) -> Any:
    """What a table says; text of a whole number as that number."""
    text = value if isinstance(value, str) else ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else value
