"""Which of a board's clues to print: thin them out while the answer stays the only one."""

from __future__ import annotations

import numpy as np

from erm.puzzles.prover import Prover


def thin_out(
    prover: Prover, clues: set[int], rng: np.random.Generator, keep: int, minimal: bool
) -> set[int]:
    """Drop clues in random order, as long as no second answer appears, until `keep` are left.

    `prover` has the answer forbidden and proves all `clues` together sufficient. With
    `minimal` the number does not matter: every clue that is left is needed.
    """
    left = set(clues)
    if minimal and prover.is_unique(left):
        # What a proof did not use is not needed, and need not be tried clue by clue.
        left &= prover.needed
    for clue in rng.permutation(sorted(left)).tolist():
        if not minimal and len(left) <= keep:
            break
        if clue in left and prover.is_unique(left - {clue}):
            left = left & prover.needed if minimal else left - {clue}
    return left
