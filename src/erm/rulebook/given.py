"""What is printed on a board as arrays of numbers, described well enough to be read from JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from erm.errors import InputError


@dataclass(frozen=True)
class Given:
    """One array of `Puzzle.givens`: its values, and how much smaller than the board it is."""

    dtype: type
    low: int
    high: int
    blank: int = 0
    """What stands where nothing is printed."""
    names: Mapping[str, int] = field(default_factory=dict)
    """Values that are no plain numbers, such as {"?": -1}."""
    trim: tuple[int, int] = (0, 0)
    """Rows and columns that it lacks against the board, as borders do."""
    slots: int = 0
    """Numbers in a cell where that is more than one."""
    prints_states: bool = False
    """Whether each value but `blank` is the state, counted from 0, that the cell has."""

    @classmethod
    def of_states(cls, states: int) -> Given:
        """Some cells have their state printed on them: 0 to states - 1, or -1 for none."""
        return cls(np.int8, -1, states - 1, blank=-1, prints_states=True)

    def shape(self, board: tuple[int, int]) -> tuple[int, ...]:
        """Of the array on a board of that size."""
        height, width = board[0] - self.trim[0], board[1] - self.trim[1]
        return (height, width, *([self.slots] if self.slots else []))

    def empty(self, board: tuple[int, int]) -> np.ndarray:
        """The array of a board with nothing printed on it."""
        return np.full(self.shape(board), self.blank, self.dtype)

    def read(self, name: str, rows: Any, shape: tuple[int, int]) -> np.ndarray:
        """The array from nested lists, checked cell by cell."""
        wanted = self.shape(shape)
        height, width = wanted[:2]
        flat: list[int] = []
        for r, row in enumerate(_list(rows, height, f"{name}, rows")):
            for c, cell in enumerate(_list(row, width, f"{name}, row {r + 1}")):
                where = f"{name}, row {r + 1}, column {c + 1}"
                for value in _list(cell, self.slots, where) if self.slots else [cell]:
                    if not isinstance(value, int) or not self.low <= value <= self.high:
                        raise InputError(f"{where} must be a number from {self.low} to {self.high}")
                    flat.append(value)
        return np.array(flat, self.dtype).reshape(wanted)


def _list(value: Any, length: int, where: str) -> list[Any]:
    if not isinstance(value, list) or len(value) != length:
        raise InputError(f"{where}: a list of {length} is wanted")
    return value
