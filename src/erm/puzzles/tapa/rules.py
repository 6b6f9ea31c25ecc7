"""Tapa: clues list the lengths of the shaded runs around them; the shading is one wall."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby, product

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.grid import OFF_BOARD, ring, windows
from erm.puzzles import ppbench
from erm.puzzles.areas import OneArea
from erm.puzzles.pencil import Pencil, stack_features
from erm.puzzles.tapa.drawing import LOOK, labels
from erm.puzzles.tapa.givens import GIVENS, UNKNOWN, UNUSED
from erm.rulebook.counting import AtMost
from erm.rulebook.factor import Factor
from erm.rulebook.memory import Enumerated
from erm.rulebook.potential import Potential
from erm.types import Puzzle

SHADED = 1


class Tapa(Pencil):
    """Givens: `clues` int8 [H, W, 4]: up to four numbers, -2 for "?", -1 for an unused slot;
    1 is shaded.

    A "?" is a run of any length, and where it stands alone also no run at all.
    """

    name = "tapa"
    state_words = ("white", "shaded")
    givens = GIVENS
    look = LOOK

    def markable(self, puzzle: Puzzle) -> Bool[np.ndarray, " n"]:
        return (puzzle.givens["clues"] == UNUSED).all(-1).ravel()

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        walls = Factor("no 2x2 of shaded cells", windows(*puzzle.shape), AtMost(3, 4))
        return walls, *_clue_factors(puzzle)

    def potentials(self, puzzle: Puzzle) -> Sequence[Potential]:
        return (OneArea("shaded cells form one wall", puzzle.shape, SHADED, needed=True),)

    def features(self, puzzle: Puzzle) -> Float[np.ndarray, "n 11"]:
        """How often each of 0 to 8 and "?" stands in the clue."""
        slots = puzzle.givens["clues"].reshape(puzzle.cells, 4, 1)
        return stack_features((slots == np.array([*range(9), UNKNOWN])).sum(1))

    def tokens(self, puzzle: Puzzle) -> Int[np.ndarray, " n"]:
        return ppbench.tapa_tokens(puzzle.givens["clues"])

    def labels(self, puzzle: Puzzle) -> Sequence[str]:
        return labels(puzzle.givens["clues"])


def _clue_factors(puzzle: Puzzle) -> list[Factor]:
    """One factor for all clues that are alike in numbers and in the cells around them."""
    around = ring(*puzzle.shape)
    clues = puzzle.givens["clues"].reshape(-1, 4)
    alike: dict[tuple[tuple[int, ...], tuple[bool, ...]], list[int]] = {}
    for cell in np.flatnonzero((clues != UNUSED).any(1)).tolist():
        numbers = tuple(sorted(n for n in clues[cell].tolist() if n != UNUSED))
        on_board = tuple((around[cell] != OFF_BOARD).tolist())
        alike.setdefault((numbers, on_board), []).append(cell)
    return [
        Factor(
            "shaded runs around a clue",
            around[cells][:, np.array(on_board)],
            _runs_memory(numbers, on_board),
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
