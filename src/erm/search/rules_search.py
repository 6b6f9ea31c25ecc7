"""The rules' part of a search: answers without a network, and proofs that there are no others."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

from erm.rulebook.complete import CompleteSearch, complete_search
from erm.rulebook.optimum import Optimum
from erm.search.contradiction import Contradiction, contradiction_of
from erm.search.problem import Problem

States = Int[np.ndarray, " n"]


class RulesSearch:
    """A complete search for two different answers; it can be left and taken up again."""

    bound: float | None = None
    """No answer costs less, where answers have prices."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.answers: list[States] = []
        """Different answers, at most two."""
        self._search = complete_search(problem.rules, problem.pruned)
        self._empty = not problem.pruned.any()

    @property
    def nodes(self) -> int:
        """Guesses made."""
        return self._search.nodes

    @property
    def exhausted(self) -> bool:
        """Whether it is proved that `answers` are all there are."""
        return self._empty or self._search.exhausted

    @property
    def proved(self) -> bool:
        """Whether it is proved how many answers there are: none, one, or more."""
        return self.exhausted or len(self.answers) > 1

    @property
    def contradiction(self) -> Contradiction | None:
        """Which clues contradict each other, where that needs no guess."""
        if self.answers or not self.exhausted or self.nodes:
            return None
        return contradiction_of(self.problem)

    def step(self, nodes: int) -> None:
        """Search for a moment, by at most so many guesses."""
        found = None if self.exhausted else self._search.go_on(nodes)
        if found is not None:
            self.note(found)

    def note(self, states: States) -> None:
        """Keep an answer that breaks no rule, whatever found it."""
        if any((states == known).all() for known in self.answers):
            return
        self.answers.append(states.copy())
        if isinstance(self._search, CompleteSearch) and not self.exhausted:
            self._search.keep_away_from(self.answers[0])


class CheapestSearch:
    """The same for tasks with prices: the cheapest answer, by branch and bound."""

    contradiction: Contradiction | None = None

    def __init__(self, problem: Problem) -> None:
        self._optimum = Optimum(problem.rules, problem.pruned)

    @property
    def answers(self) -> list[States]:
        """The best so far."""
        return [] if self._optimum.best is None else [self._optimum.best]

    @property
    def nodes(self) -> int:
        """Branches that were looked at."""
        return self._optimum.branches

    @property
    def exhausted(self) -> bool:
        """Whether it is proved that no answer is cheaper than the best."""
        return self._optimum.exhausted

    proved = exhausted

    @property
    def bound(self) -> float:
        """No answer costs less."""
        return self._optimum.bound

    def step(self, nodes: int) -> None:
        """Look at one branch."""
        if not self.exhausted:
            self._optimum.step()

    def note(self, states: States) -> None:
        """Keep an answer that breaks no rule, whatever found it."""
        self._optimum.note(states)
