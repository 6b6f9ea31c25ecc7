"""Which of a board's clues to print: thin them out while the answer stays the only one."""

from __future__ import annotations

import numpy as np

from erm.data.pencil.solver import Solver


def thin_out(
    solver: Solver, clues: set[int], rng: np.random.Generator, keep: int, minimal: bool
) -> set[int]:
    """Drop clues in random order, as long as no second answer appears, until `keep` are left.

    `solver` has the answer forbidden and proves all `clues` together sufficient. With
    `minimal` the number does not matter: every clue that is left is needed.
    """
    left = set(clues)
    spare = set[int]()
    if minimal and solver.another(left) is None:
        # What a proof did not use was not needed, and need not be tried one by one.
        left &= solver.needed
    for clue in rng.permutation(sorted(left)).tolist():
        if not minimal and len(left) <= keep:
            break
        if clue in spare or clue not in left:
            continue
        if solver.another(left - {clue}) is None:
            left.discard(clue)
            if minimal:
                left &= solver.needed
    return left
