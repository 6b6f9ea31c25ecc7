"""Puzzles given to a command: typed, in files, or through a pipe."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from erm.errors import InputError

if TYPE_CHECKING:
    from erm.formats.csv_row import Columns
    from erm.formats.signs import Signs
    from erm.types import Puzzle

TOLD = 10
"""Unreadable records are reported up to this number; the rest is counted."""
_FILE_NAME = re.compile(
    r"[^\n]*\.(?:csv|tsv|txt|jsonl|json|npz|npy|parquet|sdm|sdk|ss|links|gz)|~[/\w][^\n]*|\.{0,2}/[^\n]*",
    re.IGNORECASE,
)
"""What was meant as a file, even if there is none of that name."""


@dataclass
class Given:
    """The puzzles of all arguments, and how the first file of them was laid out."""

    puzzles: list[Puzzle] = field(default_factory=list)
    wrong: list[InputError] = field(default_factory=list)
    """What could not be read, each with its file and line."""
    format: str | None = None
    columns: Columns | None = None
    signs: Signs | None = None
    files: list[str] = field(default_factory=list)


def arguments_or_pipe(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments or, where there are none and something is piped in, standard input."""
    if arguments:
        return arguments
    if sys.stdin is not None and not sys.stdin.isatty():
        return ("-",)
    raise InputError(
        "give a puzzle: the digits of a Sudoku, a puzz.link address, a maze, a file or -"
    )


def read_given(
    arguments: Sequence[str],
    task: str | None = None,
    limit: int | None = None,
    prefer: Collection[str] = (),
) -> Given:
    """The puzzles of files, of standard input and of texts typed as arguments.

    Of a file's records, those that cannot be read are kept apart; where nothing is left, and where
    a typed text is wrong, it is an InputError.
    """
    given = Given()
    for text in arguments_or_pipe(arguments):
        if text == "-" or os.path.exists(text):
            _read_file(text, given, task, limit, prefer)
        elif _FILE_NAME.fullmatch(text):
            raise InputError(f"no such file: {text}")
        else:
            given.puzzles += _read_typed(text, task, prefer)
    given.puzzles = given.puzzles[:limit]
    return given


def tell_wrong(given: Given, command: str) -> None:
    """Each record that cannot be read in a line on standard error."""
    for error in given.wrong[:TOLD]:
        print(f"erm {command}: {error}", file=sys.stderr)
    if len(given.wrong) > TOLD:
        more = len(given.wrong) - TOLD
        print(f"erm {command}: and {more} more that cannot be read", file=sys.stderr)


def _read_file(
    path: str, given: Given, task: str | None, limit: int | None, prefer: Collection[str]
) -> None:
    from erm.formats.dataset import load_dataset

    wrong: list[InputError] = []
    try:
        data = load_dataset(path, task, limit=limit, prefer=prefer, complain=wrong.append)
    except InputError:
        if not wrong:
            raise
        others = f" (and {len(wrong) - 1} more cannot be read)" if len(wrong) > 1 else ""
        raise InputError(f"{wrong[0]}{others}") from None
    if not given.files:
        given.format, given.columns, given.signs = data.format, data.columns, data.signs
    given.files.append(path)
    given.puzzles += data
    given.wrong += wrong


def _read_typed(text: str, task: str | None, prefer: Collection[str]) -> list[Puzzle]:
    from erm.formats.lines import TextFile
    from erm.formats.reading import puzzles_in
    from erm.puzzles.links import is_address

    typed = TextFile("the puzzle", None, text.encode(errors="replace"))
    try:
        puzzles = list(puzzles_in(typed, task, prefer).puzzles)
    except InputError as error:
        if "\n" in text:
            raise
        reason = str(error).removeprefix("the puzzle, line 1: ")
        if is_address(text):
            raise InputError(reason) from None
        shown = text if len(text) <= 40 else text[:40] + "…"
        raise InputError(f"{shown!r} is no file, and read as a puzzle: {reason}") from None
    if task is not None and any(puzzle.task != task for puzzle in puzzles):
        raise InputError(f"the puzzle is {puzzles[0].task}, but only {task} is wanted")
    return puzzles
