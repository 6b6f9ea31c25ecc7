"""Puzzles from text files: records, CSV, one a line, or boards with empty lines between them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterator
from typing import Any

from erm.errors import InputError
from erm.formats import csv_row, janko, native, ppbench, record
from erm.formats.lines import TextFile
from erm.formats.read import Teller
from erm.puzzles import links, pzprv3
from erm.rulebook.registry import all_tasks, task_of
from erm.types import Puzzle

MOST_LINES = 200
"""Of one board."""


def puzzles_in(
    file: TextFile, task: str | None = None, prefer: Collection[str] = ()
) -> tuple[str, Iterator[Puzzle]]:
    """The format's name and the puzzles of a text file, told by its first line that says much.

    Without `task` every text has to tell its own; see `read_text` about `prefer`.
    """
    number, first = next(((n, line) for n, line in file.lines() if line.strip()), (0, None))
    if first is None:
        raise InputError(f"{file.name} is empty")
    teller = Teller(task, prefer)
    if first.lstrip().startswith("{"):
        return _read_records(file)
    if "question" in first.lower().split(","):
        return "csv", _read_csv(file, teller)
    if pzprv3.HEADER.match(first) and "/" not in first:
        return "pzprv3", iter(
            [_at(file, number, lambda text: _parse_plain(text, teller), _whole(file))]
        )
    if _is_a_line_each(file, first):
        return "text", _each(file, lambda line: _parse_line(line, teller))
    return "text", _read_blocks(file, lambda text: _parse_plain(text, teller))


def _is_a_line_each(file: TextFile, first: str) -> bool:
    """Whether the first line is a puzzle, perhaps with its answer, rather than a row of one."""
    on_lines = [task for task in all_tasks() if not task.drawn]
    text, _, answer = first.strip().partition(" ")
    if any(task.recognises(text) for task in on_lines):
        return not answer or len(answer) == len(text) or links.name_of(text) is not None
    block = "\n".join(_first_block(file))
    if any(task.recognises(block) or task.resembles(block) for task in all_tasks()):
        return False
    return any(task.resembles(text) for task in on_lines)


def _first_block(file: TextFile) -> Iterator[str]:
    """The lines up to the first empty one behind them, as many as a board may have."""
    count = 0
    for _, line in file.lines():
        if line.strip():
            count += 1
            yield line
        if count and (not line.strip() or count > MOST_LINES):
            return


def _whole(file: TextFile) -> str:
    """A file that holds one board, bounded before it is joined."""
    lines: list[str] = []
    size = 0
    for _, line in file.lines():
        lines.append(line)
        size += len(line) + 1
        if size > links.MAX_TEXT:
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


def _read_csv(file: TextFile, teller: Teller) -> Iterator[Puzzle]:
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
            yield _at(file, numbers[0], lambda row: csv_row.parse_row(row, teller), fields)
    except csv.Error as error:
        raise InputError(f"{file.name}, line {numbers[0]} is no CSV: {error}") from None


def _parse_line(line: str, teller: Teller) -> Puzzle:
    """A puzzle on one line and, behind a space, its answer."""
    text, _, answer = line.strip().partition(" ")
    puzzle = _parse_plain(text, teller)
    return task_of(puzzle.task).read_answer(puzzle, answer.strip()) if answer.strip() else puzzle


def _read_blocks(file: TextFile, parse: Callable[[str], Puzzle]) -> Iterator[Puzzle]:
    """Mazes or printed Sudokus with an empty line between one and the next."""
    block: list[str] = []
    start = 1
    for number, line in file.lines():
        if line:
            start = start if block else number
            block.append(line)
            if len(block) > MOST_LINES:
                raise InputError(
                    f"{file.name}, line {start}: no board goes on for {MOST_LINES} lines"
                )
        elif block:
            yield _at(file, start, parse, "\n".join(block))
            block = []
    if block:
        yield _at(file, start, parse, "\n".join(block))


def _parse_plain(text: str, teller: Teller) -> Puzzle:
    return teller.read(text, lambda task: task.parse(text))
