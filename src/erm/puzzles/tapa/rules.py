"""Tapa: clues list the lengths of the shaded runs around them; the shading is one wall."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, groupby, product
from typing import ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.grid import OFF_BOARD, ring, windows
from erm.look import Look
from erm.puzzles import pzprv3
from erm.puzzles.combinators import FirstOf, Gap, Spelled
from erm.puzzles.links import clue_alphabet
from erm.puzzles.pencil import OneArea, Pencil, stack_features
from erm.rulebook.counting import AtMost
from erm.rulebook.factor import Factor
from erm.rulebook.generator import Generator
from erm.rulebook.given import Given
from erm.rulebook.memory import Enumerated
from erm.rulebook.potential import Potential
from erm.rulebook.symmetry import TURNS, Symmetry
from erm.types import Puzzle

SHADED = 1
UNUSED, UNKNOWN = -1, -2
"""A slot of a clue without a number, and one with "?"."""
SLOTS = 4
NO_CLUE = (UNUSED,) * SLOTS
AROUND = 8
"""Cells around a clue."""
LONGEST_OF_SEVERAL = AROUND - 3
"""A run beside another one: that has a cell, and behind each there is a gap."""


def _spelled_clues() -> dict[str, tuple[int, ...]]:
    """Up to four numbers: 0 to 8 or "?" alone, else packed into two base-36 characters."""
    clues: dict[str, tuple[int, ...]] = {str(number): (number,) for number in range(AROUND + 1)}
    clues |= {".": (UNKNOWN,), "9": (1, 1, 1, 1)}
    for start, numbers, radix in ((360, 2, 6), (396, 3, 4), (460, 4, 2)):
        for code, digits in enumerate(product(range(radix), repeat=numbers), start):
            clues[np.base_repr(code, 36).lower()] = tuple(digit or UNKNOWN for digit in digits)
    return {word: (*clue, *NO_CLUE[len(clue) :]) for word, clue in clues.items()}


class ClueSymmetry(Symmetry):
    """The numbers of a clue stand in no order."""

    def normalised(self, name: str, array: np.ndarray) -> np.ndarray:
        return np.sort(array, axis=-1)


class Tapa(Pencil):
    """Givens: `clues` int8 [H, W, 4]: up to four numbers, -2 for "?", -1 for an unused slot;
    1 is shaded.

    A "?" is a run of any length, and where it stands alone also no run at all.
    """

    name = "tapa"
    state_words = ("white", "shaded")
    givens: ClassVar = {
        "clues": Given(np.int8, UNKNOWN, AROUND, blank=UNUSED, names={"?": UNKNOWN}, slots=SLOTS)
    }
    look = Look.beside(
        __file__,
        "Tapa",
        "Shade one connected wall without 2×2 squares; "
        "clues list the runs of shaded cells around them.",
        {
            "clue": "clues stay white",
            "no 2x2 of shaded cells": "no 2×2 square",
            "shaded runs around a clue": "clues count their runs",
            "shaded cells form one wall": "one wall",
        },
    )
    alphabet = clue_alphabet(
        (name,),
        FirstOf((Spelled(_spelled_clues()), Gap(NO_CLUE))),
        pzprv3.ClueFile(name, UNUSED, {"-": UNKNOWN}, 0, AROUND, np.int8, SLOTS),
    )
    encodings = ("grid.lp", "tapa/encoding.lp", "connected.lp")
    derivation = ("grid.lp", "tapa/clues.lp")
    symmetry = ClueSymmetry(TURNS)
    printed_tokens = range(63, 107)

    def markable(self, puzzle: Puzzle) -> Bool[np.ndarray, " n"]:
        return (puzzle.givens["clues"] == UNUSED).all(-1).ravel()

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        walls = Factor("no 2x2 of shaded cells", windows(*puzzle.shape), AtMost(3, 4))
        return walls, *_clue_factors(puzzle)

    def potentials(self, puzzle: Puzzle) -> Sequence[Potential]:
        return (OneArea("shaded cells form one wall", puzzle.shape, SHADED, needed=True),)

    def features(self, puzzle: Puzzle) -> Float[np.ndarray, "n 11"]:
        """How often each of 0 to 8 and "?" stands in the clue."""
        slots = puzzle.givens["clues"].reshape(puzzle.cells, SLOTS, 1)
        return stack_features((slots == np.array([*range(AROUND + 1), UNKNOWN])).sum(1))

    def tokens(self, puzzle: Puzzle) -> Int[np.ndarray, " n"]:
        """No clue, every clue that fits around a cell, and one token for any other."""
        listed = {clue: number for number, clue in enumerate(((), *clues_that_fit()))}
        cells = puzzle.givens["clues"].reshape(-1, SLOTS).tolist()
        own = [listed.get(numbers_of(slots), len(listed)) for slots in cells]
        return self.printed_tokens.start + np.array(own)

    def generator(self) -> type[Generator]:
        from erm.puzzles.tapa.generate import TapaGenerator

        return TapaGenerator


def numbers_of(slots: Sequence[int]) -> tuple[int, ...]:
    """A clue's numbers in rising order, "?" first."""
    return tuple(sorted(number for number in slots if number != UNUSED))


