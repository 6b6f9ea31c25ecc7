"""Nurikabe's links and files."""

from __future__ import annotations

import numpy as np

from erm.puzzles import pzprv3
from erm.puzzles.combinators import Choice, Gap, Literal, Number
from erm.puzzles.links import clue_alphabet
from erm.puzzles.nurikabe.givens import ANY_SIZE, LARGEST, NO_CLUE

NAME = "nurikabe"


def _write(clue: int) -> str:
    return "-" if clue == ANY_SIZE else str(clue)


def _read(word: str, row: int, column: int) -> int:
    return ANY_SIZE if word == "-" else pzprv3.number(word, row, column, 1, LARGEST)


ALPHABET = clue_alphabet(
    (NAME,),
    Choice((Number(1, LARGEST), Literal(".", ANY_SIZE), Gap(NO_CLUE))),
    np.int16,
    pzprv3.ClueFile(NAME, NO_CLUE, _write, _read, np.int16),
)
