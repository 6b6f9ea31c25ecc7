"""What the rulebook alone says about an answer, finished or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from erm.drawing import words
from erm.rulebook.answers import parse_answer
from erm.rulebook.energy import EnergyTerms, rules_energy
from erm.rulebook.propagate import prune
from erm.rulebook.rules import OPEN, Rules, Violation
from erm.search.problem import Problem
from erm.web import schema

BLANK = "."


def verdict(problem: Problem, answer: str) -> schema.Verdict:
    """Violations of an answer; "." marks cells that are still open."""
    task, puzzle, rules = problem.task, problem.puzzle, problem.rules
    filler = str(task.first_state)
    states = task.to_states(puzzle, parse_answer(answer.replace(BLANK, filler), puzzle.cells))
    blank = np.array([character == BLANK for character in answer])
    complete = not blank.any()
    untouched = bool((blank | (rules.domain.sum(-1) == 1)).all())
    definite = broken = rules.violations(states)
    if not complete:
        definite = rules.impossible(np.where(blank, OPEN, states))
        # A digit must be written down, but a cell without a mark is an answer of its own.
        broken = rules.violations(states) if task.marks else []
    in_words = partial(words.broken, task, puzzle)
    certain = {_place(one) for one in definite}
    readable = complete or task.marks
    terms = rules_energy(rules, states[None], task.settings)[0] if readable else None
    return schema.Verdict(
        complete=complete,
        possible=not definite and (not untouched or has_candidates(rules)),
        certified=readable and not broken,
        violations=violations_json(definite, in_words),
        unfinished=violations_json([one for one in broken if _place(one) not in certain], in_words),
        certificate=certificate(rules, broken) if readable else [],
        energy=None if terms is None else float(terms.total),
        terms={} if terms is None else term_values(terms),
        cost=cost_of(rules, states) if readable else None,
    )


def cost_of(rules: Rules, states: np.ndarray) -> float | None:
    """What an answer's broken preferences cost; None where there are none to break."""
    return float(rules.costs(states)) if rules.preferences else None


def has_candidates(rules: Rules) -> bool:
    """Whether propagation leaves every cell something: false means that the clues contradict
    each other."""
    return bool(prune(rules, rules.domain[None]).any())


def certificate(
    rules: Rules, broken: Sequence[Violation | schema.Violation]
) -> list[schema.RuleCheck]:
    """Every rule with the number of places where it was checked; nothing broken certifies."""
    places = {rules.printed: len(rules.domain)}
    for factor in rules.factors:
        places[factor.name] = places.get(factor.name, 0) + len(factor.scopes)
    for potential in rules.potentials:
        places[potential.name] = places.get(potential.name, 0) + 1
    count = dict.fromkeys(places, 0)
    for violation in broken:
        count[violation.rule] += len(violation.cells) if violation.rule == rules.printed else 1
    return [
        schema.RuleCheck(rule=rule, places=number, broken=count[rule])
        for rule, number in places.items()
    ]


def violations_json(
    violations: Sequence[Violation], in_words: Callable[[Violation], str]
) -> list[schema.Violation]:
    return [
        schema.Violation(rule=one.rule, cells=list(one.cells), clue=one.clue, words=in_words(one))
        for one in violations
    ]


def _place(violation: Violation) -> tuple[str, tuple[int, ...]]:
    """The rule and where it is broken."""
    return violation.rule, violation.scope


def term_values(terms: EnergyTerms) -> dict[str, float]:
    """One candidate's energy, rule by rule."""
    return {name: float(value) for name, value in terms.by_rule().items()}
