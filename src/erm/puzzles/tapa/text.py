"""Tapa's links and files: clues of up to four numbers."""

from __future__ import annotations

from itertools import product

import numpy as np

from erm.puzzles import pzprv3
from erm.puzzles.combinators import Choice, Gap, Table
from erm.puzzles.links import clue_alphabet
from erm.puzzles.tapa.givens import AROUND, SLOTS, UNKNOWN, UNUSED

NAME = "tapa"
NO_CLUE = (UNUSED,) * SLOTS


def _slots(*numbers: int) -> tuple[int, ...]:
    return (*numbers, *NO_CLUE[len(numbers) :])


def _clues() -> dict[str, tuple[int, ...]]:
    """Up to four numbers: 0 to 8 or "?" alone, else packed into two base-36 characters."""
    clues = {str(number): _slots(number) for number in range(AROUND + 1)}
    clues |= {".": _slots(UNKNOWN), "9": _slots(1, 1, 1, 1)}
    for start, numbers, radix in ((360, 2, 6), (396, 3, 4), (460, 4, 2)):
        for code, digits in enumerate(product(range(radix), repeat=numbers), start):
            clues[np.base_repr(code, 36).lower()] = _slots(*(digit or UNKNOWN for digit in digits))
    return clues


def _write(clue: list[int]) -> str:
    return ",".join(
        "-" if number == UNKNOWN else str(number) for number in clue if number != UNUSED
    )


def _read(word: str, row: int, column: int) -> tuple[int, ...]:
    parts = word.split(",")[: SLOTS + 1]
    numbers = [
        UNKNOWN if part == "-" else pzprv3.number(part, row, column, 0, AROUND) for part in parts
    ]
    if len(numbers) > SLOTS:
        raise pzprv3.bad_word(word, row, column)
    return _slots(*numbers)


ALPHABET = clue_alphabet(
    (NAME,),
    Choice((Table(_clues()), Gap(NO_CLUE))),
    np.int8,
    pzprv3.ClueFile(NAME, list(NO_CLUE), _write, _read, np.int8),
)
