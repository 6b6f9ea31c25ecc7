"""Hints and whole solutions, step by step with their reasons, by the rulebook alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from erm.drawing.words import cell_name, ending, step_json
from erm.rulebook.compiling import clock
from erm.rulebook.complete import Poll
from erm.rulebook.explain import Step, Walk
from erm.rulebook.partial import mistake, next_cell, partial_domain
from erm.search.problem import Problem
from erm.web import schema
from erm.web.jobs import Cancelled

SECONDS = 5.0
"""Time for one question; boards that people solve take a fraction of a second."""
Gone = Callable[[], bool]
"""Whether the reader left."""


def next_hint(problem: Problem, answer: str, gone: Gone) -> schema.Hint:
    """The way to the next cell; where something is filled in wrongly, that comes first."""
    until = clock() + SECONDS
    domain = partial_domain(problem.task, problem.puzzle, answer)
    look = _until(gone)
    wrong = mistake(problem.rules, domain, SECONDS / 2, look)
    if wrong is not None:
        step = _step(problem, *wrong)
        where = cell_name(problem.puzzle, step.cell)
        return schema.Hint(
            steps=[step], mistaken=True, words=f"{where} is filled in wrongly: {step.words}"
        )
    left = max(0.0, until - clock())
    steps = [_step(problem, *one) for one in next_cell(problem.rules, domain, left, look)]
    if steps:
        return schema.Hint(steps=steps, mistaken=False, words=steps[-1].words)
    settled = bool((domain.sum(-1) == 1).all())
    words = "every cell is filled in" if settled else "no step was found in time"
    return schema.Hint(steps=[], mistaken=False, words=words)


def whole_walk(problem: Problem, gone: Gone) -> schema.Walk:
    """Every step to the answer, as far as time allows."""
    walk, steps = Walk(problem.rules, seconds=SECONDS, look=_until(gone)), []
    before = walk.domain
    for step in walk:
        steps.append(_step(problem, before, step))
        before = walk.domain
    explanation = walk.explanation
    grade = explanation.grade
    return schema.Walk(
        steps=steps,
        solved=explanation.solved,
        grade=int(grade),
        asks_for=grade.words,
        words=ending(explanation),
    )


def _until(gone: Gone) -> Poll:
    """Work goes on until its reader leaves."""

    def look() -> None:
        if gone():
            raise Cancelled

    return look


def _step(problem: Problem, domain: np.ndarray, step: Step) -> schema.Step:
    return schema.Step(**step_json(problem.task, problem.puzzle, domain, step))
