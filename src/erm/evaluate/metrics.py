"""Answers against labels: of all that judges a run, only this compares the two."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int

from erm.rulebook.optimum import TOLERANCE
from erm.search.problem import Problem


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


def exact(
    answers: Int[np.ndarray, "*d K n"], label: Int[np.ndarray, " n"]
) -> Bool[np.ndarray, "*d K"]:
    """Which candidates are right in every cell."""
    return (np.asarray(answers) == np.asarray(label)).all(-1)


def right_answers(problem: Problem, answers: Int[np.ndarray, "*d K n"]) -> Bool[np.ndarray, "*d K"]:
    """Which candidates are right: those that say what the label says. Where answers have prices
    several may be best, and right is what breaks no rule and costs no more than the label."""
    task, puzzle, rules = problem.task, problem.puzzle, problem.rules
    if puzzle.answer is None:
        raise ValueError("without a label nothing is right")
    if not rules.preferences:
        return exact(answers, puzzle.answer)
    states = task.to_states(puzzle, answers)
    flat = states.reshape(-1, states.shape[-1])
    dearest = task.cost(puzzle, puzzle.answer) + TOLERANCE
    return (rules.is_valid(flat) & (rules.costs(flat) <= dearest)).reshape(states.shape[:-1])
