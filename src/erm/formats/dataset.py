"""Data sets: puzzles from any file of the field with the hash that names them, and back."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import TextIOBase
from itertools import islice
from pathlib import Path
from typing import Any

from erm.errors import BoardTooLarge, InputError
from erm.files import atomic, sha256
from erm.formats import boards, columnar, csv_row, hrm, hugging_face, parquet
from erm.formats.hugging_face import WHOLE
from erm.formats.lines import TextFile
from erm.formats.names import FORMATS, SUFFIXES
from erm.formats.read import Teller
from erm.formats.reading import RECORDS, Complain, Found, parsed, puzzles_in
from erm.formats.signs import Signs
from erm.formats.size import cells_of, check_cells
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
    signs: Signs = field(default_factory=Signs)
    """Of texts with a character a cell."""

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
    With `complain`, unreadable records are reported to it and the others are read.
    """
    if limit is not None and limit < 0:
        raise InputError(f"the limit of puzzles to read must not be negative, got {limit}")
    path = Path(path)
    tables = _tables(path)
    if tables:
        split = _choose(path, list(tables), split) if path.is_dir() else _no_split(path, split)
        files = tables[split or WHOLE]
        left_out = LeftOut()
        found = _in_tables(files, task, prefer, complain or left_out)
        name, digest = str(path), _digest(files)
    elif path.is_dir():
        return _load_folder(path, task, split, limit)
    elif path.suffix == ".npz":
        return _load_npz(path, task, split, limit)
    else:
        _no_split(path, split)
        file = TextFile.open(path)
        left_out = LeftOut()
        found = puzzles_in(file, task, prefer, complain or left_out)
        name, digest = file.name, file.sha256
    kept = (puzzle for puzzle in found.puzzles if task is None or puzzle.task == task)
    puzzles = _gather(islice(kept, limit), name, limit)
    left_out.tell(bool(puzzles))
    if not puzzles and limit != 0:
        raise InputError(f"{name} holds no {task or 'puzzle'} that can be read")
    return Dataset(
        puzzles,
        str(path),
        found.format,
        digest,
        split,
        len(left_out.boards),
        found.columns,
        found.signs,
    )


class LeftOut:
    """Boards that are too large are counted; whatever else is wrong ends the reading."""

    def __init__(self) -> None:
        self.boards: list[BoardTooLarge] = []

    def __call__(self, wrong: InputError) -> None:
        if not isinstance(wrong, BoardTooLarge):
            raise wrong
        self.boards.append(wrong)

    def tell(self, others: bool) -> None:
        """Which were left out; where there are no others, that is what is wrong."""
        if self.boards and not others:
            raise self.boards[0]
        if self.boards:
            more = f", and {len(self.boards) - 1} more" if len(self.boards) > 1 else ""
            messages.print(f"left out {self.boards[0]}{more}", highlight=False, markup=False)


def _no_split(path: Path, split: str | None) -> None:
    if split is not None:
        raise InputError(f"{path} has no splits, so there is no split {split!r} to read")


def _tables(path: Path) -> dict[str, list[Path]]:
    """The Parquet and Arrow files of each split; none where the data is of another kind."""
    if path.is_dir():
        return hugging_face.splits_of(path)
    return {WHOLE: [path]} if path.suffix in columnar.SUFFIXES else {}


def _in_tables(
    files: list[Path], task: str | None, prefer: Collection[str], complain: Complain
) -> Found:
    columns = hugging_face.columns_of(files)
    teller, signs = Teller(task, prefer), Signs()

    def parse(row: columnar.Row) -> Puzzle:
        puzzle = hugging_face.parse(row, teller)
        signs.see(row["question"], puzzle)
        return puzzle

    puzzles = parsed(hugging_face.rows_of(files, columns), parse, complain)
    return Found("parquet", puzzles, columns, signs)


def _digest(files: list[Path]) -> str:
    """The hash of a file, or of the hashes of several."""
    hashes = [sha256(file) for file in files]
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()


def save_dataset(
    puzzles: Iterable[Puzzle],
    path: str | Path,
    format: str | None = None,
    split: str = "train",
    columns: csv_row.Columns | None = None,
    signs: Signs | None = None,
) -> None:
    """Writes any format, told by the name where it is not given; all of it or nothing.

    Names ending in .gz are packed. `split` names the arrays or the folder of token formats and
    the file in a folder of Parquet, `columns` and `signs` are those that are not our own.
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
    elif format == "parquet":
        file = path if path.suffix == ".parquet" else hugging_face.split_file(path, split)
        parquet.write(puzzles, file, columns, signs)
    else:
        with atomic(path) as temporary, _writer(temporary, path.suffix == ".gz") as file:
            _write_text(puzzles, file, format, columns, signs or Signs())


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
            f"{path} holds no data set: all__inputs.npy or Parquet files in a folder, inputs or "
            "SPLIT_inputs in an .npz"
        )
    if wanted is None:
        return "test" if "test" in splits else splits[0]
    if wanted not in splits:
        raise InputError(f"{path} has no split {wanted!r}, only {', '.join(splits)}")
    return wanted


def _gather(puzzles: Iterator[Puzzle], name: str, limit: int | None) -> list[Puzzle]:
    """A list, with a progress bar once it takes more than two seconds."""
    gathered: list[Puzzle] = []
    kept = _kept(puzzles, gathered, name)
    started = time.monotonic()
    for count in kept:
        if count % 256 == 0 and time.monotonic() - started > 2:
            with progress_bar() as bar:
                job = bar.add_task(f"reading {name}", total=limit, note="")
                for count in kept:
                    if count % 256 == 0:
                        bar.update(job, completed=count)
    return gathered


def _kept(puzzles: Iterator[Puzzle], gathered: list[Puzzle], name: str) -> Iterator[int]:
    """How many there are after each one, as long as that is no more than memory should hold."""
    cells = 0
    for count, puzzle in enumerate(puzzles, 1):
        cells += cells_of(1, puzzle.cells)
        try:
            check_cells(cells)
        except InputError as error:
            raise InputError(f"{name}: {error}") from None
        gathered.append(puzzle)
        yield count


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
    puzzles: Iterable[Puzzle],
    file: TextIOBase,
    format: str,
    columns: csv_row.Columns | None,
    signs: Signs,
) -> None:
    if format == "csv":
        columns = columns or csv_row.Columns()
        writer = csv.DictWriter(
            file, columns.names, delimiter=columns.delimiter, lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(csv_row.format_row(puzzle, columns, signs) for puzzle in puzzles)
        return
    for puzzle in puzzles:
        file.write(as_text(puzzle, format, signs) + "\n")


def as_text(puzzle: Puzzle, format: str, signs: Signs | None = None) -> str:
    """One puzzle as a file of that format holds it."""
    task = task_of(puzzle.task)
    signs = signs or Signs()
    if format in RECORDS:
        return json.dumps(RECORDS[format].format(puzzle))
    if format == "sdk":
        return boards.format_sdk(puzzle, signs)
    if format == "links":
        link = task.link(puzzle, puzzle.answer)
        if link is None:
            raise InputError(f"there are no links of {puzzle.task}, which this format is made of")
        return link
    if task.multiline and format == "text":
        return task.format_solved(puzzle) + "\n"
    question, answer = task.format_row(puzzle)
    question = signs.written(question, puzzle)
    if format == "sdm":
        return answer or question
    return " ".join(filter(None, (question, answer)))
