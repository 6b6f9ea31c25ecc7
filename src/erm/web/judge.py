"""What the rulebook alone says about an answer, finished or not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Int

from erm.rulebook.answers import parse_answer
from erm.rulebook.energy import EnergyTerms, rules_energy
from erm.rulebook.memory import CLAMPED
from erm.rulebook.rules import Rules, Violation
from erm.search.problem import Problem
from erm.web import schema

BLANK = "."
UNKNOWN = -1


def judge(problem: Problem, answer: str) -> schema.Verdict:
    """Violations of an answer; "." marks cells that are still open."""
    task, puzzle, rules = problem.task, problem.puzzle, problem.rules
    filler = str(task.first_state)
    states = task.to_states(puzzle, parse_answer(answer.replace(BLANK, filler), puzzle.cells))
    blank = np.array([character == BLANK for character in answer])
    complete = not blank.any()
    definite = broken = rules.violations(states)
    if not complete:
        definite = impossible(rules, np.where(blank, UNKNOWN, states))
        # A digit must be written down, but a cell without a mark is an answer of its own.
        broken = rules.violations(states) if task.first_state == 0 else []
    readable = complete or task.first_state == 0
    terms = rules_energy(rules, states[None], task.settings)[0] if readable else None
    return schema.Verdict(
        complete=complete,
        certified=readable and not broken,
        violations=violations_json(definite),
        unfinished=violations_json([one for one in broken if one not in definite]),
        certificate=certificate(rules, broken) if readable else [],
        energy=None if terms is None else float(terms.total),
        terms={} if terms is None else term_values(terms),
    )


def impossible(rules: Rules, states: Int[np.ndarray, " n"]) -> list[Violation]:
    """What is broken however the UNKNOWN cells are filled in: no memory of the scope is left.

    Global rules wait until the board is full.
    """
    known = states != UNKNOWN
    allowed = rules.domain.copy()
    allowed[known] = states[known, None] == np.arange(rules.domain.shape[1])
    off = np.flatnonzero(known & ~rules.in_domain(np.maximum(states, 0)))
    found = [Violation(rules.printed, tuple(off.tolist()))] if len(off) else []
    cost = torch.where(torch.from_numpy(allowed), 0.0, CLAMPED).double()
    for factor in rules.factors:
        # A completion costs nothing, and its free energy is below 0; without one it is CLAMPED.
        hopeless = factor.free_energies(cost[None], 1.0)[0] > CLAMPED / 2
        found += [
            Violation(factor.name, tuple(scope.tolist()))
            for scope in factor.scopes[hopeless.numpy()]
        ]
    return found


def certificate(rules: Rules, broken: Sequence[Violation]) -> list[schema.RuleCheck]:
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


def violations_json(violations: Sequence[Violation]) -> list[schema.Violation]:
    return [schema.Violation(rule=one.rule, cells=list(one.cells)) for one in violations]


def term_values(terms: EnergyTerms) -> dict[str, float]:
    """One candidate's energy, rule by rule."""
    return {
        name: float(value)
        for part in (terms.factors, terms.potentials)
        for name, value in part.items()
    }
