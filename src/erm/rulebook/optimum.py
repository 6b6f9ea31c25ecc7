"""The cheapest answer by branch and bound: rules prune, a linear program says what is worth it."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count
from math import ceil, inf, isinf

import numpy as np
from jaxtyping import Bool, Float, Int, UInt8

from erm.rulebook.propagate import prune
from erm.rulebook.relaxation import Relaxation
from erm.rulebook.rules import Rules

TOLERANCE = 1e-6
"""Costs closer than this are equal."""
WHOLE = 1 - 1e-6
"""A share from which on a mixture has decided for a state."""
ROUND_EVERY = 8
"""Branches between two attempts to round a mixture to an answer, once there is one."""


@dataclass(order=True)
class _Branch:
    """A part of what is left to look at; those with the lowest bound come first."""

    key: tuple[float, int]
    bound: float = field(compare=False)
    bits: UInt8[np.ndarray, " bytes"] = field(compare=False)


@dataclass(eq=False)
class Optimum:
    """The best answer so far, and what no answer can undercut: `step` until `exhausted`.

    Every answer is checked against every rule. Before there is one, branches are looked at depth
    first; afterwards the one with the lowest bound is, so that the proof advances.
    """

    rules: Rules
    root: Bool[np.ndarray, "n S"]
    """What is allowed to begin with."""
    best: Int[np.ndarray, " n"] | None = None
    """States that count from 0."""
    cost: float = inf
    branches: int = 0
    """Branches that were looked at."""
    _open: list[_Branch] = field(default_factory=list)
    _ahead: tuple[Bool[np.ndarray, "n S"], float] | None = None
    _numbers: count = field(default_factory=count)

    def __post_init__(self) -> None:
        self._relaxation = Relaxation(self.rules)
        prices = [preference.prices for preference in self.rules.preferences]
        self._whole = all((price == price.round()).all() for price in prices)
        self._ahead = self.root, 0.0

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left to look at: the best answer is optimal, or there is none."""
        return self._ahead is None and not self._open

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no answer costs less."""
        return self.best is not None and self.exhausted

    @property
    def bound(self) -> float:
        """No answer costs less than this; infinite where there is none."""
        waiting = [branch.bound for branch in self._open]
        if self._ahead is not None:
            waiting.append(self._ahead[1])
        return min([self.cost, *waiting])

    def note(self, states: Int[np.ndarray, " n"]) -> bool:
        """An answer that breaks no rule, whoever found it; whether it is better than the best."""
        cost = float(self.rules.costs(states))
        if cost >= self.cost - TOLERANCE:
            return False
        self.best, self.cost = states.copy(), cost
        self._open = [branch for branch in self._open if self._worthwhile(branch.bound)]
        heapq.heapify(self._open)
        return True

    def step(self) -> None:
        """Look at one branch: prune, bound, round, split."""
        domain, bound = self._take()
        self.branches += 1
        self._ahead = None
        if not self._worthwhile(bound):
            return
        domain = prune(self.rules, domain[None])[0]
        while domain.any():
            if (domain.sum(-1) == 1).all():
                self._settle(domain.argmax(-1))
                return
            relaxed = self._relaxation.solve(domain)
            if relaxed is None:
                return
            bound = max(bound, self._rounded_up(relaxed.bound))
            if not self._worthwhile(bound):
                return
            left = domain
            if not isinf(self.cost):
                left = domain & (relaxed.bound + relaxed.charges < self._cutoff)
            if (left == domain).all():
                self._split(domain, bound, relaxed.shares)
                return
            # What would cost as much as the best answer goes, and perhaps more with it.
            domain = prune(self.rules, left[None])[0]

    def _take(self) -> tuple[Bool[np.ndarray, "n S"], float]:
        if self._ahead is not None:
            return self._ahead
        branch = heapq.heappop(self._open)
        bits = np.unpackbits(branch.bits, count=self.root.size).astype(bool)
        return bits.reshape(self.root.shape), branch.bound

    def _leave(self, domain: Bool[np.ndarray, "n S"], bound: float) -> None:
        number = next(self._numbers)
        key = (bound, -number) if self.best is not None else (0.0, -number)
        heapq.heappush(self._open, _Branch(key, bound, np.packbits(domain)))

    def _split(
        self, domain: Bool[np.ndarray, "n S"], bound: float, shares: Float[np.ndarray, "n S"]
    ) -> None:
        """Go on with the likeliest state of the cell that is least decided; the rest waits."""
        largest = np.where(domain, shares, -1.0).max(-1)
        if self.best is None or self.branches % ROUND_EVERY == 0 or (largest >= WHOLE).all():
            first = self.best is None
            self._round(domain, shares)
            if first and self.best is not None:
                self._sort_by_bound()
            if not self._worthwhile(bound):
                return
        open_cells = domain.sum(-1) > 1
        cell = int(np.where(open_cells, largest, inf).argmin())
        chosen, other = domain.copy(), domain.copy()
        state = int(np.where(domain[cell], shares[cell], -1.0).argmax())
        chosen[cell] = np.arange(domain.shape[1]) == state
        other[cell, state] = False
        self._leave(other, bound)
        self._ahead = chosen, bound

    def _round(self, domain: Bool[np.ndarray, "n S"], shares: Float[np.ndarray, "n S"]) -> None:
        """Settle cell after cell, the most decided first, as long as the rules leave something."""
        order = np.argsort(-np.where(domain, shares, -1.0).max(-1), kind="stable")
        for cell in order.tolist():
            while domain[cell].sum() > 1:
                state = int(np.where(domain[cell], shares[cell], -1.0).argmax())
                tried = np.stack([domain, domain])
                tried[0, cell] = np.arange(domain.shape[1]) == state
                tried[1, cell, state] = False
                chosen, other = prune(self.rules, tried)
                domain = chosen if chosen.any() else other
                if not domain.any():
                    return
        self._settle(domain.argmax(-1))

    def _settle(self, states: Int[np.ndarray, " n"]) -> None:
        if self.rules.is_valid(states[None])[0]:
            self.note(states)

    def _sort_by_bound(self) -> None:
        for branch in self._open:
            branch.key = branch.bound, branch.key[1]
        heapq.heapify(self._open)

    @property
    def _cutoff(self) -> float:
        """A branch is of use only where its bound is below this."""
        return self.cost - 1.0 + TOLERANCE if self._whole else self.cost - TOLERANCE

    def _worthwhile(self, bound: float) -> bool:
        return bound < self._cutoff

    def _rounded_up(self, bound: float) -> float:
        return float(ceil(bound - TOLERANCE)) if self._whole else bound
