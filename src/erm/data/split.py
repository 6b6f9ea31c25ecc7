"""Training and test sets that share no puzzle, not even up to symmetry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from erm.data.symmetry import canonical
from erm.errors import InputError
from erm.progress import progress_bar
from erm.types import Puzzle


def split_puzzles(
    puzzles: Sequence[Puzzle], test_fraction: float, seed: int = 0, quiet: bool = False
) -> tuple[list[Puzzle], list[Puzzle]]:
    """(training, test) puzzles in their old order; symmetric ones stay on the same side.

    The test side gets whole groups of symmetric puzzles, drawn at random, until it has its
    fraction.
    """
    if not 0 < test_fraction < 1:
        raise InputError(f"the test fraction lies between 0 and 1, got {test_fraction}")
    forms = canonical_forms(puzzles, quiet)
    groups: dict[bytes, list[int]] = {}
    for row, form in enumerate(forms):
        groups.setdefault(form, []).append(row)
    rows_of = list(groups.values())
    wanted = round(test_fraction * len(puzzles))
    test: set[int] = set()
    for k in np.random.default_rng(seed).permutation(len(rows_of)):
        if len(test) >= wanted:
            break
        test.update(rows_of[k])
    sides = [puzzle for row, puzzle in enumerate(puzzles) if row not in test], sorted(test)
    if not sides[0] or not test:
        raise InputError(
            f"{len(puzzles)} puzzles, {len(rows_of)} of them different up to symmetry, cannot be "
            f"split so that a fraction of {test_fraction:g} is for testing; give more puzzles"
        )
    return sides[0], [puzzles[row] for row in sides[1]]


def without(
    puzzles: Sequence[Puzzle], others: Iterable[Puzzle], quiet: bool = False
) -> list[Puzzle]:
    """The puzzles of which no symmetric form is among the others."""
    taken = set(canonical_forms(list(others), quiet))
    forms = canonical_forms(puzzles, quiet)
    return [puzzle for puzzle, form in zip(puzzles, forms, strict=True) if form not in taken]


def canonical_forms(puzzles: Sequence[Puzzle], quiet: bool = False) -> list[bytes]:
    """`canonical` of each, with a progress bar."""
    with progress_bar(quiet) as bar:
        shown = bar.add_task("canonical forms", total=len(puzzles), note="")
        forms = []
        for puzzle in puzzles:
            forms.append(canonical(puzzle))
            bar.advance(shown)
    return forms
