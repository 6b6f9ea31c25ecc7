"""The only place where answers meet labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Int


class Mark(NamedTuple):
    """How an answer compares with the label."""

    correct: bool
    """Every cell right: exact accuracy counts these."""
    token: float
    """Share of all cells that are right."""


def mark(answer: Int[np.ndarray, " n"], label: Int[np.ndarray, " n"]) -> Mark:
    right = np.asarray(answer) == np.asarray(label)
    return Mark(bool(right.all()), float(right.mean()))


def oracle(answers: Int[np.ndarray, "K n"], label: Int[np.ndarray, " n"]) -> Mark:
    """The best that any selector could do with these candidates."""
    right = np.asarray(answers) == np.asarray(label)
    return Mark(bool(right.all(-1).any()), float(right.mean(-1).max()))
