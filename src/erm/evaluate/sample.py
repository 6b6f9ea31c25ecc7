"""What a run keeps of one puzzle: every selector's choice and, with a label, how good it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from erm.evaluate.energies import choose
from erm.evaluate.metrics import Mark, mark, oracle
from erm.rulebook.answers import format_answer
from erm.rulebook.propagate import Tally
from erm.run_folder import Sample
from erm.search.labels import costs_above, right_answers
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.result import Result
from erm.search.select import Choice, select
from erm.search.stop import StoppingRule
from erm.search.temper import TemperResult

CURVES = "qhead", "confidence", "energy"
"""The selectors of the paper's depth curves (Figure 2)."""


def search_sample(
    index: int, found: Result, selectors: Iterable[str], spent: Tally | None = None
) -> Sample:
    """The sample of a finished search; `spent` is what the rules propagated for it."""
    problem, pool = found.problem, found.candidates
    sample: Sample = {
        "index": index,
        "task": problem.task.name,
        "shape": list(problem.puzzle.shape),
        "candidates": len(pool),
        "depth": found.depth,
        "evaluations": found.evaluations,
        "seconds": round(found.seconds, 3),
        "status": found.status,
        "by": found.by,
        "certified": found.certified,
        "choices": choices(problem, pool, selectors),
    }
    if spent is not None:
        sample["propagations"] = spent.boards
        sample["propagation_seconds"] = round(spent.seconds, 4)
    if found.options.mode == "adaptive":
        # The row of the energy is the search's own answer.
        sample["choices"]["energy"] = _own_answer(found)
    label = problem.puzzle.answer
    sample |= _judged(problem, pool, _all_answers(found), found.options.mode == "full")
    sample["good"] = sample["certified"] if label is None else sample["oracle"]["correct"]
    if pool.trace is not None:
        curve: dict[str, Any] = {name: _curve(problem, pool, name) for name in CURVES}
        if label is not None:
            right = right_answers(problem, pool.trace.answers).any(-1)
            curve["oracle"] = {"correct": right.tolist()}
        sample["curve"] = curve
        sample["stopped"] = _stopped(problem, pool)
    return sample


def pool_sample(
    index: int, problem: Problem, pool: CandidatePool, selectors: Iterable[str]
) -> Sample:
    """The sample of candidates that came from elsewhere; it is certified where the candidate of
    lowest energy breaks no rule, as that of a search in mode full."""
    lowest = select(pool, "energy").index if len(pool) else None
    return {
        "index": index,
        "task": problem.task.name,
        "shape": list(problem.puzzle.shape),
        "candidates": len(pool),
        "depth": int(pool.steps.max(initial=0)),
        "evaluations": int(pool.steps.sum()),
        "certified": lowest is not None and bool(pool.valid[lowest]),
        "choices": choices(problem, pool, selectors),
        **_judged(problem, pool, pool.answers, True),
    }


def _judged(
    problem: Problem, pool: CandidatePool, answers: np.ndarray, whole: bool
) -> dict[str, Any]:
    """What a label says of a pool, and of `answers`, which may be more; nothing without one. A
    curve over the width is of `whole` pools alone."""
    if problem.puzzle.answer is None:
        return {}
    right = right_answers(problem, pool.answers)
    judged: dict[str, Any] = {
        "right": int(right.sum()),
        "oracle": _oracle(problem, answers),
        "lowest_energy": _lowest_energies(pool, right),
    }
    if whole and len(pool):
        judged["widths"] = _widths(problem, pool)
    return judged


def choices(problem: Problem, pool: CandidatePool, selectors: Iterable[str]) -> dict[str, Sample]:
    """What each selector takes from a pool."""
    if not len(pool):
        return {name: _no_choice(problem) for name in selectors}
    return {name: choice_sample(problem, choose(problem, pool, name)) for name in selectors}


def _own_answer(found: Result) -> Sample:
    if found.answer is None or found.energy is None:
        return _no_choice(found.problem)
    choice = Choice(found.answer, found.index, float(found.energy.total), False)
    return choice_sample(found.problem, choice)


def _all_answers(found: Result) -> np.ndarray:
    """The candidates, and the answer of the rules where they found one."""
    own = [] if found.answer is None else [found.answer[None]]
    return np.concatenate([found.candidates.answers, *own])


def _no_choice(problem: Problem) -> Sample:
    """Without candidates, as for a puzzle that has no answer, there is nothing to choose."""
    nothing = {"answer": None, "candidate": None, "score": None, "tied": False, "valid": False}
    labelled = problem.puzzle.answer is not None
    return nothing | ({"correct": False, "token": 0.0} if labelled else {})


