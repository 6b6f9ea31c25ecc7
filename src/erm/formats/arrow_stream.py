"""What `datasets.save_to_disk` writes: streams of Arrow, mapped rather than read."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from erm.errors import InputError
from erm.formats import columnar
from erm.formats.csv_row import Columns

HEADER, COMPRESSION = 2, 3
"""Which fields of a message and of its batch these are (Arrow's Message.fbs)."""


def read_columns(path: Path) -> Columns:
    """How a stream is laid out."""
    with _opened(path) as (schema, _):
        return columnar.columns_of(schema)


def rows_of(path: Path, columns: Columns) -> Iterator[columnar.Row | InputError]:
    """The rows of a stream, one batch after the other."""
    arrow = columnar.library("pyarrow")
    with _opened(path) as (schema, messages):
        if columnar.columns_of(schema) != columns:
            raise InputError("its columns are not those of the files before it")
        wanted = columnar.readable(schema)

        def batches() -> Iterator[Any]:
            for message in messages:
                if message.type != "record batch" or _is_packed(message.metadata.to_pybytes()):
                    raise InputError("its batches are packed, which save_to_disk never does")
                yield arrow.ipc.read_record_batch(message, schema).select(wanted)

        yield from columnar.Weighed(columns, os.path.getsize(path)).rows(batches())


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, Iterator[Any]]]:
    """A stream's schema and the messages behind it; what is wrong with it in one sentence."""
    arrow = columnar.library("pyarrow")
    columnar.library("pyarrow.ipc")
    try:
        with arrow.memory_map(str(path)) as source:
            reader = arrow.ipc.MessageReader.open_stream(source)
            messages = iter(reader)
            first = next(messages, None)
            if first is None:
                raise InputError("it is empty")
            yield arrow.ipc.read_schema(first), messages
    except (arrow.ArrowException, OSError, MemoryError, OverflowError, UnicodeError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"it cannot be read as an Arrow stream: {said[:200]}") from None


def _is_packed(message: bytes) -> bool:
    """Whether a batch's buffers are compressed: they would say themselves how large they become."""
    try:
        (root,) = struct.unpack_from("<I", message, 0)
        batch_at = root + _field(message, root, HEADER)
        (step,) = struct.unpack_from("<I", message, batch_at)
        return _field(message, batch_at + step, COMPRESSION) != 0
    except struct.error:
        raise InputError("a batch's header is cut off") from None


def _field(data: bytes, table: int, number: int) -> int:
    """Where a field of a FlatBuffers table lies, counted from the table; 0 where it is not."""
    (back,) = struct.unpack_from("<i", data, table)
    (size,) = struct.unpack_from("<H", data, table - back)
    at = 4 + 2 * number
    return struct.unpack_from("<H", data, table - back + at)[0] if at < size else 0
