"""The text of template: its name and its rows, as in template:*..../..-../...../...../.....

A text that begins with the task's name is never taken for another task's. It is one line without
spaces, so that a file can hold one per line with the answer behind it.
"""

from __future__ import annotations

import numpy as np

from erm.rulebook import InputError

OPEN, EMPTY, STAR = range(3)
CHARACTERS = ".-*"


def read(name: str, text: str) -> np.ndarray:
    """The clues [height, width]; an InputError says what is wrong in one sentence."""
    begin = f"{name}:"
    if not text.strip().startswith(begin):
        raise InputError(f"the text of a {name} begins with {begin}")
    rows = text.strip().removeprefix(begin).split("/")
    for number, row in enumerate(rows, 1):
        if not row or len(row) != len(rows[0]):
            raise InputError(f"row {number} of the {name} has {len(row)} cells, not {len(rows[0])}")
        for character in row:
            if character not in CHARACTERS:
                wanted = " ".join(CHARACTERS)
                raise InputError(f"row {number} of the {name} has {character!r}; use {wanted}")
    return np.array([[CHARACTERS.index(cell) for cell in row] for row in rows], np.int8)


def write(name: str, clues: np.ndarray) -> str:
    """The text that `read` reads."""
    return f"{name}:" + "/".join("".join(CHARACTERS[cell] for cell in row) for row in clues)
