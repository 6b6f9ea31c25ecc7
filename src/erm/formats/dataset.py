"""Data sets: puzzles from any file of the field with the hash that names them, and back."""

from __future__ import annotations

import csv
import gzip
import io
import json
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOBase
from itertools import islice
from pathlib import Path
from typing import Any

from erm.errors import BoardTooLarge, InputError
from erm.files import atomic, sha256
from erm.formats import boards, csv_row, hrm
from erm.formats.lines import TextFile
from erm.formats.names import FORMATS, SUFFIXES
from erm.formats.reading import RECORDS, Complain, puzzles_in
from erm.progress import messages, progress_bar
from erm.rulebook.registry import task_of
from erm.types import Puzzle

MOST_SOURCES = 8
"""A description names no more commands or collections that the puzzles come from."""


@dataclass(frozen=True)
class Dataset:
    """Puzzles and where they come from."""

    puzzles: Sequence[Puzzle]
    path: str
    format: str
    sha256: str
    """Of the file or folder as it lies on the disk."""
    split: str | None = None
    too_large: int = 0
    """Boards of the file that were left out because of their size."""
    columns: csv_row.Columns | None = None
    """Of a table."""

    @property
    def count(self) -> int:
        return len(self.puzzles)

    def __len__(self) -> int:
        return len(self.puzzles)

    def __iter__(self) -> Iterator[Puzzle]:
        return iter(self.puzzles)

    def __getitem__(self, index: int) -> Puzzle:
        return self.puzzles[index]

    def describe(self) -> dict[str, Any]:
        """What a results.json says about the data that made it."""
        described = {
            "path": self.path,
            "format": self.format,
            "count": self.count,
            "tasks": dict(sorted(Counter(puzzle.task for puzzle in self.puzzles).items())),
            "sha256": self.sha256,
        }
        if self.too_large:
            described["too_large"] = self.too_large
        sources = sorted({str(puzzle.meta.get("source", "")) for puzzle in self.puzzles} - {""})
        if len(sources) <= MOST_SOURCES and sources:
            described["sources"] = sources
        return described | ({"split": self.split} if self.split else {})


def has_splits(path: Path) -> bool:
    """Whether the format can hold several splits, so that one has to be chosen."""
    return path.is_dir() or path.suffix == ".npz"


def load_dataset(
    path: str | Path,
    task: str | None = None,
    split: str | None = None,
    limit: int | None = None,
    prefer: Collection[str] = (),
    complain: Complain | None = None,
) -> Dataset:
    """Reads any format, told by name and content; "-" is standard input.

    Records name their tasks, plain text has to tell them; see `read_text` about `prefer`. With
    `task`, puzzles of other tasks in the same file are left out; `limit` counts what is kept.
    Where a file has several splits and none is named, it is the test split that is read.
    Where `complain` hears of records that cannot be read, the others are.
    """
    if limit is not None and limit < 0:
        raise InputError(f"the limit of puzzles to read must not be negative, got {limit}")
    path = Path(path)
    if path.is_dir():
        return _load_folder(path, task, split, limit)
    if path.suffix == ".npz":
        return _load_npz(path, task, split, limit)
    if split is not None:
        raise InputError(f"{path} has no splits, so there is no split {split!r} to read")
    file = TextFile.open(path)
    too_large: list[InputError] = []

    def leave_out(wrong: InputError) -> None:
        """Boards that are too large are counted, whatever else is wrong ends the reading."""
        if not isinstance(wrong, BoardTooLarge):
            raise wrong
        too_large.append(wrong)

    found = puzzles_in(file, task, prefer, complain or leave_out)
    kept = (puzzle for puzzle in found.puzzles if task is None or puzzle.task == task)
    puzzles = _gather(islice(kept, limit), file.name, limit)
    if too_large and not puzzles:
        raise too_large[0]
    if not puzzles and limit != 0:
        raise InputError(f"{file.name} holds no {task or 'puzzle'} that can be read")
    if too_large:
        more = f", and {len(too_large) - 1} more" if len(too_large) > 1 else ""
        messages.print(f"left out {too_large[0]}{more}", highlight=False, markup=False)
    return Dataset(
        puzzles, str(path), found.format, file.sha256, None, len(too_large), found.columns
    )


