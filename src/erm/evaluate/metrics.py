"""Answers against labels, counted: exact ones, single cells, the best of a pool."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int


class Mark(NamedTuple):
    """How an answer compares with the label."""

    correct: bool
    """Every cell right, or, where answers have prices, as good as the label: exact accuracy
    counts these."""
    token: float
    """Share of all cells that are right."""


def mark(
    answer: Int[np.ndarray, " n"],
    label: Int[np.ndarray, " n"],
    correct: bool | np.bool_ | None = None,
) -> Mark:
    """An answer against its label; `correct` where something else than the label decides."""
    right = np.asarray(answer) == np.asarray(label)
    return Mark(bool(right.all() if correct is None else correct), float(right.mean()))


def oracle(
    answers: Int[np.ndarray, "K n"],
    label: Int[np.ndarray, " n"],
    correct: Bool[np.ndarray, " K"] | None = None,
) -> Mark:
    """The best that any selector could do with these candidates."""
    right = np.asarray(answers) == np.asarray(label)
    best = (right.all(-1) if correct is None else correct).any()
    return Mark(bool(best), float(right.mean(-1).max()))
