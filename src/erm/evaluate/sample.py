"""One puzzle judged: what every selector chose and, where there is a label, how good that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from erm.evaluate.metrics import mark, oracle
from erm.formats.text import format_answer
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.result import Result
from erm.search.select import Choice, select
from erm.search.stop import StoppingRule

CURVES = "qhead", "confidence", "energy"
"""The selectors of the paper's depth curves (Figure 2)."""


def judge_result(index: int, result: Result, selectors: Sequence[str]) -> dict[str, Any]:
    """The sample of a finished search."""
    problem, pool = result.problem, result.candidates
    sample: dict[str, Any] = {
        "index": index,
        "task": problem.task.name,
        "shape": list(problem.puzzle.shape),
        "candidates": len(pool),
        "depth": result.depth,
        "evaluations": result.evaluations,
        "seconds": round(result.seconds, 3),
        "status": result.status,
        "by": result.by,
        "certified": result.certified,
        "choices": {
            name: judge_choice(problem, chosen(pool, name, result.options.mode))
            for name in selectors
        },
    }
    label = problem.puzzle.answer
    if label is not None:
        nothing = {"correct": False, "token": 0.0}
        sample["oracle"] = oracle(pool.answers, label)._asdict() if len(pool) else nothing
        if result.options.mode == "full":
            sample["widths"] = _widths(problem, pool)
    sample["good"] = sample["certified"] if label is None else sample["oracle"]["correct"]
    if pool.trace is not None:
        sample["curve"] = {name: _curve(problem, pool, name) for name in CURVES}
        sample["stopped"] = _stopped(problem, pool)
    return sample


def chosen(pool: CandidatePool, selector: str, mode: str) -> Choice | None:
    """In adaptive mode `energy` is the search's own answer: a certificate comes first.

    Without candidates, as for a puzzle that has no answer, there is nothing to choose.
    """
    if not len(pool):
        return None
    if mode == "adaptive" and selector == "energy":
        selector = "certified"
    return select(pool, selector)


def judge_choice(problem: Problem, choice: Choice | None) -> dict[str, Any]:
    """A choice as the journal keeps it."""
    if choice is None:
        nothing = {"answer": None, "candidate": None, "score": None, "tied": False, "valid": False}
        labelled = problem.puzzle.answer is not None
        return nothing | ({"correct": False, "token": 0.0} if labelled else {})
    states = problem.task.to_states(problem.puzzle, choice.answer)
    judged: dict[str, Any] = {
        "answer": format_answer(choice.answer),
        "candidate": choice.index,
        "score": choice.score,
        "tied": choice.tied,
        "valid": bool(problem.rules.is_valid(states[None])[0]),
    }
    if problem.puzzle.answer is not None:
        judged |= mark(choice.answer, problem.puzzle.answer)._asdict()
    return judged


def _curve(problem: Problem, pool: CandidatePool, selector: str) -> dict[str, list]:
    """The selected score, and whether the selected answer is right, after every step."""
    assert pool.trace is not None
    label = problem.puzzle.answer
    choices = [select(pool.at(d), selector) for d in range(1, len(pool.trace.answers) + 1)]
    curve: dict[str, list] = {"score": [round(choice.score, 6) for choice in choices]}
    if label is not None:
        curve["correct"] = [mark(choice.answer, label).correct for choice in choices]
    return curve


def _widths(problem: Problem, pool: CandidatePool) -> dict[str, list]:
    """What the energy and the oracle make of the first 1, 2, 4, ... K candidates."""
    label = problem.puzzle.answer
    assert label is not None
    widths = [1 << power for power in range((len(pool) - 1).bit_length())] + [len(pool)]
    parts = [pool[:width] for width in widths]
    return {
        "width": widths,
        "energy": [mark(select(part, "energy").answer, label).correct for part in parts],
        "oracle": [oracle(part.answers, label).correct for part in parts],
    }


def _stopped(problem: Problem, pool: CandidatePool) -> dict[str, Any]:
    """Where energy stopping would have ended this search, and with what."""
    assert pool.trace is not None
    depth = StoppingRule().depth(np.asarray(pool.trace.energy.total).min(-1).tolist())
    choice = judge_choice(problem, select(pool.at(depth), "energy"))
    del choice["answer"]
    return {"depth": depth, **choice}