def save_dataset(
    puzzles: Iterable[Puzzle],
    path: str | Path,
    format: str | None = None,
    split: str = "train",
    columns: csv_row.Columns | None = None,
) -> None:
    """Writes any format, told by the name where it is not given; all of it or nothing.

    Names ending in .gz are packed. `split` names the arrays or the folder of token formats,
    `columns` those of a table that are not our own.
    """
    path = Path(path)
    name = path.name.removesuffix(".gz")
    format = format or SUFFIXES.get(Path(name).suffix)
    if format not in FORMATS:
        raise InputError(
            f"no format is known for {path}; say one of {', '.join(FORMATS)} "
            f"or end the name in {', '.join(filter(None, SUFFIXES))}"
        )
    if format == "npz":
        hrm.write_npz(list(puzzles), path, split)
    elif format == "npy":
        hrm.write_folder(list(puzzles), path / split)
    else:
        with atomic(path) as temporary, _writer(temporary, path.suffix == ".gz") as file:
            _write_text(puzzles, file, format, columns)


def _load_folder(path: Path, task: str | None, split: str | None, limit: int | None) -> Dataset:
    folder = path
    if not (path / "all__inputs.npy").is_file():
        split = _choose(path, hrm.splits_of(path), split)
        folder = path / split
    elif split not in (None, path.name):
        raise InputError(f"{path} is itself a split, so there is no split {split!r} in it")
    try:
        puzzles = hrm.read_folder(folder, task, limit)
    except InputError as error:
        raise InputError(f"{folder}: {error}") from None
    return Dataset(puzzles, str(path), "npy", sha256(folder), split)


def _load_npz(path: Path, task: str | None, split: str | None, limit: int | None) -> Dataset:
    if not path.is_file():
        raise InputError(f"no such file: {path}")
    split = _choose(path, hrm.splits_of(path), split)
    try:
        puzzles = hrm.read_npz(path, split, task, limit)
    except InputError as error:
        raise InputError(f"{path}, {split}: {error}") from None
    return Dataset(puzzles, str(path), "npz", sha256(path), split)


def _choose(path: Path, splits: list[str], wanted: str | None) -> str:
    if not splits:
        raise InputError(
            f"{path} holds no data set: all__inputs.npy in a folder, inputs or SPLIT_inputs in an "
            ".npz"
        )
    if wanted is None:
        return "test" if "test" in splits else splits[0]
    if wanted not in splits:
        raise InputError(f"{path} has no split {wanted!r}, only {', '.join(splits)}")
    return wanted


def _gather(puzzles: Iterator[Puzzle], name: str, limit: int | None) -> list[Puzzle]:
    """A list, with a progress bar once it takes more than two seconds."""
    gathered: list[Puzzle] = []
    started = time.monotonic()
    for puzzle in puzzles:
        gathered.append(puzzle)
        if len(gathered) % 256 == 0 and time.monotonic() - started > 2:
            with progress_bar() as bar:
                job = bar.add_task(f"reading {name}", total=limit, note="")
                for puzzle in puzzles:
                    gathered.append(puzzle)
                    if len(gathered) % 256 == 0:
                        bar.update(job, completed=len(gathered))
    return gathered


@contextmanager
def _writer(path: Path, packed: bool) -> Iterator[TextIOBase]:
    with open(path, "wb") as plain:
        if not packed:
            with io.TextIOWrapper(plain, "utf-8", newline="\n") as text:
                yield text
            return
        # Neither date nor name goes into the file, so that equal data is equal bytes.
        with (
            gzip.GzipFile("", "wb", 6, fileobj=plain, mtime=0) as stream,
            io.TextIOWrapper(stream, "utf-8", newline="\n") as text,
        ):
            yield text


def _write_text(
    puzzles: Iterable[Puzzle], file: TextIOBase, format: str, columns: csv_row.Columns | None
) -> None:
    if format == "csv":
        columns = columns or csv_row.Columns()
        writer = csv.DictWriter(
            file, columns.names, delimiter=columns.delimiter, lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(csv_row.format_row(puzzle, columns) for puzzle in puzzles)
        return
    for puzzle in puzzles:
        file.write(as_text(puzzle, format) + "\n")


def as_text(puzzle: Puzzle, format: str) -> str:
    """One puzzle as a file of that format holds it."""
    task = task_of(puzzle.task)
    if format in RECORDS:
        return json.dumps(RECORDS[format].format(puzzle))
    if format == "sdk":
        return boards.format_sdk(puzzle)
    if format == "sdm":
        question, answer = task.format_row(puzzle)
        return answer or question
    if format == "links":
        link = task.link(puzzle, puzzle.answer)
        if link is None:
            raise InputError(f"there are no links of {puzzle.task}, which this format is made of")
        return link
    # A line of text and answer, or a drawing with an empty line behind it.
    return task.format_solved(puzzle) + ("\n" if task.drawn else "")
