"""Which answers are right: those of the label or, where answers have prices, as good as it."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.rulebook.optimum import TOLERANCE
from erm.search.problem import Problem


def exact(
    answers: Int[np.ndarray, "*d K n"], label: Int[np.ndarray, " n"]
) -> Bool[np.ndarray, "*d K"]:
    """Which candidates are right in every cell."""
    return (np.asarray(answers) == np.asarray(label)).all(-1)


def right_answers(problem: Problem, answers: Int[np.ndarray, "*d K n"]) -> Bool[np.ndarray, "*d K"]:
    """Which candidates are right: those that say what the label says. Where answers have prices
    several may be best, and right is what breaks no rule and costs no more than the label."""
    puzzle, rules = problem.puzzle, problem.rules
    if puzzle.answer is None:
        raise ValueError("without a label nothing is right")
    if not rules.preferences:
        return exact(answers, puzzle.answer)
    above = costs_above(problem, answers.reshape(-1, puzzle.cells))
    return (above <= TOLERANCE).reshape(answers.shape[:-1])


def costs_above(problem: Problem, answers: Int[np.ndarray, "K n"]) -> Float[np.ndarray, " K"]:
    """What answers that break no rule cost beyond the label, where answers have prices; infinity
    for those that break one."""
    task, puzzle, rules = problem.task, problem.puzzle, problem.rules
    assert puzzle.answer is not None
    states = task.to_states(puzzle, answers)
    above = rules.costs(states) - task.cost(puzzle, puzzle.answer)
    return np.where(rules.is_valid(states), above, np.inf)
