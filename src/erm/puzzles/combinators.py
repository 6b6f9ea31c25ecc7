"""Small two-way codecs from which the alphabets of puzz.link links are put together.

A `Part` turns some characters into some items and back; `Cells` repeats one over a board.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from erm.errors import InputError

GAPS = "ghijklmnopqrstuvwxyz"
"""One to twenty items without a clue."""
HEXADECIMAL = frozenset("0123456789abcdef")
FIVE_BITS = {
    character: tuple(bool(code >> bit & 1) for bit in (4, 3, 2, 1, 0))
    for code, character in enumerate("0123456789abcdefghijklmnopqrstuv")
}
"""Base 32: the five truth values of each character."""
BITS_FIVE = {bits: character for character, bits in FIVE_BITS.items()}


@runtime_checkable
class Part(Protocol):
    """Reads items from `text[at:]`, writes `items[at:]`; None where it does not apply."""

    def decode(self, text: str, at: int, wanted: int) -> tuple[list[Any], int] | None:
        """Items, at most `wanted`, and the position behind what was read."""
        ...

    def encode(self, items: Sequence[Any], at: int) -> tuple[str, int] | None:
        """Characters and the index behind the last item that they stand for."""
        ...


@dataclass(frozen=True)
class Literal:
    """One character that stands for one value."""

    character: str
    value: Any

    def decode(self, text: str, at: int, wanted: int) -> tuple[list[Any], int] | None:
        return ([self.value], at + 1) if text[at] == self.character else None

    def encode(self, items: Sequence[Any], at: int) -> tuple[str, int] | None:
        return (self.character, at + 1) if items[at] == self.value else None


@dataclass(frozen=True)
class Gap:
    """g to z: one to twenty empty items in a row."""

    empty: Any

    def decode(self, text: str, at: int, wanted: int) -> tuple[list[Any], int] | None:
        length = GAPS.find(text[at]) + 1
        return ([self.empty] * length, at + 1) if 0 < length <= wanted else None

    def encode(self, items: Sequence[Any], at: int) -> tuple[str, int] | None:
        end = at
        stop = min(len(items), at + len(GAPS))
        while end < stop and items[end] == self.empty:
            end += 1
        return (GAPS[end - at - 1], end) if end > at else None


@dataclass(frozen=True)
class Number:
    """A hexadecimal number: one digit, or two, three behind `-`, `+`, or 4096 and up behind `=`."""

    low: int
    high: int

    def decode(self, text: str, at: int, wanted: int) -> tuple[list[Any], int] | None:
        if text[at] in HEXADECIMAL:
            value, end = int(text[at], 16), at + 1
        else:
            length, offset = {"-": (2, 0), "+": (3, 0), "=": (3, 4096)}.get(text[at], (0, 0))
            end = at + 1 + length
            digits = text[at + 1 : end]
            if not length or len(digits) < length or not HEXADECIMAL.issuperset(digits):
                return None
            value = int(digits, 16) + offset
        return ([value], end) if self.low <= value <= self.high else None

    def encode(self, items: Sequence[Any], at: int) -> tuple[str, int] | None:
        value = items[at]
        if not self.low <= value <= self.high or value >= 8192:
            return None
        if value < 4096:
            return ("" if value < 16 else "-" if value < 256 else "+") + f"{value:x}", at + 1
        return f"={value - 4096:03x}", at + 1


@dataclass(frozen=True)
class NumberAndGap:
    """0 to 4, and in the same character whether one (5 to 9) or two (a to e) empty cells follow."""

    empty: Any

    def decode(self, text: str, at: int, wanted: int) -> tuple[list[Any], int] | None:
        code = "0123456789abcde".find(text[at])
        if code < 0:
            return None
        return [code % 5, *[self.empty] * (code // 5)][:wanted], at + 1

    def encode(self, items: Sequence[Any], at: int) -> tuple[str, int] | None:
        if not 0 <= items[at] <= 4:
            return None
        gap = 0
        # Behind the last cell everything counts as empty, as in pzpr.js.
        while gap < 2 and (at + 1 + gap >= len(items) or items[at + 1 + gap] == self.empty):
            gap += 1
        return f"{items[at] + 5 * gap:x}", min(len(items), at + 1 + gap)


@dataclass(frozen=True)
class Spelled:
    """Values that are spelled out with one character or two."""

    values: Mapping[str, Any]
    """By what is read; the first spelling of a value is the one written."""
    spellings: dict[Any, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for spelling, value in self.values.items():
            self.spellings.setdefault(value, spelling)

    def decode(self, text: str, at: int, wanted: int) -> tuple[list[Any], int] | None:
        for end in (at + 1, at + 2):
            value = self.values.get(text[at:end])
            if value is not None:
                return [value], end
        return None

    def encode(self, items: Sequence[Any], at: int) -> tuple[str, int] | None:
        spelling = self.spellings.get(items[at])
        return None if spelling is None else (spelling, at + 1)


@dataclass(frozen=True)
class FirstOf:
    """The first part that applies."""

    parts: tuple[Part, ...]

    def decode(self, text: str, at: int, wanted: int) -> tuple[list[Any], int] | None:
        for part in self.parts:
            found = part.decode(text, at, wanted)
            if found is not None:
                return found
        return None

    def encode(self, items: Sequence[Any], at: int) -> tuple[str, int] | None:
        for part in self.parts:
            found = part.encode(items, at)
            if found is not None:
                return found
        return None


@dataclass(frozen=True)
class Cells:
    """A part repeated until each of `count` items has its value."""

    part: Part
    count: int
    name: Callable[[int], str]
    """Says where item i stands, such as "row 2, column 5"."""

    def decode(self, text: str, at: int = 0) -> tuple[list[Any], int]:
        items: list[Any] = []
        while len(items) < self.count:
            if at >= len(text):
                missing = self.count - len(items)
                raise InputError(f"it ends before {self.name(len(items))}, {missing} too early")
            found = self.part.decode(text, at, self.count - len(items))
            if found is None:
                raise InputError(
                    f"{text[at]!r}, character {at + 1} of the board, makes no sense "
                    f"at {self.name(len(items))}"
                )
            read, at = found
            items += read
        return items, at

    def encode(self, items: Sequence[Any]) -> str:
        text: list[str] = []
        at = 0
        while at < len(items):
            found = self.part.encode(items, at)
            if found is None:
                raise InputError(f"the clue {items[at]} at {self.name(at)} cannot be written")
            written, at = found
            text.append(written)
        return "".join(text)


@dataclass(frozen=True)
class Bits:
    """Truth values, five to a base-32 character, the first in its highest bit."""

    count: int

    def decode(self, text: str, at: int = 0) -> tuple[list[bool], int]:
        end = at + (self.count + 4) // 5
        values: list[bool] = []
        for character in text[at:end]:
            if character not in FIVE_BITS:
                break
            values += FIVE_BITS[character]
        if len(values) < self.count:
            position = at + len(values) // 5
            what = repr(text[position]) if position < len(text) else "its end"
            raise InputError(
                f"{what}, character {position + 1} of the board, is where borders must stand"
            )
        return values[: self.count], end

    def encode(self, values: Sequence[bool]) -> str:
        text = []
        for start in range(0, len(values), 5):
            five = (*values[start : start + 5], *[False] * 4)[:5]
            text.append(BITS_FIVE[five])
        return "".join(text)
