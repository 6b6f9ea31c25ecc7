"""`erm solve --out`: the answers in a file of the kind that the puzzles came in, or of another."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from erm.errors import InputError
from erm.formats.names import SUFFIXES, FormatName

if TYPE_CHECKING:
    from erm.cli.given import Given
    from erm.formats.csv_row import Columns
    from erm.search.result import Result
    from erm.types import Puzzle

RECORDS = ("native", "ppbench", "janko")
"""Formats that share the name .jsonl."""
TABLES = ("csv", "parquet")
"""Formats that hold any puzzle."""
ANSWERED = ("npz", "npy")
"""Formats that cannot hold a puzzle without an answer."""


class Answers:
    """Puzzles with their answers, written once, at the end."""

    def __init__(self, path: Path, format: FormatName | None, given: Given) -> None:
        self.path = path
        self.format = format or _format(path, given)
        same = self.format == given.format
        self.columns: Columns | None = given.columns.answered if same and given.columns else None
        self.signs = given.signs if same else None
        self.puzzles: list[Puzzle] = []
        self._check(given)

    def _check(self, given: Given) -> None:
        """What would fail at the end fails before anything is searched."""
        from erm.formats.dataset import as_text

        for file in given.files:
            if file != "-" and self.path.exists() and os.path.samefile(file, self.path):
                raise InputError(f"--out {self.path} would overwrite the puzzles; name another")
        if not self.path.parent.is_dir():
            raise InputError(f"there is no folder {self.path.parent} for --out {self.path.name}")
        if self.format in ANSWERED:
            raise InputError(
                f"--out {self.path}: {self.format} holds solved puzzles only; "
                "write .jsonl or .csv and see erm data convert"
            )
        first = {puzzle.task: puzzle for puzzle in reversed(given.puzzles)}
        for puzzle in first.values():
            if self.format not in TABLES:
                as_text(puzzle, self.format)

    def add(self, result: Result) -> None:
        """A puzzle that was searched; only what is certified counts as an answer."""
        answer = result.answer if result.certified else None
        self.puzzles.append(result.puzzle.with_answer(answer).with_meta(status=result.status))

    def write(self) -> None:
        from erm.formats.dataset import save_dataset

        save_dataset(self.puzzles, self.path, self.format, "train", self.columns, self.signs)


def _format(path: Path, given: Given) -> str:
    """By the file's name; where that says nothing, or not which kind of records, the puzzles'."""
    suffix = Path(path.name.removesuffix(".gz")).suffix
    format = SUFFIXES.get(suffix) if suffix else given.format
    if format == "native" and given.format in RECORDS:
        return given.format
    if format is None:
        known = ", ".join(filter(None, SUFFIXES))
        raise InputError(f"--out {path} tells no format; end the name in {known} or give --format")
    return "text" if format == "pzprv3" else format
