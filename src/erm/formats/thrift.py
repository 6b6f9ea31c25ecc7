"""Thrift's compact protocol, in which Parquet files describe themselves; nothing is believed."""

from __future__ import annotations

from typing import Any

from erm.errors import InputError

STOP, TRUE, FALSE, BYTE, INT16, INT32, INT64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(13)
MOST_FIELDS = 32_767
"""The largest number that a field may have."""
DEEPEST = 12
Struct = dict[int, tuple[int, Any]]
"""The kind and the value of each field."""


def value(fields: Struct, number: int, kind: int) -> Any:
    """A field's value; as the libraries do it, one of another kind is none."""
    found, held = fields.get(number, (STOP, None))
    return held if found == kind else None


class Reader:
    """Reads what stands in bytes; `at` is how far it has come."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def struct(self, depth: int = 0) -> Struct:
        fields: Struct = {}
        number = 0
        while (head := self._byte()) & 15 != STOP:
            step, kind = head >> 4, head & 15
            number = number + step if step else self._integer()
            # Libraries would read such numbers in another way, or take the last of several.
            if number in fields or not 0 < number <= MOST_FIELDS:
                raise InputError("it describes itself in a way that no program does")
            fields[number] = kind, self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int, in_list: bool = False) -> Any:
        if depth > DEEPEST:
            raise InputError("it describes itself in too many layers")
        if kind in (TRUE, FALSE):
            return self._byte() == TRUE if in_list else kind == TRUE
        if kind in (INT16, INT32, INT64):
            return self._integer()
        if kind == BINARY:
            return self._bytes(self._varint())
        if kind == STRUCT:
            return self.struct(depth + 1)
        if kind in (BYTE, DOUBLE):
            return self._bytes(1 if kind == BYTE else 8)
        if kind in (LIST, SET):
            return self._list(depth)
        # Parquet has no maps.
        raise InputError("it describes itself in a way that is none of Parquet's")

    def _list(self, depth: int) -> tuple[int, list[Any]]:
        """The kind of the parts, and the parts."""
        head = self._byte()
        size, kind = head >> 4, head & 15
        size = self._varint() if size == 15 else size
        if size > len(self.data) - self.at:
            raise InputError("it describes itself with a list that is longer than all of it")
        return kind, [self._value(kind, depth + 1, in_list=True) for _ in range(size)]

    def _bytes(self, length: int) -> bytes:
        self.at += length
        if self.at > len(self.data):
            raise InputError("what describes it is cut off or too long")
        return self.data[self.at - length : self.at]

    def _byte(self) -> int:
        return self._bytes(1)[0]

    def _varint(self) -> int:
        number = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise InputError("it describes itself with a number that does not end")

    def _integer(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)
