"""Rows of columnar files, Parquet's and Arrow's, with the bounds that text files have, too."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from erm.errors import InputError, install_command
from erm.formats.csv_row import Columns
from erm.formats.lines import FREE_BYTES
from erm.limits import LIMITS, raised_by

if TYPE_CHECKING:
    import pyarrow

MOST_COLUMNS = 256
ROWS_AT_A_TIME = 512
Row = dict[str, Any]


def library(name: str) -> Any:
    """A module of pyarrow, or a sentence that says how to get it."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(
            f"Parquet and Arrow files need pyarrow: {install_command('parquet')}"
        ) from None


def columns_of(schema: pyarrow.Schema) -> Columns:
    """The layout that a schema tells; an InputError where no column holds puzzles."""
    names = tuple(schema.names)
    if len(names) > MOST_COLUMNS:
        raise InputError(f"it has {len(names)} columns, more than {MOST_COLUMNS}")
    if len({name.lower() for name in names}) != len(names):
        raise InputError("it has two columns of the same name")
    columns = Columns.named(tuple(readable(schema)))
    if columns is None:
        shown = ", ".join(names)[:100] or "none"
        raise InputError(
            f"no column of text is called question, puzzle or board; its columns are {shown}"
        )
    for name in filter(None, (columns.question, columns.answer)):
        if not is_text(schema, name):
            raise InputError(f"its column {name!r} must be text, not {schema.field(name).type}")
    return columns


def readable(schema: pyarrow.Schema) -> list[str]:
    """The columns that hold text or plain numbers; no other is read."""
    types = library("pyarrow").types
    plain = (types.is_integer, types.is_floating, types.is_boolean)
    return [
        field.name
        for field in schema
        if _is_text(field.type) or any(is_one(field.type) for is_one in plain)
    ]


def is_text(schema: pyarrow.Schema, name: str) -> bool:
    """Whether a column holds text."""
    return _is_text(schema.field(name).type)


class Weighed:
    """Rows of batches, as long as their text is in proportion to the file that it came from."""

    def __init__(self, columns: Columns, file_bytes: int) -> None:
        self.columns = columns
        self._most = FREE_BYTES + LIMITS.text_ratio * file_bytes
        self._taken = 0

    def rows(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[Row | InputError]:
        """Rows by column; the puzzle's is named "question" and its answer's "answer"."""
        named = {self.columns.question: "question"}
        if self.columns.answer is not None:
            named[self.columns.answer] = "answer"
        for batch in batches:
            batch.validate()
            for first in range(0, batch.num_rows, ROWS_AT_A_TIME):
                part = batch.slice(first, ROWS_AT_A_TIME)
                values = {
                    named.get(str(name), str(name).lower()): self._values(part.column(name))
                    for name in part.schema.names
                }
                for row in zip(*values.values(), strict=True):
                    yield _row(dict(zip(values, row, strict=True)))

    def _values(self, column: pyarrow.Array) -> list[Any]:
        pyarrow, compute = library("pyarrow"), library("pyarrow.compute")
        if not _is_text(column.type):
            return column.to_pylist()
        repeated = pyarrow.types.is_dictionary(column.type)
        # As bytes: what is no UTF-8 is the fault of its row alone.
        words = column.dictionary if repeated else column
        large = pyarrow.types.is_large_string(words.type)
        words = words.view(pyarrow.large_binary() if large else pyarrow.binary())
        words.validate(full=True)
        # Lengths come first: a text that stands once may be meant a thousand times.
        lengths = compute.binary_length(words)
        if repeated:
            lengths = lengths.take(column.indices)
        if (compute.max(lengths).as_py() or 0) > LIMITS.line_bytes:
            raise InputError(f"one of its texts is too long ({raised_by('line_bytes')})")
        self._taken += compute.sum(lengths).as_py() or 0
        if self._taken > self._most:
            raise InputError(
                f"it unpacks to far more than any puzzles do ({raised_by('text_ratio')})"
            )
        return (words.take(column.indices) if repeated else words).to_pylist()


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


def _is_text(kind: pyarrow.DataType) -> bool:
    types = library("pyarrow").types
    if types.is_dictionary(kind):
        kind = kind.value_type
    return types.is_string(kind) or types.is_large_string(kind)
