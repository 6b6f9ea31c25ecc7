"""Puzzles from text files: records, CSV, one a line, or boards with empty lines between them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from typing import Any

from erm.data import native
from erm.data.lines import TextFile
from erm.errors import InputError
from erm.formats import csv_row, janko, ppbench, puzzlink, pzprv3, record
from erm.formats.text import parse_answer, parse_maze, parse_sudoku
from erm.types import Puzzle

LINE_LENGTHS = (16, 36, 81, 256)
"""Cells of the Sudokus that fit on a line."""


def read_text(file: TextFile, task: str | None) -> tuple[str, Iterator[Puzzle]]:
    """The format's name and the puzzles of a text file, told by its first line that says much."""
    first = next((line for _, line in file.lines() if line.strip()), None)
    if first is None:
        raise InputError(f"{file.name} is empty")
    if first.lstrip().startswith("{"):
        return _read_records(file)
    if "question" in first.lower().split(","):
        return "csv", _read_csv(file)
    if first.startswith("pzprv3"):
        return "pzprv3", iter([_at(file, 1, pzprv3.parse, _whole(file))])
    puzzle, _, answer = first.strip().partition(" ")
    if puzzlink.is_link(puzzle) or (
        len(puzzle) in LINE_LENGTHS and len(answer) in (0, len(puzzle)) and "#" not in first
    ):
        return "text", _each(file, lambda line: _parse_line(line, task))
    return "text", _read_blocks(file, lambda text: _parse_plain(text, task))


def _whole(file: TextFile) -> str:
    """A file that holds one board, bounded before it is joined."""
    lines: list[str] = []
    size = 0
    for _, line in file.lines():
        lines.append(line)
        size += len(line) + 1
        if size > puzzlink.MAX_TEXT:
            raise InputError(f"{file.name} is longer than a pzprv3 file of any board")
    return "\n".join(lines)


def _at(file: TextFile, number: int, parse: Callable[[Any], Puzzle], what: Any) -> Puzzle:
    try:
        return parse(what)
    except InputError as error:
        raise InputError(f"{file.name}, line {number}: {error}") from None


def _each(file: TextFile, parse: Callable[[str], Puzzle]) -> Iterator[Puzzle]:
    return (_at(file, number, parse, line) for number, line in file.lines() if line.strip())


RECORDS = {"native": native, "ppbench": ppbench, "janko": janko}
"""Formats of one JSON object a line."""


def _read_records(file: TextFile) -> tuple[str, Iterator[Puzzle]]:
    number, first = next((number, line) for number, line in file.lines() if line.strip())
    try:
        fields = record.parse(first)
    except InputError as error:
        raise InputError(f"{file.name}, line {number}: {error}") from None
    if "puzzle" in fields:
        format = "native"
    elif "puzzlink_url" in fields or "puzzle_url" in fields:
        format = "ppbench"
    elif "url" in fields:
        format = "janko"
    else:
        raise InputError(
            f"{file.name}, line {number}: a record has a field puzzle, puzzlink_url or url, "
            f"this one has {', '.join(fields)[:100] or 'none'}"
        )
    codec = RECORDS[format]
    return format, _each(file, lambda line: codec.parse(record.parse(line)))


def _read_csv(file: TextFile) -> Iterator[Puzzle]:
    numbers = [0]

    def rows() -> Iterator[str]:
        for number, line in file.lines():
            numbers[0] = number
            yield line + "\n"

    reader = csv.reader(rows())
    columns: list[str] = []
    try:
        for row in reader:
            if not row:
                continue
            if not columns:
                columns = [name.strip().lower() for name in row]
                continue
            if len(row) != len(columns):
                raise InputError(
                    f"{file.name}, line {numbers[0]} has {len(row)} fields, not {len(columns)}"
                )
            fields = dict(zip(columns, row, strict=True))
            yield _at(file, numbers[0], csv_row.parse_row, fields)
    except csv.Error as error:
        raise InputError(f"{file.name}, line {numbers[0]} is no CSV: {error}") from None


def _parse_line(line: str, task: str | None) -> Puzzle:
    """A link or a Sudoku on one line and, behind a space, its answer."""
    text, _, answer = line.strip().partition(" ")
    puzzle = _parse_plain(text, task)
    if not answer.strip():
        return puzzle
    states = parse_answer(answer.strip(), puzzle.cells)
    native.task_of(puzzle.task).to_states(puzzle, states)
    return puzzle.with_answer(states)


def _read_blocks(file: TextFile, parse: Callable[[str], Puzzle]) -> Iterator[Puzzle]:
    """Mazes or printed Sudokus with an empty line between one and the next."""
    block: list[str] = []
    start = 1
    for number, line in file.lines():
        if line:
            start = start if block else number
            block.append(line)
            if len(block) > 200:
                raise InputError(f"{file.name}, line {start}: no board goes on for 200 lines")
        elif block:
            yield _at(file, start, parse, "\n".join(block))
            block = []
    if block:
        yield _at(file, start, parse, "\n".join(block))


def _parse_plain(text: str, task: str | None) -> Puzzle:
    """A puzzle from its text alone; only tasks that others add need to be named."""
    if puzzlink.is_link(text):
        return puzzlink.parse(text)
    if task not in (None, *puzzlink.KINDS, "maze"):
        return native.task_of(task).parse(text)
    return parse_maze(text) if "#" in text or "S" in text else parse_sudoku(text)
