"""Why printed clues leave no answer: the rule and the cells to look at, in a person's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from erm.rulebook.factor import Factor
from erm.rulebook.permanent import Permutations
from erm.rulebook.propagate import prune
from erm.rulebook.rules import Rules
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
    """Of a puzzle whose clues the rules refute: the first rule that fails by itself, the
    one that fails after the others have spoken, or what the only board that is left breaks."""
    rules = problem.rules
    found = _empty_cell(problem) or _dead_scope(problem) or _emptied(problem)
    if found is not None:
        return found
    if problem.pruned.any():
        broken = rules.violations(problem.pruned.argmax(-1))[0]
        where = _where(problem, broken.cells)
        return Contradiction(
            broken.rule, broken.cells, f"the only board that is left breaks “{broken.rule}”{where}"
        )
    return Contradiction("rules", (), "the rules together leave no answer")


def _empty_cell(problem: Problem) -> Contradiction | None:
    empty = np.flatnonzero(~problem.rules.domain.any(-1))
    if not len(empty):
        return None
    cells = tuple(empty.tolist())
    sentence = f"“{problem.rules.printed}” leaves nothing{_where(problem, cells)}"
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
        sentence = f"the rule “{factor.name}” cannot be kept{_where(problem, named)}"
    return Contradiction(factor.name, named, sentence)


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


def _at_its_end(problem: Problem, rule: str, domain: Bool[np.ndarray, "n S"]) -> Contradiction:
    """The rule that has no answer left, with what it would break on the board as it is settled."""
    settled = domain.sum(-1) == 1
    broken = [
        one.cells
        for one in problem.rules.violations(domain.argmax(-1))
        if one.rule == rule and settled[list(one.cells)].all()
    ]
    cells = broken[0] if broken else ()
    return Contradiction(rule, cells, f"the rule “{rule}” cannot be kept{_where(problem, cells)}")


def _where(problem: Problem, cells: Sequence[int]) -> str:
    if not cells:
        return ""
    width = problem.puzzle.width
    shown = [f"r{cell // width + 1}c{cell % width + 1}" for cell in cells[:SHOWN]]
    more = f" and {len(cells) - SHOWN} more" if len(cells) > SHOWN else ""
    return f" at {', '.join(shown)}{more}"
