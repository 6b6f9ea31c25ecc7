"""Futoshiki: every digit once in each row and column; signs between cells say which is smaller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import ClassVar

import numpy as np

from erm.rulebook import (
    EnergySettings,
    Enumerated,
    Factor,
    Given,
    Look,
    Permutations,
    Puzzle,
    Task,
    cell_ids,
    register,
)

from .text import SIDES, read, write

LESS, MORE = 1, 2
"""The first of two cells, the left or the upper one, is smaller or larger than the other."""


@register
class Futoshiki(Task):
    """Givens: `digits` int8 [n, n], 0 where none is printed; `across` [n, n-1] and `down` [n-1, n],
    the signs between neighbours: 0 none, else LESS or MORE."""

    name = "futoshiki"
    states = 5
    first_state = 1
    sides = tuple(SIDES)
    settings = EnergySettings(tau=0.02, beta=128.0)
    vocabulary = 7
    text_format = (
        "rows of digits, points and signs with a / between them, as .<.-2/-^v/.-.-./---/1-.>."
    )
    givens: ClassVar = {
        "digits": Given(np.int8, 0, 9),
        "across": Given(np.int8, 0, 2, trim=(0, 1)),
        "down": Given(np.int8, 0, 2, trim=(1, 0)),
    }
    look = Look(
        title="Futoshiki",
        about="Every digit once in each row and column; the signs say which cell is smaller.",
        examples=Path(__file__).with_name("examples.json"),
    )

    def states_of(self, puzzle: Puzzle) -> int:
        return puzzle.height

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        ids, side = cell_ids(*puzzle.shape), puzzle.height
        lines = Factor("every digit once", np.concatenate([ids, ids.T]), _once(side))
        return lines, Factor("signs", _smaller_first(puzzle), _rising(side))

    def domain(self, puzzle: Puzzle) -> np.ndarray:
        digits = puzzle.givens["digits"].reshape(-1, 1)
        return (digits == 0) | (digits == 1 + np.arange(puzzle.height))

    def clues(self, puzzle: Puzzle, answer: np.ndarray) -> Mapping[str, np.ndarray]:
        """Every digit and every sign: what the generator takes away from."""
        digits = answer.reshape(puzzle.shape).astype(np.int8)
        across, down = np.diff(digits, axis=1) > 0, np.diff(digits, axis=0) > 0
        signs = {"across": np.where(across, LESS, MORE), "down": np.where(down, LESS, MORE)}
        return {"digits": digits, **{name: sign.astype(np.int8) for name, sign in signs.items()}}

    def features(self, puzzle: Puzzle) -> np.ndarray:
        """For each of the four neighbours whether it is known to be larger, or smaller."""
        channels = np.zeros((9, puzzle.cells), np.float32)
        channels[8] = 1
        for (first, second), sign in _signs(puzzle).items():
            side = 0 if second == first + 1 else 4
            channels[side + (sign == MORE), first] = 1
            channels[side + 2 + (sign == LESS), second] = 1
        return channels.T

    def partitions(self, puzzle: Puzzle) -> np.ndarray:
        return np.stack(np.divmod(np.arange(puzzle.cells), puzzle.width))

    def tokens(self, puzzle: Puzzle) -> np.ndarray:
        """Digits only: networks of tokens do not see the signs."""
        return puzzle.givens["digits"].ravel().astype(np.int64) + 1

    def answer_tokens(self, puzzle: Puzzle) -> np.ndarray:
        return np.tile(np.arange(puzzle.height) + 2, (puzzle.cells, 1))

    def signs(self, puzzle: Puzzle) -> Mapping[tuple[int, int], str]:
        """As they are drawn between two cells."""
        drawn = {True: ("<", ">"), False: ("∧", "∨")}
        return {
            pair: drawn[pair[1] == pair[0] + 1][sign - 1] for pair, sign in _signs(puzzle).items()
        }

    def parse(self, text: str) -> Puzzle:
        givens = read(text)
        height, width = givens["digits"].shape
        return Puzzle(self.name, height, width, givens)

    def format(self, puzzle: Puzzle) -> str:
        return write(puzzle.givens)


def _signs(puzzle: Puzzle) -> dict[tuple[int, int], int]:
    """The printed signs by the cells that they stand between."""
    across, down, width = puzzle.givens["across"], puzzle.givens["down"], puzzle.width
    found = {}
    for array, step in ((across, 1), (down, width)):
        for row, column in np.argwhere(array).tolist():
            cell = row * width + column
            found[cell, cell + step] = int(array[row, column])
    return found


def _smaller_first(puzzle: Puzzle) -> np.ndarray:
    pairs = [pair if sign == LESS else pair[::-1] for pair, sign in _signs(puzzle).items()]
    return np.array(pairs, np.int64).reshape(-1, 2)


@cache
def _once(side: int) -> Permutations:
    return Permutations(side)


@cache
def _rising(side: int) -> Enumerated:
    return Enumerated(np.array(list(combinations(range(side), 2))), side)
