"""The cheapest answer, found and proved by CP-SAT."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from math import inf
from queue import Empty
from time import monotonic

import numpy as np
from jaxtyping import Bool, Int

from erm.rulebook.cp_sat import Search
from erm.rulebook.rules import Rules

TOLERANCE = 1e-6
"""Costs closer than this are equal."""
WAIT, FIRST_WAIT = 0.05, 1.0
"""Seconds of one step without news; before there is an answer, a short search needs a long one."""


@dataclass(eq=False)
class Optimum:
    """The best answer so far, and a bound on all answers: `step` until `exhausted`.

    Every answer is checked against every rule.
    """

    rules: Rules
    root: Bool[np.ndarray, "n S"]
    """What is allowed to begin with."""
    best: Int[np.ndarray, " n"] | None = None
    """States that count from 0."""
    cost: float = inf
    branches: int = 0
    """Steps so far, the unit of the budget."""
    _lowest: float = 0.0
    _proved: bool = False

    def __post_init__(self) -> None:
        self._search = Search(self.rules, self.root)
        weakref.finalize(self, self._search.stop)

    @property
    def exhausted(self) -> bool:
        """Whether the best answer is optimal, or there is none."""
        return self._proved or self.cost <= self._lowest + TOLERANCE

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no answer costs less."""
        return self.best is not None and self.exhausted

    @property
    def bound(self) -> float:
        """No answer costs less than this; infinite where there is none."""
        return self.cost if self._proved else min(self.cost, self._lowest)

    def note(self, states: Int[np.ndarray, " n"]) -> bool:
        """Keep an answer that breaks no rule; whether it is better than the best."""
        cost = float(self.rules.costs(states))
        if cost >= self.cost - TOLERANCE:
            return False
        self.best, self.cost = states.copy(), cost
        return True

    def step(self) -> None:
        """Wait a moment for the solver's next answer or proof."""
        self.branches += 1
        self._search.go_on()
        until = monotonic() + (FIRST_WAIT if self.best is None else WAIT)
        while (left := until - monotonic()) > 0 and not self.exhausted:
            try:
                news = self._search.news.get(timeout=left)
            except Empty:
                return
            if isinstance(news, np.ndarray):
                self.note(news)
                return
            if news is None:
                self._proved = True
            else:
                self._lowest = max(self._lowest, news)
