"""Steps of an explanation in a person's words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool

from erm.rulebook.explain import Level, Step
from erm.rulebook.task import Task
from erm.types import Puzzle

MOST_NAMED = 8
"""Cells that a sentence names before it only counts the others."""


def say(task: Task, puzzle: Puzzle, domain: Bool[np.ndarray, "n S"], step: Step) -> str:
    """One step, given the domain before it."""
    left = domain[step.cell].copy()
    left[list(step.ruled_out)] = False
    cell = cell_name(puzzle, step.cell)
    what = _what(task, cell, left, step)
    if step.level is Level.GUESS:
        return f"{what}: a guess, since no rule and no single trial tells"
    if step.level is Level.TRIAL:
        where = f" at {cell_names(puzzle, step.scope)}" if step.scope else ""
        why = f"otherwise “{step.rule}” would break{where}"
    else:
        where = f" ({cell_names(puzzle, step.scope)})" if step.scope else ""
        why = f"{step.rule}{where}"
    since = _since(task, puzzle, domain, step)
    return f"{what}: {why}{since}"


def cell_name(puzzle: Puzzle, cell: int) -> str:
    """Row and column from 1, as r3c5."""
    row, column = divmod(cell, puzzle.width)
    return f"r{row + 1}c{column + 1}"


def cell_names(puzzle: Puzzle, cells: Sequence[int]) -> str:
    named = [cell_name(puzzle, cell) for cell in cells[:MOST_NAMED]]
    rest = len(cells) - len(named)
    return ", ".join(named) + (f" and {rest} more" if rest > 0 else "")


def _what(task: Task, cell: str, left: Bool[np.ndarray, " S"], step: Step) -> str:
    states = np.flatnonzero(left).tolist()
    if not states:
        return f"{cell} has no state left"
    if len(states) == 1:
        return f"{cell} is {task.state_word(states[0])}"
    lost = [task.state_word(state) for state in step.ruled_out]
    return f"{cell} is not {' or '.join(lost)}"


def _since(task: Task, puzzle: Puzzle, domain: Bool[np.ndarray, "n S"], step: Step) -> str:
    if not step.because:
        return ""
    settled: dict[int, list[int]] = {}
    others: list[int] = []
    for cell in step.because:
        states = np.flatnonzero(domain[cell]).tolist()
        if len(states) == 1:
            settled.setdefault(states[0], []).append(cell)
        else:
            others.append(cell)
    reasons = [
        f"{cell_names(puzzle, cells)} {'is' if len(cells) == 1 else 'are'} {task.state_word(state)}"
        for state, cells in sorted(settled.items())
    ]
    if others:
        reasons.append(f"of what is left to {cell_names(puzzle, others)}")
    return ", because " + " and ".join(reasons)
