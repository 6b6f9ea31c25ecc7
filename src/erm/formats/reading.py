"""Puzzles from text files: records, tables, one per line, or boards of several lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from erm.errors import BoardTooLarge, InputError
from erm.formats import boards, csv_row, janko, native, ppbench, record
from erm.formats.lines import TextFile, check_utf8
from erm.formats.read import Teller
from erm.formats.signs import Signs
from erm.puzzles import links, pzprv3
from erm.rulebook.registry import all_tasks, task_of
from erm.types import Puzzle

T = TypeVar("T")
MOST_UNREADABLE = 10_000
"""Records that cannot be read, beyond as many as can, before the reading ends."""
Complain = Callable[[InputError], None]
"""Called with each unreadable record, so that the others are read."""


@dataclass(frozen=True)
class Found:
    """What a text file holds."""

    format: str
    puzzles: Iterator[Puzzle]
    columns: csv_row.Columns | None = None
    """Of a table."""
    signs: Signs = field(default_factory=Signs)
    """Known once puzzles were read."""


def puzzles_in(
    file: TextFile,
    task: str | None = None,
    prefer: Collection[str] = (),
    complain: Complain | None = None,
) -> Found:
    """The puzzles of a text file, its format told by its first line that says much.

    Without `task` every text has to tell its own; see `read_text` about `prefer`. The first
    record that cannot be read is an InputError, unless `complain` is given.
    """
    number, first = _first_line(file)
    teller, signs = Teller(task, prefer), Signs()

    def parse(text: str) -> Puzzle:
        check_utf8(text)
        puzzle = teller.read(text, lambda task: task.parse(text))
        signs.see(text, puzzle)
        return puzzle

    def parse_row(row: dict[str, str]) -> Puzzle:
        check_utf8("".join(row.values()))
        puzzle = csv_row.parse_row(row, teller)
        signs.see(row["question"], puzzle)
        return puzzle

    if first.lstrip().startswith("{"):
        return _read_records(file, complain)
    columns = csv_row.Columns.of(first)
    if columns is not None:
        rows = csv_row.rows_of(file, columns)
        return Found("csv", _read(file, rows, parse_row, complain), columns, signs)
    if pzprv3.HEADER.match(first) and "/" not in first:
        whole = iter([(number, _whole(file))])
        return Found("pzprv3", _read(file, whole, parse, complain))
    block = list(_first_block(file))
    try:
        links.refuse_elsewhere(
            "\n".join(line for _, line in islice(file.lines(), boards.MOST_LINES))
        )
    except InputError as error:
        raise InputError(f"{file.name}, line {number}: {error}") from None
    if _is_a_line_each(first, block):
        lines = ((at, line) for at, line in _lines(file) if line.strip())
        read = _read(file, lines, lambda line: _parse_line(line, parse), complain)
        return Found("text", read, signs=signs)
    if boards.is_section(first):
        found = boards.sections(_lines(file))
        read = _read(file, found, lambda one: one.parse(parse), complain)
        return Found("sdk", read, signs=signs)
    return Found("text", _read(file, boards.blocks(_lines(file)), parse, complain))


def _lines(file: TextFile) -> Iterator[tuple[int, str]]:
    return boards.without_comments(file.lines())


def _first_line(file: TextFile) -> tuple[int, str]:
    """The first line that says something, and where it stands."""
    unreadable: InputError | None = None
    for number, line in _lines(file):
        if not line.strip():
            continue
        try:
            check_utf8(line)
        except InputError as error:
            unreadable = unreadable or InputError(f"{file.name}, line {number}: {error}")
        else:
            return number, line
    raise unreadable or InputError(f"{file.name} is empty")


def _read(
    file: TextFile,
    pieces: Iterable[tuple[int, T | InputError]],
    parse: Callable[[T], Puzzle],
    complain: Complain | None,
) -> Iterator[Puzzle]:
    """Every piece of a file parsed, those that are wrong told with their line."""
    placed = ((f"{file.name}, line {number}", piece) for number, piece in pieces)
    return parsed(placed, parse, complain)


def parsed(
    pieces: Iterable[tuple[str, T | InputError]],
    parse: Callable[[T], Puzzle],
    complain: Complain | None,
) -> Iterator[Puzzle]:
    """Every piece parsed, those that are wrong told with their place."""
    beyond = 0
    for place, piece in pieces:
        try:
            if isinstance(piece, InputError):
                raise piece
            puzzle = parse(piece)
        except InputError as error:
            kind = BoardTooLarge if isinstance(error, BoardTooLarge) else InputError
            wrong = kind(f"{place}: {error}")
            if complain is None:
                raise wrong from None
            complain(wrong)
            beyond += 1
            if beyond > MOST_UNREADABLE:
                raise InputError(f"{wrong}, as in most records before it") from None
        else:
            beyond -= 1
            yield puzzle


RECORDS = {"native": native, "ppbench": ppbench, "janko": janko}
"""Formats of one JSON object a line."""


def _read_records(file: TextFile, complain: Complain | None) -> Found:
    number, first = _first_line(file)
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

    def parse(line: str) -> Puzzle:
        check_utf8(line)
        return codec.parse(record.parse(line))

    lines = ((at, line) for at, line in _lines(file) if line.strip())
    return Found(format, _read(file, lines, parse, complain))


def _is_a_line_each(first: str, block: list[str]) -> bool:
    """Whether the first line is a puzzle, perhaps with its answer, rather than a row of one."""
    on_lines = [task for task in all_tasks() if not task.multiline]
    text, answer = _parts(first)
    if any(task.recognises(text) for task in on_lines):
        if answer and len(answer) != len(text) and links.name_of(text) is None:
            return False
        # A row of 16x16 cells may look like a board of 4x4, but not all of them do.
        whole = len(block) > 1 and any(task.recognises("\n".join(block)) for task in on_lines)
        return not whole or all(
            any(task.recognises(_parts(line)[0]) for task in on_lines) for line in block
        )
    if any(task.recognises("\n".join(block)) for task in all_tasks()):
        return False
    if any(task.resembles("\n".join(block)) for task in all_tasks()):
        return False
    return any(task.resembles(text) for task in on_lines)


def _first_block(file: TextFile) -> Iterator[str]:
    """The lines of the first board, as many as one may have."""
    behind = (line for _, line in _lines(file) if not boards.is_heading(line))
    count = 0
    for line in behind:
        if line.strip():
            count += 1
            yield line
        if count and (not line.strip() or count > boards.MOST_LINES):
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


_REMARK = re.compile(r"\s+(?:#|//).*")
"""Behind a puzzle on its line."""


def _parts(line: str) -> tuple[str, str]:
    """The puzzle of a line and, behind a blank or a comma, its answer; one whose cells are set
    apart, or empty where there is a blank, is the whole line."""
    line = _REMARK.sub("", line)
    words = line.split()
    if len(words) == 1 and links.name_of(words[0]) is None:
        words = [word for word in re.split("[,;]", words[0]) if word]
    if len(words) == 2:
        return words[0], words[1]
    return (words[0], "") if len(words) == 1 else (line, "")


def _parse_line(line: str, parse: Callable[[str], Puzzle]) -> Puzzle:
    check_utf8(line)
    text, answer = _parts(line)
    puzzle = parse(text)
    return task_of(puzzle.task).read_answer(puzzle, answer) if answer else puzzle
