"""A task of your own: binairo. Fill the board with 0 and 1 so that no three in a line are alike,
every row and column holds as many 0 as 1, and no two rows and no two columns are the same.

`--include examples/my_task.py` makes it known to every command; docs/new-task.md explains it.
`erm data binairo --include examples/my_task.py --count 2000 --out binairo.jsonl` makes puzzles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import ClassVar

import numpy as np

from erm.rulebook import (
    SQUARE,
    EnergySettings,
    Enumerated,
    Exactly,
    Factor,
    Given,
    InputError,
    Look,
    Potential,
    Puzzle,
    Task,
    cell_ids,
    register,
)

NOT_ALIKE = Enumerated(np.array([p for p in product((0, 1), repeat=3) if 0 < sum(p) < 3]), states=2)


@register
class Binairo(Task):
    """Givens: `clues` int8 [n, n]: -1 empty, else 0 or 1; n is even."""

    name = "binairo"
    states = 2
    settings = EnergySettings(tau=0.02, beta=128.0, mu=64.0)
    symmetry = SQUARE
    givens: ClassVar = {"clues": Given.of_states(2)}
    look = Look(title="Binairo", about="No three alike, as many 0 as 1, no two lines the same.")

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        side, ids = puzzle.height, cell_ids(*puzzle.shape)
        lines = np.concatenate([ids, ids.T])
        threes = [line[at : at + 3] for line in lines for at in range(side - 2)]
        return (
            Factor("no three alike", np.array(threes), NOT_ALIKE),
            Factor("as many 0 as 1", lines, Exactly(side // 2, side)),
        )

    def potentials(self, puzzle: Puzzle) -> Sequence[Potential]:
        ids = cell_ids(*puzzle.shape)
        return LinesDiffer("rows differ", ids), LinesDiffer("columns differ", ids.T)

    def partitions(self, puzzle: Puzzle) -> np.ndarray:
        """The rows and the columns: where cells see each other's state."""
        return np.stack(np.divmod(np.arange(puzzle.cells), puzzle.width))

    def parse(self, text: str) -> Puzzle:
        cells = "".join(text.split())
        side = math.isqrt(len(cells))
        if not cells or side * side != len(cells) or side % 2:
            raise InputError(f"a binairo has 16, 36, 64, … cells, this text has {len(cells)}")
        wrong = next((at for at, cell in enumerate(cells) if cell not in ".01"), None)
        if wrong is not None:
            raise InputError(f"the binairo has {cells[wrong]!r} at cell {wrong + 1}; use . 0 1")
        clues = np.array([".01".index(cell) - 1 for cell in cells], np.int8)
        return Puzzle(self.name, side, side, {"clues": clues.reshape(side, side)})

    def format(self, puzzle: Puzzle) -> str:
        return "".join(".01"[clue + 1] for clue in puzzle.givens["clues"].ravel().tolist())


class LinesDiffer(Potential):
    """Pairs of lines that are the same."""

    def __init__(self, name: str, lines: np.ndarray) -> None:
        self.name = name
        self.lines = lines

    def violation(self, states: np.ndarray) -> np.ndarray:
        return self._same(states).sum((-1, -2)) / states.shape[-1]

    def blame(self, states: np.ndarray) -> np.ndarray:
        same = self._same(states[None])[0]
        blamed = np.zeros(len(states), bool)
        blamed[self.lines[same.any(0) | same.any(1)]] = True
        return blamed

    def _same(self, states: np.ndarray) -> np.ndarray:
        """Which of the lines i < j are equal, [k, lines, lines]."""
        lines = states[:, self.lines]
        equal = (lines[:, :, None] == lines[:, None]).all(-1)
        return np.triu(equal, 1)
