"""The text of a futoshiki: rows of cells and the signs between them, with rows of signs below.

`.<.-2/-^v/.-.-./---/1-.>.` is 3x3: the first cell is smaller than its right neighbour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from erm.rulebook import InputError

ACROSS, DOWN, DIGITS = "-<>", "-^v", ".123456789"
SIDES = range(3, 10)


def read(text: str) -> dict[str, np.ndarray]:
    """The givens of a board."""
    rows = text.strip().split("/")
    side = (len(rows) + 1) // 2
    if side not in SIDES or len(rows) != 2 * side - 1:
        raise InputError("a futoshiki has 3 to 9 rows of cells with rows of signs between them")
    cells = [_read(row, 2 * side - 1, (DIGITS[: side + 1], ACROSS)) for row in rows[::2]]
    return {
        "digits": np.array([row[::2] for row in cells], np.int8),
        "across": np.array([row[1::2] for row in cells], np.int8),
        "down": np.array([_read(row, side, (DOWN,)) for row in rows[1::2]], np.int8),
    }


def write(givens: Mapping[str, np.ndarray]) -> str:
    """What `read` reads."""
    rows: list[str] = []
    for at, (digits, signs) in enumerate(zip(givens["digits"], givens["across"], strict=True)):
        between = [ACROSS[sign] for sign in signs] + [""]
        cells = [DIGITS[digit] for digit in digits]
        rows.append("".join(cell + sign for cell, sign in zip(cells, between, strict=True)))
        rows += ["".join(DOWN[sign] for sign in row) for row in givens["down"][at : at + 1]]
    return "/".join(rows)


def _read(row: str, length: int, alphabets: Sequence[str]) -> list[int]:
    if len(row) != length:
        raise InputError(f"the futoshiki's row {row!r} has {len(row)} characters, not {length}")
    found = [alphabets[at % len(alphabets)].find(one) for at, one in enumerate(row)]
    if -1 in found:
        at = found.index(-1)
        wanted = " ".join(alphabets[at % len(alphabets)])
        raise InputError(f"the row {row!r} has {row[at]!r} at place {at + 1}; use one of {wanted}")
    return found
