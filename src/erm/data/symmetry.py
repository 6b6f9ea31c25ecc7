"""Symmetric forms of any puzzle, asked of its task."""

from __future__ import annotations

import numpy as np

from erm.rulebook.registry import task_of
from erm.types import Puzzle


def random_symmetry(puzzle: Puzzle, rng: np.random.Generator, upright: bool = False) -> Puzzle:
    """The puzzle and its answer in a random symmetric form, its meta as it was.

    An `upright` one is as high and as wide as it was.
    """
    return task_of(puzzle.task).symmetry.random(puzzle, rng, upright)


def canonical(puzzle: Puzzle) -> bytes:
    """Equal for two puzzles exactly when a symmetry turns one into the other; answers aside."""
    return task_of(puzzle.task).symmetry.canonical(puzzle)
