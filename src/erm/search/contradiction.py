"""Why printed clues leave no answer: the rule and the cells to look at, in a person's words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool

from erm.drawing.words import broken, cell_names
from erm.rulebook.explain import explain
from erm.rulebook.propagate import prune
from erm.rulebook.rules import Rules, Violation, violations_in
from erm.search.problem import Problem

CANNOT = "cannot be kept"
PATIENCE = 1.0
"""Seconds to find the steps to a contradiction; without them it is not named."""


@dataclass(frozen=True)
class Contradiction:
    """What no answer can satisfy, and how one says so."""

    rule: str
    cells: tuple[int, ...]
    sentence: str


def contradiction_of(problem: Problem) -> Contradiction:
    """Of a puzzle whose clues the rules refute: the first rule that fails by itself, the
    one that fails after the others have spoken, or what the only board that is left breaks."""
    rules = problem.rules
    found = _empty_cell(problem) or _dead_scope(problem) or _emptied(problem)
    if found is not None:
        return found
    if problem.pruned.any():
        first = rules.violations(problem.pruned.argmax(-1))[0]
        return _in_words(problem, first, "is broken on the only board that is left")
    return _by_steps(problem) or Contradiction("rules", (), "the rules together leave no answer")


def _empty_cell(problem: Problem) -> Contradiction | None:
    empty = np.flatnonzero(~problem.rules.domain.any(-1))
    if not len(empty):
        return None
    cells = tuple(empty.tolist())
    where = cell_names(problem.puzzle, cells)
    sentence = f"“{problem.rules.printed}” leaves nothing at {where}"
    return Contradiction(problem.rules.printed, cells, sentence)


def _dead_scope(problem: Problem) -> Contradiction | None:
    """A rule that cannot be kept in one place, whatever the open cells become."""
    rules = problem.rules
    for factor in rules.factors:
        alive = factor.memory.supported(rules.domain[factor.scopes]).any(-1).all(-1)
        for place in np.flatnonzero(~alive):
            (violation,) = violations_in(factor, [int(place)], rules.domain)
            return _in_words(problem, violation)
    return None


def _in_words(problem: Problem, violation: Violation, verb: str = CANNOT) -> Contradiction:
    sentence = broken(problem.task, problem.puzzle, violation, verb)
    return Contradiction(violation.rule, violation.cells, sentence)


def _emptied(problem: Problem) -> Contradiction | None:
    """The rule that first finds no answer left when all take turns."""
    domain = problem.rules.domain
    alone = [
        *((factor.name, Rules(domain, (factor,), ())) for factor in problem.rules.factors),
        *((one.name, Rules(domain, (), (one,))) for one in problem.rules.potentials),
    ]
    while True:
        before = domain
        for name, rule in alone:
            after = prune(rule, domain[None])[0]
            if not after.any():
                return _at_its_end(problem, name, domain)
            domain = after
        if (domain == before).all():
            return None


def _by_steps(problem: Problem) -> Contradiction | None:
    """Where it takes rules that follow from several: the last of the steps that lead there."""
    explanation = explain(problem.rules, seconds=PATIENCE)
    if not explanation.contradiction or not explanation.steps:
        return None
    last = explanation.steps[-1]
    return _in_words(problem, Violation(last.rule, last.scope))


def _at_its_end(problem: Problem, rule: str, domain: Bool[np.ndarray, "n S"]) -> Contradiction:
    """The rule that has no answer left, with what it would break on the board as it is settled."""
    settled = domain.sum(-1) == 1
    found = [
        one
        for one in problem.rules.violations(domain.argmax(-1))
        if one.rule == rule and settled[list(one.cells)].all()
    ]
    return _in_words(problem, found[0] if found else Violation(rule, ()))
