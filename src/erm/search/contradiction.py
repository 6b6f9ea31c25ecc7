"""Why printed clues leave no answer: the rule and the cells to look at, in a person's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from erm.rulebook.factor import Factor
from erm.rulebook.permanent import Permutations
from erm.rulebook.rules import Violation
from erm.search.problem import Problem

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
SHOWN = 6
"""Cells that a sentence names."""


@dataclass(frozen=True)
class Contradiction:
    """What no answer can satisfy, and how one says so."""

    rule: str
    cells: tuple[int, ...]
    sentence: str


def contradiction_of(problem: Problem) -> Contradiction:
    """Of a puzzle whose clues the rules refute: the first rule that fails by itself, the place
    where it leaves a cell without any state, or what the only board that is left breaks."""
    rules = problem.rules
    found = _empty_cell(problem) or _dead_scope(problem) or _emptied(problem)
    if found is not None:
        return found
    if problem.pruned.any():
        broken = rules.violations(problem.pruned.argmax(-1))[0]
        where = _where(problem, broken.cells)
        return Contradiction(
            broken.rule, broken.cells, f"the only board that is left breaks {broken.rule}{where}"
        )
    return Contradiction("rules", (), "the rules together leave no answer")


def _empty_cell(problem: Problem) -> Contradiction | None:
    empty = np.flatnonzero(~problem.rules.domain.any(-1))
    if not len(empty):
        return None
    cells = tuple(empty.tolist())
    sentence = f"{problem.rules.printed} leaves nothing{_where(problem, cells)}"
    return Contradiction(problem.rules.printed, cells, sentence)


def _dead_scope(problem: Problem) -> Contradiction | None:
    """A rule that cannot be kept in one place, whatever the open cells become."""
    rules = problem.rules
    for factor in rules.factors:
        local = rules.domain[factor.scopes]
        alive = factor.memory.supported(local[None])[0].any(-1).all(-1)
        for place in np.flatnonzero(~alive):
            scope = factor.scopes[place]
            culprits = scope[_culprits(factor, local[place])]
            return _in_words(problem, factor, int(place), culprits)
    return None


def _culprits(factor: Factor, local: Bool[np.ndarray, "s S"]) -> Bool[np.ndarray, " s"]:
    """As few settled cells of a scope as already rule every pattern out."""
    kept = local.sum(-1) == 1
    for cell in np.flatnonzero(kept):
        relaxed = local.copy()
        relaxed[~kept] = True
        relaxed[cell] = True
        if not factor.memory.supported(relaxed[None, None])[0, 0].any(-1).all():
            kept[cell] = False
    return kept if kept.any() else np.ones(len(local), bool)


def _in_words(
    problem: Problem, factor: Factor, place: int, cells: Int[np.ndarray, " c"]
) -> Contradiction:
    states = problem.rules.domain[cells].argmax(-1) + problem.task.first_state
    named = tuple(cells.tolist())
    alike = len(cells) > 1 and len(set(states.tolist())) == 1
    if isinstance(factor.memory, Permutations) and alike:
        count = NUMBERS[len(cells)] if len(cells) < len(NUMBERS) else str(len(cells))
        sentence = f"{count} {states[0]}s in {factor.name} {place + 1}"
    else:
        sentence = f"{factor.name} cannot be kept{_where(problem, named)}"
    return Contradiction(factor.name, named, sentence)


def _emptied(problem: Problem) -> Contradiction | None:
    """The rule that, one after the other, first leaves a cell without any state."""
    rules = problem.rules
    domain = rules.domain[None]
    while True:
        before = domain
        for rule in (*rules.factors, *rules.potentials):
            after = rule.prune(domain)
            empty = np.flatnonzero(~after[0].any(-1))
            if len(empty):
                # A rule that refutes the whole board points at no cell of it.
                cells = () if len(empty) == len(rules.domain) else tuple(empty.tolist())
                sentence = f"{rule.name} leaves nothing{_where(problem, cells)}"
                return Contradiction(rule.name, cells, sentence)
            domain = after
        if (domain == before).all():
            return None


def _where(problem: Problem, cells: Sequence[int]) -> str:
    if not cells:
        return ""
    width = problem.puzzle.width
    shown = [f"r{cell // width + 1}c{cell % width + 1}" for cell in cells[:SHOWN]]
    more = f" and {len(cells) - SHOWN} more" if len(cells) > SHOWN else ""
    return f" at {', '.join(shown)}{more}"


def as_violation(contradiction: Contradiction) -> Violation:
    return Violation(contradiction.rule, contradiction.cells)