def _mark(problem: Problem, answer: np.ndarray) -> Mark:
    label = problem.puzzle.answer
    assert label is not None
    return mark(answer, label, right_answers(problem, answer[None])[0])


def _best(problem: Problem, answers: np.ndarray) -> Mark:
    label = problem.puzzle.answer
    assert label is not None
    return oracle(answers, label, right_answers(problem, answers))


def _oracle(problem: Problem, answers: np.ndarray) -> Sample:
    if not len(answers):
        return {"correct": False, "token": 0.0}
    return _best(problem, answers)._asdict() | _price(problem, answers)


def _price(problem: Problem, answers: np.ndarray) -> Sample:
    """How far the cheapest of these that breaks no rule is above the label, and whether there is
    one; nothing where answers have no prices."""
    if not problem.rules.preferences or not len(answers):
        return {}
    above = float(costs_above(problem, answers).min())
    return {"valid": above < np.inf, "above": above if above < np.inf else None}


def choice_sample(problem: Problem, choice: Choice) -> Sample:
    """A choice as a sample keeps it."""
    states = problem.task.to_states(problem.puzzle, choice.answer)
    kept: Sample = {
        "answer": format_answer(choice.answer),
        "candidate": choice.index,
        "score": choice.score,
        "tied": choice.tied,
        "valid": bool(problem.rules.is_valid(states[None])[0]),
    }
    if problem.puzzle.answer is not None:
        kept |= _mark(problem, choice.answer)._asdict() | _price(problem, choice.answer[None])
    return kept


def temper_sample(index: int, problem: Problem, results: dict[str, TemperResult]) -> Sample:
    """The sample of a puzzle that was tempered with each of several energies."""
    puzzle = problem.puzzle
    sample: Sample = {"index": index, "task": puzzle.task, "shape": list(puzzle.shape)}
    sample |= {"energies": {}, "evaluations": 0, "seconds": 0.0, "good": False}
    for name, result in results.items():
        row: Sample = {
            "selected": choice_sample(problem, result.selected),
            "best": choice_sample(problem, result.best),
            "swap_rates": [None if np.isnan(r) else round(float(r), 6) for r in result.swap_rates],
            "acceptance": result.acceptance,
        }
        if puzzle.answer is not None:
            row["oracle"] = _best(problem, result.pool.answers)._asdict()
            row["visited"] = _best(problem, result.visited)._asdict()
        sample["energies"][name] = row
        sample["evaluations"] = result.evaluations
        sample["seconds"] += round(result.seconds, 3)
        sample["good"] |= row["selected"].get("correct", row["selected"]["valid"])
    return sample


def _lowest_energies(pool: CandidatePool, right: np.ndarray) -> dict[str, float | None]:
    """The lowest energy of a right candidate and of a wrong one, where there is one."""
    energy = np.asarray(pool.energy.total)
    return {
        name: float(energy[which].min()) if which.any() else None
        for name, which in (("right", right), ("wrong", ~right))
    }


def _curve(problem: Problem, pool: CandidatePool, selector: str) -> dict[str, list]:
    """The selected score, and whether the selected answer is right, after every step."""
    assert pool.trace is not None
    label = problem.puzzle.answer
    chosen = [select(pool.at(d), selector) for d in range(1, len(pool.trace.answers) + 1)]
    curve: dict[str, list] = {"score": [round(choice.score, 6) for choice in chosen]}
    if label is not None:
        curve["correct"] = [_mark(problem, choice.answer).correct for choice in chosen]
    return curve


def _widths(problem: Problem, pool: CandidatePool) -> dict[str, Sequence]:
    """What the energy and the oracle make of the first 1, 2, 4, ... K candidates."""
    widths = [1 << power for power in range((len(pool) - 1).bit_length())] + [len(pool)]
    parts = [pool[:width] for width in widths]
    return {
        "width": widths,
        "energy": [_mark(problem, select(part, "energy").answer).correct for part in parts],
        "oracle": [_best(problem, part.answers).correct for part in parts],
    }


def _stopped(problem: Problem, pool: CandidatePool) -> Sample:
    """Where energy stopping would have ended this search, and with what."""
    assert pool.trace is not None
    depth = StoppingRule().depth(np.asarray(pool.trace.energy.total).min(-1).tolist())
    choice = choice_sample(problem, select(pool.at(depth), "energy"))
    del choice["answer"]
    return {"depth": depth, **choice}
