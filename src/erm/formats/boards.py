"""Boards of several lines, with empty lines, "Grid 01" or the sections of .sdk between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from erm.errors import InputError
from erm.formats.signs import Signs
from erm.rulebook.registry import task_of
from erm.types import Puzzle

MOST_LINES = 200
"""Of one board."""
_SECTION = re.compile(r"\[([A-Za-z][\w ]*)\]\s*")
_TITLE = re.compile(r"(?:grid|puzzle|sudoku|board|game)\b[^,;|]{0,60}", re.IGNORECASE)
_COMMENT = re.compile(r"#(?![#SGo. ]*$)")
"""A line that begins with # and is no row of a maze."""


def without_comments(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines that are no comment."""
    return ((number, line) for number, line in lines if not _COMMENT.match(line))


def is_section(line: str) -> bool:
    """Whether a line is a heading of .sdk files."""
    return bool(_SECTION.fullmatch(line))


def is_heading(line: str) -> bool:
    """Whether a line announces a board and is no part of one."""
    return is_section(line) or bool(_TITLE.fullmatch(line.strip()))


def blocks(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str | InputError]]:
    """Where each board begins, and its text; one that does not end is what is wrong with it."""
    block: list[str] = []
    start, endless = 1, False
    for number, line in lines:
        if line and not is_heading(line):
            start = start if block else number
            if not endless:
                block.append(line)
            if len(block) > MOST_LINES:
                yield start, InputError(f"no board goes on for {MOST_LINES} lines")
                block, endless = [], True
            continue
        if block:
            yield start, "\n".join(block)
        block, endless = [], False
    if block:
        yield start, "\n".join(block)


@dataclass
class Sections:
    """What an .sdk file says of one Sudoku; what is in other sections is not read."""

    puzzle: list[str] = field(default_factory=list)
    state: list[str] = field(default_factory=list)
    """What is filled in, the answer where that is all of it."""

    def parse(self, parse: Callable[[str], Puzzle]) -> Puzzle:
        puzzle = parse("\n".join(self.puzzle))
        filled = "".join("".join(self.state).split())
        if len(filled) != puzzle.cells or not filled.isalnum() or "0" in filled:
            return puzzle
        return task_of(puzzle.task).read_answer(puzzle, filled)


def sections(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Sections]]:
    """Where each Sudoku of an .sdk file begins, and its sections."""
    found, start, rows = Sections(), 1, []
    for number, line in lines:
        heading = _SECTION.fullmatch(line)
        if heading is None:
            if line.strip() and len(rows) < MOST_LINES:
                rows.append(line)
            continue
        name = heading[1].lower()
        if name == "puzzle":
            if found.puzzle:
                yield start, found
            found, start = Sections(), number
        rows = {"puzzle": found.puzzle, "state": found.state}.get(name, [])
    if found.puzzle:
        yield start, found


def format_sdk(puzzle: Puzzle, signs: Signs) -> str:
    """A board as .sdk files hold it, its answer, where it is known, in a section of its own."""
    question, answer = task_of(puzzle.task).format_row(puzzle)
    question = signs.written(question, puzzle)
    sections = {"Puzzle": question} | ({"State": answer} if answer else {})
    lines: list[str] = []
    for name, cells in sections.items():
        if len(cells) != puzzle.cells:
            raise InputError(f".sdk files hold one character per cell, which no {puzzle.task} has")
        rows = range(0, puzzle.cells, puzzle.width)
        lines += [f"[{name}]", *(cells[row : row + puzzle.width] for row in rows)]
    return "\n".join(lines)
