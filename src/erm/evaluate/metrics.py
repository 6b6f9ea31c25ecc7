"""Answers against labels: of all that judges a run, only this compares the two."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int


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


def exact(
    answers: Int[np.ndarray, "*d K n"], label: Int[np.ndarray, " n"]
) -> Bool[np.ndarray, "*d K"]:
    """Which candidates are right in every cell."""
    return (np.asarray(answers) == np.asarray(label)).all(-1)
