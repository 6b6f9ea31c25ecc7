"""Answers as text, one character per cell, and rows of tokens from files."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int, Integer

from erm.errors import InputError
from erm.types import DIGITS

CHARACTER_STATE = np.full(128, -1, np.int8)
"""The state that each ASCII character stands for, -1 for none."""
for _state, _character in enumerate(DIGITS):
    CHARACTER_STATE[ord(_character)] = CHARACTER_STATE[ord(_character.lower())] = _state
_WRITTEN = np.frombuffer(DIGITS.encode(), np.uint8)


def look_up(table: np.ndarray, text: str) -> np.ndarray:
    """The entry of each character in a table by ASCII code; others are taken for "?"."""
    return table[np.frombuffer(text.encode("ascii", "replace"), np.uint8)]


def format_answer(answer: np.ndarray) -> str:
    """One character per cell, row by row."""
    return _WRITTEN[np.asarray(answer).ravel()].tobytes().decode()


def parse_answer(text: str, cells: int) -> Int[np.ndarray, " n"]:
    """States of an answer that `format_answer` wrote."""
    if len(text) != cells:
        raise InputError(f"the answer has {len(text)} characters, but the board has {cells} cells")
    states = look_up(CHARACTER_STATE, text)
    if (states < 0).any():
        at = int(np.argmax(states < 0))
        raise InputError(f"the answer has {text[at]!r} at cell {at + 1}, which is no state")
    return states


def check_tokens(array: Integer[np.ndarray, "m n"], low: int, high: int, name: str) -> None:
    """InputError that names the first token out of range."""
    wrong = (array < low) | (array > high)
    if wrong.any():
        row, cell = np.argwhere(wrong)[0].tolist()
        raise InputError(
            f"row {row + 1} of {name} has token {array[row, cell]} at cell {cell + 1}, "
            f"where {low} to {high} must stand"
        )
