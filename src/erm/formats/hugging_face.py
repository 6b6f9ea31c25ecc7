"""Folders of Hugging Face data sets: Parquet files of the Hub, and what `save_to_disk` leaves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from erm.errors import InputError
from erm.formats import columnar, parquet
from erm.formats.csv_row import Columns, parse_row
from erm.formats.read import Teller
from erm.json_file import mismatch, parse_json, read_object
from erm.rulebook.registry import task_names, task_of
from erm.types import Puzzle

STATE = "state.json"
"""Lies in the folder of each split that `save_to_disk` writes and names its files."""
STATE_FILES = {"_data_files": [{"filename": str}]}
MOST_FILES = 10_000
_SHARD = re.compile(r"-\d+-of-\d+(?:-[0-9a-f]+)?$")
_USUAL = re.compile(r"train|training|test|testing|eval|evaluation|val|valid|validation|dev")
WHOLE = "all"
"""What the one split of a folder is called where nothing names it."""


def splits_of(folder: Path) -> dict[str, list[Path]]:
    """The files of each split, in their order; none where the folder holds no such data set."""
    if (folder / STATE).is_file():
        return {WHOLE: _saved_files(folder)}
    saved = {
        path.parent.name: _saved_files(path.parent) for path in sorted(folder.glob(f"*/{STATE}"))
    }
    if saved:
        return saved
    found = [*folder.glob("*.parquet"), *folder.glob("*/*.parquet")][: MOST_FILES + 1]
    if len(found) > MOST_FILES:
        raise InputError(f"{folder} holds more than {MOST_FILES} Parquet files")
    splits: dict[str, list[Path]] = {}
    for path in sorted(found):
        splits.setdefault(_split_of(path, folder), []).append(path)
    for split, paths in splits.items():
        folders = sorted({path.parent.name for path in paths})
        if len(folders) > 1:
            raise InputError(
                f"{folder} holds several data sets with a split {split!r}; name one of its "
                f"folders: {', '.join(folders)[:200]}"
            )
    return splits


def split_file(folder: Path, split: str) -> Path:
    """Where the one file of a split lies in a data set's repository."""
    if not re.fullmatch(r"[\w.]+", split):
        raise InputError(f"a split's name has letters, digits, _ and . only, not {split[:40]!r}")
    return folder / "data" / f"{split}-00000-of-00001.parquet"


def columns_of(paths: list[Path]) -> Columns:
    """How the files of a split are laid out, which the first one tells."""
    with _naming(paths[0]):
        return columnar.read_columns(paths[0])


def rows_of(paths: list[Path], columns: Columns) -> Iterator[tuple[str, columnar.Row | InputError]]:
    """Where each row stands, and its columns; what is wrong with a whole file ends the reading."""
    for path in paths:
        with _naming(path):
            rows = columnar.rows_of(path, columns)
            for number, row in enumerate(rows, 1):
                yield f"{path}, row {number}", row


def parse(row: columnar.Row, teller: Teller) -> Puzzle:
    """The puzzle of a row; in our own files it names its task, and `meta` is the rest."""
    if not isinstance(row.get("question"), str):
        raise InputError("it has no puzzle")
    task, meta = row.get("task"), row.get("meta")
    if not (isinstance(task, str) and task in task_names()):
        return parse_row(row, teller)
    known = {} if meta is None else parse_json(meta) if isinstance(meta, str) else meta
    if not isinstance(known, dict):
        raise InputError("its meta must be a JSON object")
    puzzle = task_of(task).parse_row(row["question"], row.get("answer") or "")
    others = {name: value for name, value in row.items() if name not in parquet.OWN}
    return replace(puzzle, meta={**others, **known})


def _split_of(path: Path, folder: Path) -> str:
    """What a file of a repository is called, or the folder that it lies in where that says it."""
    name = _SHARD.sub("", path.stem)
    inner = path.parent.name if path.parent != folder else ""
    return inner if _USUAL.fullmatch(inner) and not _USUAL.fullmatch(name) else name


def _saved_files(folder: Path) -> list[Path]:
    state = read_object(folder / STATE)
    wrong = mismatch(state, STATE_FILES)
    names = [] if wrong else [one["filename"] for one in state["_data_files"]]
    if wrong or not names or len(names) > MOST_FILES:
        raise InputError(f"{folder / STATE} names no files of a data set: {wrong or 'none'}")
    for name in names:
        # A file of this folder: nothing else may be meant.
        if Path(name).name != name or Path(name).suffix != ".arrow":
            raise InputError(f"{folder / STATE} names {name[:60]!r}, which is no .arrow file")
    return [folder / name for name in names]


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Errors name the file."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"no such file: {path}") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
