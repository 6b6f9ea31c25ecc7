"""What a candidate pool looks like to the page."""

from __future__ import annotations

import math

import numpy as np

from erm.errors import InputError
from erm.rulebook.answers import format_answer
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.select import Choice, Selector, load_selector, selector_names
from erm.web import schema
from erm.web.verdict import term_values

SHOWN = 12
"""Different answers of lowest energy in a frame."""


class Selectors:
    """Every selector that is installed, loaded once: looking them up reads every package."""

    def __init__(self) -> None:
        self._selectors: dict[str, Selector] = {
            name: load_selector(name) for name in selector_names()
        }

    @property
    def names(self) -> list[str]:
        return list(self._selectors)

    def check(self, name: str) -> None:
        if name not in self._selectors:
            raise InputError(f"there is no selector {name!r}; known: {', '.join(self.names)}")

    def choose(self, name: str, pool: CandidatePool) -> Choice:
        self.check(name)
        return self._selectors[name].choose(pool)

    def choices(self, problem: Problem, pool: CandidatePool) -> list[schema.Choice]:
        """What each would answer; those that need what this reasoner has not are left out."""
        found = []
        for name, selector in self._selectors.items():
            if name == "et" and "et" not in pool.scores:
                continue
            choice = selector.choose(pool)
            found.append(
                schema.Choice(
                    selector=name,
                    k=choice.index,
                    answer=format_answer(choice.answer),
                    score=number(choice.score),
                    tied=choice.tied,
                    valid=is_valid(problem, pool, choice),
                )
            )
        return found


def is_valid(problem: Problem, pool: CandidatePool, choice: Choice) -> bool:
    if choice.index is not None:
        return bool(pool.valid[choice.index])
    states = problem.task.to_states(problem.puzzle, choice.answer)
    return bool(problem.rules.is_valid(states[None])[0])


def candidates(pool: CandidatePool, choices: list[schema.Choice]) -> list[schema.Candidate]:
    """Different answers, each by its candidate of lowest energy: first those of lowest energy,
    then those that only a selector likes."""
    order = np.lexsort((np.arange(len(pool)), pool.energy.total))
    answers, first, counts = np.unique(
        pool.answers[order], axis=0, return_index=True, return_counts=True
    )
    liked = {one.answer for one in choices}
    ranked = np.argsort(first)
    shown = [at for n, at in enumerate(ranked) if n < SHOWN or format_answer(answers[at]) in liked]
    return [candidate(pool, int(order[first[at]]), int(counts[at])) for at in shown]


def distinct(pool: CandidatePool) -> int:
    """How many different answers the candidates give."""
    return len(np.unique(pool.answers, axis=0))


def candidate(pool: CandidatePool, k: int, count: int = 1) -> schema.Candidate:
    terms = pool.energy[k]
    return schema.Candidate(
        k=k,
        count=count,
        answer=format_answer(pool.answers[k]),
        valid=bool(pool.valid[k]),
        energy=number(terms.total),
        terms={name: number(value) for name, value in term_values(terms).items()},
        q=number(pool.q[k]),
        confidence=number(pool.confidence[k]),
        residual=number(pool.residual[k]),
        steps=int(pool.steps[k]),
    )


def number(value: float | np.ndarray) -> float | None:
    """A number that JSON can carry."""
    value = float(value)
    return value if math.isfinite(value) else None
