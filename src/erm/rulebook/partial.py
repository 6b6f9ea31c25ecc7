"""Answers that are not finished: what they leave open, the next hint, and where they went wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Bool

from erm.errors import InputError
from erm.rulebook.answers import parse_answer
from erm.rulebook.compiling import clock
from erm.rulebook.complete import Poll, enumerate_answers
from erm.rulebook.explain import Step, Walk, take
from erm.rulebook.rules import Rules
from erm.rulebook.task import Task
from erm.types import Puzzle

Domain = Bool[np.ndarray, "n S"]

OPEN = ".?"
"""What stands for an open cell."""
PATIENCE = 30.0
"""Seconds in which a hint must be found; on boards that people solve it takes a fraction of one."""


def partial_domain(task: Task, puzzle: Puzzle, partial: str) -> Domain:
    """What is left to each cell once a partial answer is filled in."""
    domain = task.domain(puzzle)
    if len(partial) != puzzle.cells:
        raise InputError(
            f"the partial answer has {len(partial)} characters, but the board has {puzzle.cells} "
            "cells; write . for an open one"
        )
    filled = [cell for cell, written in enumerate(partial) if written not in OPEN]
    answer = parse_answer("".join(partial[cell] for cell in filled), len(filled))
    states = answer.astype(int) - task.first_state
    if ((states < 0) | (states >= domain.shape[1])).any():
        raise InputError(f"the partial answer has a state that no cell of this {task.name} takes")
    clash = [cell for cell, state in zip(filled, states, strict=True) if not domain[cell, state]]
    if clash:
        where = task.cell_name(puzzle, clash[0])
        raise InputError(f"the partial answer contradicts what is printed at {where}")
    domain[filled] = False
    domain[filled, states] = True
    return domain


def mistake(
    rules: Rules, domain: Domain, seconds: float = PATIENCE, look: Poll | None = None
) -> tuple[Domain, Step] | None:
    """Where nothing can come of a domain that a person has filled in: the first step from what is
    printed that rules out something filled in, and what was left before it."""
    until = clock() + seconds
    found = enumerate_answers(rules, limit=1, seconds=seconds, domain=domain, look=look)
    if len(found.answers) or not found.exhausted:
        return None
    before = rules.domain
    for step in Walk(rules, seconds=max(0.0, until - clock()), look=look):
        lost = np.isin(np.arange(domain.shape[1]), step.ruled_out)
        if not (domain[step.cell] & ~lost).any():
            return before, step
        before = take(before, step)
    return None


def next_cell(
    rules: Rules, domain: Domain, seconds: float = PATIENCE, look: Poll | None = None
) -> list[tuple[Domain, Step]]:
    """The steps to the next cell that can be filled in, each with what was left before it; without
    those that it does not rest on. Empty where there is none."""
    found: list[tuple[Domain, Step]] = []
    for step in Walk(rules, domain, seconds, look):
        found.append((domain, step))
        domain = take(domain, step)
        if domain[step.cell].sum() <= 1:
            return _rests_on(found)
    return []


def _rests_on(steps: Sequence[tuple[Domain, Step]]) -> list[tuple[Domain, Step]]:
    """The last step, and those before it that gave the cells that force it their states."""
    *earlier, last = steps
    kept, needed = [last], _cells(last[1])
    for one in reversed(earlier):
        if one[1].cell in needed:
            kept.insert(0, one)
            needed |= _cells(one[1])
    return kept


def _cells(step: Step) -> set[int]:
    cells: Iterable[int] = (step.cell, *step.because)
    return set(cells)