@lru_cache(maxsize=1)
def clues_that_fit() -> tuple[tuple[int, ...], ...]:
    """Every clue that fits around a cell: each of two or more runs needs a gap behind it."""
    alone = [(number,) for number in (UNKNOWN, *range(AROUND + 1))]
    lengths = range(1, LONGEST_OF_SEVERAL + 1)
    several = [
        clue
        for size in range(2, SLOTS + 1)
        for clue in combinations_with_replacement((UNKNOWN, *lengths), size)
        if size + sum(max(number, 1) for number in clue) <= AROUND
    ]
    return tuple(alone + several)


def _clue_factors(puzzle: Puzzle) -> list[Factor]:
    """One factor for all clues that are alike in numbers and in the cells around them."""
    around = ring(*puzzle.shape)
    clues = puzzle.givens["clues"].reshape(-1, SLOTS)
    alike: dict[tuple[tuple[int, ...], tuple[bool, ...]], list[int]] = {}
    for cell in np.flatnonzero((clues != UNUSED).any(1)).tolist():
        numbers = numbers_of(clues[cell].tolist())
        on_board = tuple((around[cell] != OFF_BOARD).tolist())
        alike.setdefault((numbers, on_board), []).append(cell)
    return [
        Factor(
            "shaded runs around a clue",
            around[cells][:, np.array(on_board)],
            _runs_memory(numbers, on_board),
            np.array(cells),
        )
        for (numbers, on_board), cells in alike.items()
        if any(on_board)
    ]


@lru_cache(maxsize=1024)
def _runs_memory(numbers: tuple[int, ...], on_board: tuple[bool, ...]) -> Enumerated:
    """All shadings of the cells around a clue that agree with it."""
    patterns = []
    for shading in product((0, 1), repeat=sum(on_board)):
        cells = iter(shading)
        if _agree(numbers, cyclic_runs([next(cells) if on else 0 for on in on_board])):
            patterns.append(shading)
    return Enumerated(np.array(patterns, np.int64).reshape(-1, sum(on_board)), states=2)


def cyclic_runs(ring_cells: Sequence[int]) -> list[int]:
    """Lengths of the shaded runs around a circle; [0] where nothing is shaded."""
    if all(ring_cells):
        return [len(ring_cells)]
    gap = list(ring_cells).index(0)
    turned = [*ring_cells[gap:], *ring_cells[:gap]]
    return [len(list(run)) for shaded, run in groupby(turned) if shaded] or [0]


def _agree(numbers: Sequence[int], runs: Sequence[int]) -> bool:
    """Whether the runs are the numbers in some order, with "?" for any."""
    left = list(runs)
    for number in numbers:
        if number != UNKNOWN:
            if number not in left:
                return False
            left.remove(number)
    return len(left) == list(numbers).count(UNKNOWN)
