"""Lightup's links and files."""

from __future__ import annotations

import numpy as np

from erm.puzzles import pzprv3
from erm.puzzles.combinators import Choice, Gap, Literal, NumberAndGap
from erm.puzzles.lightup.givens import BLACK, MOST_BULBS, WHITE
from erm.puzzles.links import clue_alphabet

NAME = "lightup"


def _write(clue: int) -> str:
    return "-" if clue == BLACK else str(clue)


def _read(word: str, row: int, column: int) -> int:
    return BLACK if word == "-" else pzprv3.number(word, row, column, 0, MOST_BULBS)


ALPHABET = clue_alphabet(
    ("akari", NAME, "bijutsukan"),
    Choice((Literal(".", BLACK), NumberAndGap(WHITE), Gap(WHITE))),
    np.int8,
    pzprv3.ClueFile(NAME, WHITE, _write, _read, np.int8),
)
