"""Lightup's links and files."""

from __future__ import annotations

import numpy as np

from erm.puzzles import pzprv3
from erm.puzzles.combinators import Choice, Gap, Literal, NumberAndGap
from erm.puzzles.links import clue_alphabet

NAME = "lightup"
WHITE, BLANK, MOST_BULBS = -2, -1, 4
"""Clues: a white cell, a black one without number; the largest number."""


def _write(clue: int) -> str:
    return "-" if clue == BLANK else str(clue)


def _read(word: str, row: int, column: int) -> int:
    return BLANK if word == "-" else pzprv3.number(word, row, column, 0, MOST_BULBS)


ALPHABET = clue_alphabet(
    ("akari", NAME, "bijutsukan"),
    Choice((Literal(".", BLANK), NumberAndGap(WHITE), Gap(WHITE))),
    np.int8,
    pzprv3.ClueFile(NAME, WHITE, _write, _read, np.int8),
)
