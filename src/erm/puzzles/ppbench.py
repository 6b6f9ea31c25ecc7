"""Pencil Puzzle Bench: what its five types have in common, so that one reasoner can serve all.

The shared vocabulary starts with Sudoku's own eleven tokens, so a Sudoku reads the same alone
and among the five; every printed cell of another type has a token of that type.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
from jaxtyping import Int

from erm.types import Puzzle

TYPES = ("sudoku", "lightup", "nurikabe", "heyawake", "tapa")
"""The tasks that the paper reports together as PPBench."""
ALIASES = {"akari": "lightup"}
"""Other names under which links and files know a type."""
PTRM_SIDES = {"sudoku": 9, "lightup": 10, "nurikabe": 10, "heyawake": 10, "tapa": 10}
"""Board sides of the subset on which PTRM (arXiv 2605.19943) reports."""

UNKNOWN_NUMBER = -2
"""A "?" in a tapa clue."""


def task_name(name: str) -> str:
    """Our name of a type that a link or a file names."""
    return ALIASES.get(name, name)


def in_ptrm_subset(puzzle: Puzzle) -> bool:
    """Whether a puzzle has the size to which PTRM restricts the benchmark."""
    side = PTRM_SIDES.get(puzzle.task)
    return puzzle.shape == (side, side)


def _tapa_clues() -> tuple[tuple[int, ...], ...]:
    """Every clue that fits around a cell: each run of two or more needs a gap behind it."""
    alone = [(number,) for number in (UNKNOWN_NUMBER, *range(9))]
    several = [
        clue
        for size in (2, 3, 4)
        for clue in combinations_with_replacement((UNKNOWN_NUMBER, *range(1, 6)), size)
        if size + sum(max(number, 1) for number in clue) <= 8
    ]
    return tuple(alone + several)


TAPA_CLUES = _tapa_clues()
LARGEST_ISLAND = 40
"""Larger nurikabe clues share a token; those of 10x10 boards do not come near."""
LARGEST_ROOM_CLUE = 12
"""Larger heyawake clues share a token."""

PAD, EMPTY_SUDOKU_CELL = 0, 1
WHITE, MARKED = 11, 12
"""How answers of the four other types write a cell's states 0 and 1."""
LIGHTUP = 13
NURIKABE = LIGHTUP + len(("white", "black", 0, 1, 2, 3, 4))
TAPA = NURIKABE + len(("none", "?")) + LARGEST_ISLAND + len(("larger",))
HEYAWAKE = TAPA + len(("none",)) + len(TAPA_CLUES) + len(("none that fits",))
BORDERS = 16
"""Each of a cell's four sides may carry a border."""
VOCABULARY = HEYAWAKE + BORDERS * len(("none", *range(LARGEST_ROOM_CLUE + 1), "larger"))


def lightup_tokens(clues: Int[np.ndarray, "H W"]) -> Int[np.ndarray, " n"]:
    return clues.ravel().astype(np.int64) + 2 + LIGHTUP


def nurikabe_tokens(clues: Int[np.ndarray, "H W"]) -> Int[np.ndarray, " n"]:
    clues = clues.ravel().astype(np.int64)
    numbered = np.minimum(clues, LARGEST_ISLAND + 1) + 1
    return NURIKABE + np.where(clues == -1, 1, np.where(clues == 0, 0, numbered))


def tapa_tokens(clues: Int[np.ndarray, "H W 4"]) -> Int[np.ndarray, " n"]:
    listed = {clue: i for i, clue in enumerate(((), *TAPA_CLUES))}
    cells = clues.reshape(-1, 4).tolist()
    printed = (tuple(sorted(n for n in slots if n != -1)) for slots in cells)
    return TAPA + np.array([listed.get(clue, len(listed)) for clue in printed])


def heyawake_tokens(
    borders: Int[np.ndarray, "n 4"], room_clues: Int[np.ndarray, " n"]
) -> Int[np.ndarray, " n"]:
    """Which sides carry a border, and the clue of the room, on every cell of it."""
    sides = borders @ (1 << np.arange(4))
    return HEYAWAKE + BORDERS * (np.minimum(room_clues, LARGEST_ROOM_CLUE + 1) + 1) + sides
