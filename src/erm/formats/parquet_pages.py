"""The pages of a Parquet file, weighed by their own headers before a library unpacks them.

The sizes in the footer may be wrong; what is unpacked at a time is a page, and how much that will
be stands in front of it. The footer is read here, too: pyarrow ends the whole process where
what it says of a column does not fit the schema.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from typing import IO

from erm.errors import InputError
from erm.formats.thrift import INT32, INT64, LIST, STRUCT, Reader, Struct, value
from erm.limits import LIMITS, raised_by

MAGIC = b"PAR1"
HEADER_BYTES = 1 << 16
"""One page's header at most; it may hold the smallest and the largest value."""
MOST_PAGES = 100_000
"""Of one column in one row group."""
ROW_GROUPS = 4
"""The fields of the footer and of what it holds."""
COLUMNS, ROWS = 1, 3
META_DATA, ENCRYPTED = 3, 8
PACKED_SIZE, DATA_PAGE, DICTIONARY_PAGE = 7, 9, 11
UNPACKED, PACKED = 2, 3
"""The fields of a page header that say how long its data is after and before unpacking."""


@dataclass(frozen=True)
class Chunk:
    """Where the pages of one column in one row group lie."""

    first: int
    end: int

    @classmethod
    def of(cls, column: Struct) -> Chunk:
        fields = value(column, META_DATA, STRUCT)
        if fields is None or ENCRYPTED in column:
            raise InputError("a column is encrypted or not described")
        size, first = value(fields, PACKED_SIZE, INT64), value(fields, DATA_PAGE, INT64)
        if size is None or first is None:
            raise InputError("a column does not say where its pages are")
        if 0 < (value(fields, DICTIONARY_PAGE, INT64) or 0) < first:
            first = value(fields, DICTIONARY_PAGE, INT64)
        return cls(first, first + size)


@dataclass(frozen=True)
class RowGroup:
    """Rows that lie together, by column."""

    rows: int
    chunks: tuple[Chunk, ...]


def row_groups(file: IO[bytes]) -> list[RowGroup]:
    """Where everything lies, as the footer says it."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 8))
    tail = file.read(8)
    if len(tail) < 8 or tail[4:] != MAGIC:
        raise InputError("it does not end as Parquet files do")
    length = struct.unpack("<I", tail[:4])[0]
    if length > min(LIMITS.footer_bytes, size - 8):
        raise InputError(
            f"its footer of {length} bytes is too long ({raised_by('footer_bytes')})"
            if length <= size - 8
            else "its footer is longer than the file"
        )
    file.seek(size - 8 - length)
    groups = _structs(Reader(file.read(length)).struct(), ROW_GROUPS)
    return [_row_group(group) for group in groups]


def _row_group(group: Struct) -> RowGroup:
    chunks = tuple(Chunk.of(column) for column in _structs(group, COLUMNS))
    return RowGroup(value(group, ROWS, INT64) or 0, chunks)


def _structs(fields: Struct, number: int) -> list[Struct]:
    kind, parts = value(fields, number, LIST) or (STRUCT, [])
    if kind != STRUCT and parts:
        raise InputError("its footer is none of Parquet's")
    return parts


def check_pages(file: IO[bytes], chunk: Chunk) -> None:
    """An InputError where a page of a column chunk would be larger than is believed."""
    at = chunk.first
    for _ in range(MOST_PAGES):
        if at >= chunk.end:
            return
        if at < 0:
            raise InputError("a page lies before the file")
        file.seek(at)
        header = Reader(file.read(HEADER_BYTES))
        fields = header.struct()
        unpacked, packed = value(fields, UNPACKED, INT32), value(fields, PACKED, INT32)
        if unpacked is None or packed is None or min(unpacked, packed) < 0:
            raise InputError("a page does not say how long it is")
        if max(unpacked, packed) > LIMITS.page_bytes:
            raise InputError(
                f"a page unpacks to {max(unpacked, packed)} bytes ({raised_by('page_bytes')})"
            )
        at += header.at + packed
    raise InputError(f"a column has more than {MOST_PAGES} pages")
