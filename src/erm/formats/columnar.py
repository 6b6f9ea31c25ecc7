"""Rows of Parquet files and Arrow streams, read by pyarrow a few at a time."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from erm.errors import InputError, install_command
from erm.formats.csv_row import Columns
from erm.limits import LIMITS, raised_by

if TYPE_CHECKING:
    import pyarrow

SUFFIXES = (".parquet", ".arrow")
MOST_COLUMNS = 256
ROWS_AT_A_TIME = 512
Row = dict[str, Any]


def library(name: str) -> Any:
    """A module of pyarrow, or a sentence on how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(
            f"Parquet and Arrow files need pyarrow: {install_command('parquet')}"
        ) from None


def read_columns(path: Path) -> Columns:
    """The layout of a file."""
    with _opened(path) as (schema, _):
        return _columns_of(schema)


def rows_of(path: Path, columns: Columns) -> Iterator[Row | InputError]:
    """Rows by column; the puzzle's is named "question" and its answer's "answer"."""
    named = {columns.question: "question", columns.answer: "answer"}
    with _opened(path) as (schema, batches):
        if _columns_of(schema) != columns:
            raise InputError("its columns are not those of the files before it")
        for batch in batches:
            if batch.nbytes > LIMITS.bytes:
                raise InputError(f"it unpacks to more than is read ({raised_by()})")
            batch.validate()
            for first in range(0, batch.num_rows, ROWS_AT_A_TIME):
                part = batch.slice(first, ROWS_AT_A_TIME)
                names = [named.get(name) or name.lower() for name in part.schema.names]
                for row in zip(*map(_values, part.columns), strict=True):
                    yield _row(dict(zip(names, row, strict=True)))


@contextmanager
def _opened(path: Path) -> Iterator[tuple[pyarrow.Schema, Iterator[pyarrow.RecordBatch]]]:
    """The schema of a file and its batches of readable columns."""
    arrow = library("pyarrow")
    if path.stat().st_size > LIMITS.bytes:
        raise InputError(f"it has more bytes than are read ({raised_by()})")
    try:
        if path.suffix == ".parquet":
            parquet = library("pyarrow.parquet")
            schema = parquet.read_schema(path)
            # A text that repeats is held once.
            texts = [field.name for field in schema if _is_text(field.type)]
            with parquet.ParquetFile(path, read_dictionary=texts, pre_buffer=False) as file:
                yield (
                    schema,
                    file.iter_batches(ROWS_AT_A_TIME, columns=_readable(schema), use_threads=False),
                )
        else:
            ipc = library("pyarrow.ipc")
            with arrow.memory_map(str(path)) as source, ipc.open_stream(source) as stream:
                wanted = _readable(stream.schema)
                yield stream.schema, (batch.select(wanted) for batch in stream)
    except FileNotFoundError:
        raise
    except (
        *(arrow.ArrowException, OSError, MemoryError, OverflowError, UnicodeError, IndexError),
    ) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        kind = "Parquet" if path.suffix == ".parquet" else "an Arrow stream"
        raise InputError(f"it cannot be read as {kind}: {first[:200]}") from None


def _columns_of(schema: pyarrow.Schema) -> Columns:
    """The layout of a schema; an InputError where no column holds puzzles."""
    names = tuple(schema.names)
    if len(names) > MOST_COLUMNS:
        raise InputError(f"it has {len(names)} columns, more than {MOST_COLUMNS}")
    if len({name.lower() for name in names}) != len(names):
        raise InputError("it has two columns of the same name")
    columns = Columns.named(tuple(_readable(schema)))
    if columns is None:
        shown = ", ".join(names)[:100] or "none"
        raise InputError(
            f"no column of text is called question, puzzle or board; its columns are {shown}"
        )
    for name in filter(None, (columns.question, columns.answer)):
        if not _is_text(schema.field(name).type):
            raise InputError(f"its column {name!r} must be text, not {schema.field(name).type}")
    return columns


def _readable(schema: pyarrow.Schema) -> list[str]:
    """The columns of text or plain numbers; no other is read."""
    types = library("pyarrow.types")
    plain = (_is_text, types.is_integer, types.is_floating, types.is_boolean)
    return [field.name for field in schema if any(is_one(field.type) for is_one in plain)]


def _is_text(kind: pyarrow.DataType) -> bool:
    types = library("pyarrow.types")
    if types.is_dictionary(kind):
        kind = kind.value_type
    return types.is_string(kind) or types.is_large_string(kind)


def _values(column: pyarrow.Array) -> list[Any]:
    """The values of a column; text as bytes, so that an error of UTF-8 concerns its row alone."""
    arrow = library("pyarrow")
    if not _is_text(column.type):
        return column.to_pylist()
    repeated = arrow.types.is_dictionary(column.type)
    words = column.dictionary if repeated else column
    large = arrow.types.is_large_string(words.type)
    words = words.view(arrow.large_binary() if large else arrow.binary())
    words.validate(full=True)
    texts = words.to_pylist()
    if not repeated:
        return texts
    return [None if place is None else texts[place] for place in column.indices.to_pylist()]


def _row(values: Row) -> Row | InputError:
    row: Row = {}
    for name, value in values.items():
        if isinstance(value, bytes):
            try:
                value = value.decode()
            except UnicodeDecodeError as error:
                return InputError(f"its {name} is no UTF-8 text at byte {error.start + 1}")
        if value is not None and not (isinstance(value, float) and not math.isfinite(value)):
            row[name] = value
    return row
