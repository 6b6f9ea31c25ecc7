"""The pages of a Parquet file, weighed by their own headers before a library unpacks them.

The sizes in the footer may be wrong; what is unpacked at a time is a page, and how much
that will be stands in front of it, in Thrift's compact protocol.
"""

from __future__ import annotations

from typing import IO, Any

from erm.errors import InputError
from erm.limits import LIMITS, raised_by

HEADER_BYTES = 1 << 16
"""One page's header at most; it may hold the smallest and the largest value."""
MOST_PAGES = 100_000
"""Of one column in one row group."""
STOP, TRUE, FALSE, BYTE, INTEGERS, DOUBLE, BINARY = 0, 1, 2, 3, (4, 5, 6), 7, 8
STRUCT = 12
UNPACKED, PACKED = 2, 3
"""The fields of a page header that say how long its data is after and before unpacking."""


def check_pages(file: IO[bytes], chunk: Any) -> None:
    """An InputError where a page of a column chunk would be larger than is believed."""
    first = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < (chunk.dictionary_page_offset or 0) < first:
        first = chunk.dictionary_page_offset
    at, end = first, first + chunk.total_compressed_size
    for _ in range(MOST_PAGES):
        if at >= end:
            return
        file.seek(at)
        header = _Thrift(file.read(HEADER_BYTES))
        sizes = header.struct()
        unpacked, packed = sizes.get(UNPACKED, -1), sizes.get(PACKED, -1)
        if unpacked < 0 or packed < 0:
            raise InputError("a page does not say how long it is")
        if max(unpacked, packed) > LIMITS.page_bytes:
            raise InputError(
                f"a page unpacks to {max(unpacked, packed)} bytes ({raised_by('page_bytes')})"
            )
        at += header.at + packed
    raise InputError(f"a column has more than {MOST_PAGES} pages")


class _Thrift:
    """Reads one struct of the compact protocol and keeps its whole numbers."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def struct(self, depth: int = 0) -> dict[int, int]:
        """Fields that are whole numbers; what is nested is passed over."""
        if depth > 8:
            raise InputError("a page's header is nested too deep")
        fields: dict[int, int] = {}
        number = 0
        while (head := self._byte()) & 15 != STOP:
            step = head >> 4
            number = number + step if step else self._integer()
            kind = head & 15
            if kind in INTEGERS:
                fields[number] = self._integer()
            else:
                self._pass_over(kind, depth)
        return fields

    def _pass_over(self, kind: int, depth: int) -> None:
        if kind in (TRUE, FALSE):
            return
        if kind == BINARY:
            length = self._varint()
            self.at += length
        elif kind == STRUCT:
            self.struct(depth + 1)
        elif kind in (BYTE, DOUBLE):
            self.at += 1 if kind == BYTE else 8
        else:
            # Page headers have neither lists nor maps.
            raise InputError("a page's header is none of Parquet's")

    def _byte(self) -> int:
        if self.at >= len(self.data):
            raise InputError("a page's header is cut off or too long")
        self.at += 1
        return self.data[self.at - 1]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise InputError("a page's header has a number that does not end")

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
