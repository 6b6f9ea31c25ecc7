"""A lower bound on what answers cost: a linear program that every answer of a domain satisfies.

Cells take shares of states, x[i, v]. Counts and permutations are linear as they stand, pairs say
which states exclude each other, longer listed patterns become a mixture of themselves. What cannot
be said so, as global potentials, is left out: the bound stays true and gets lower.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import linprog
from scipy.sparse import csr_array

from erm.rulebook.among import Among
from erm.rulebook.counting import Between
from erm.rulebook.factor import Factor
from erm.rulebook.memory import Enumerated
from erm.rulebook.permanent import Permutations
from erm.rulebook.preference import Preference
from erm.rulebook.rules import Rules

MOST_PATTERNS = 256
"""Listed patterns of one scope above which it is left out."""
SOLVED, INFEASIBLE = 0, 2
"""What scipy's `linprog` answers."""


class Relaxed(NamedTuple):
    """What the linear program says about a domain."""

    bound: float
    """No answer within the domain costs less."""
    shares: Float[np.ndarray, "n S"]
    """How much of each state the cheapest mixture takes."""
    charges: Float[np.ndarray, "n S"]
    """By how much the bound rises, at least, for answers with that state."""


@dataclass
class _Table:
    """Rows of a sparse matrix with their right sides, as they are added."""

    rows: list[int]
    columns: list[int]
    values: list[float]
    sides: list[float]

    @classmethod
    def empty(cls) -> _Table:
        return cls([], [], [], [])

    def add(self, terms: dict[int, float], side: float) -> None:
        self.rows += [len(self.sides)] * len(terms)
        self.columns += terms.keys()
        self.values += terms.values()
        self.sides.append(side)

    def matrix(self, width: int) -> csr_array:
        entries = self.values, (self.rows, self.columns)
        return csr_array(entries, shape=(len(self.sides), width))


class Relaxation:
    """The program of one puzzle; a domain closes some of its variables."""

    def __init__(self, rules: Rules) -> None:
        self.cells, self.states = rules.domain.shape
        self._costs = [0.0] * rules.domain.size
        self._limits = [1.0] * rules.domain.size
        most, equal = _Table.empty(), _Table.empty()
        self._most, self._equal = most, equal
        for cell in range(self.cells):
            equal.add({self._x(cell, state): 1.0 for state in range(self.states)}, 1.0)
        for factor in (*rules.factors, *rules.preferences):
            self._state(factor)
        width = len(self._costs)
        self.costs, self.limits = np.array(self._costs), np.array(self._limits)
        self.at_most, self.most = most.matrix(width), np.array(most.sides)
        self.exactly, self.equal = equal.matrix(width), np.array(equal.sides)

    def solve(self, domain: Bool[np.ndarray, "n S"]) -> Relaxed | None:
        """What the cheapest mixture costs; None where there is none, and so no answer."""
        limits = self.limits.copy()
        limits[: domain.size] = domain.ravel()
        found = linprog(
            self.costs,
            self.at_most if len(self.most) else None,
            self.most if len(self.most) else None,
            self.exactly,
            self.equal,
            np.stack([np.zeros_like(limits), limits], 1),
            method="highs",
        )
        if found.status == INFEASIBLE:
            return None
        if found.status != SOLVED:
            even = domain / np.maximum(domain.sum(-1, keepdims=True), 1)
            return Relaxed(0.0, even, np.zeros(domain.shape))
        # Any prices of the rows prove a bound (weak duality), so nothing rests on the solver's
        # own tolerance.
        bound, charges = self.equal @ found.eqlin.marginals, self.costs.copy()
        charges -= self.exactly.T @ found.eqlin.marginals
        if len(self.most):
            prices = np.minimum(found.ineqlin.marginals, 0.0)
            bound += self.most @ prices
            charges -= self.at_most.T @ prices
        bound += np.minimum(charges, 0.0) @ limits
        shape = domain.shape
        shares = found.x[: domain.size].reshape(shape)
        return Relaxed(float(bound), shares, charges[: domain.size].reshape(shape).clip(0.0))

    def _x(self, cell: int, state: int) -> int:
        return cell * self.states + state

    def _column(self, price: float, limit: float) -> int:
        self._costs.append(price)
        self._limits.append(limit)
        return len(self._costs) - 1

    def _state(self, factor: Factor) -> None:
        """All that one factor asks, or what the distance to it costs."""
        memory = factor.memory
        prices = factor.prices.tolist() if isinstance(factor, Preference) else None
        for place, scope in enumerate(factor.scopes.tolist()):
            price = None if prices is None else prices[place]
            if price == 0:
                continue
            if isinstance(memory, Between):
                self._count([self._x(cell, 1) for cell in scope], memory, price)
            elif isinstance(memory, Among):
                counted = [self._x(cell, state) for cell, state in product(scope, memory.of)]
                self._count(counted, memory.count, price)
            elif isinstance(memory, Permutations):
                self._permutation(scope, price)
            elif isinstance(memory, Enumerated) and len(memory.memories):
                self._listed(scope, memory, price)

    def _count(self, columns: list[int], count: Between, price: float | None) -> None:
        if not count.possible:
            return
        slack = {} if price is None else {self._column(price, count.size): -1.0}
        if count.high < count.size:
            self._most.add(dict.fromkeys(columns, 1.0) | slack, count.high)
        if count.low > 0:
            self._most.add(dict.fromkeys(columns, -1.0) | slack, -count.low)

    def _permutation(self, scope: list[int], price: float | None) -> None:
        for state in range(self.states):
            terms = {self._x(cell, state): 1.0 for cell in scope}
            if price is None:
                self._equal.add(terms, 1.0)
            else:
                missing = {column: -1.0 for column in terms}
                self._most.add(missing | {self._column(price, 1.0): -1.0}, -1.0)

    def _listed(self, scope: list[int], memory: Enumerated, price: float | None) -> None:
        if len(scope) == 1:
            allowed = {self._x(scope[0], state): -1.0 for state in memory.memories[:, 0].tolist()}
            slack = {} if price is None else {self._column(price, 1.0): -1.0}
            self._most.add(allowed | slack, -1.0)
        elif len(scope) == 2:
            self._pair(scope, memory, price)
        elif len(memory.memories) <= MOST_PATTERNS:
            self._mixture(scope, memory, price)

    def _pair(self, scope: list[int], memory: Enumerated, price: float | None) -> None:
        """A state of one cell excludes all states of the other that no pattern has beside it."""
        fits = np.zeros((self.states, self.states), bool)
        fits[memory.memories[:, 0], memory.memories[:, 1]] = True
        slack = {} if price is None else {self._column(price, 2.0): -1.0}
        stated: set[frozenset[int]] = set()
        for here, there, table in ((*scope, fits), (*scope[::-1], fits.T)):
            for state in range(self.states):
                excluded = [
                    self._x(there, other) for other in np.flatnonzero(~table[state]).tolist()
                ]
                columns = frozenset([self._x(here, state), *excluded])
                if excluded and columns not in stated:
                    stated.add(columns)
                    self._most.add(dict.fromkeys(columns, 1.0) | slack, 1.0)

    def _mixture(self, scope: list[int], memory: Enumerated, price: float | None) -> None:
        """The scope is a mixture of patterns or, at a price, differs from one."""
        shares = [self._column(0.0, 1.0) for _ in memory.memories]
        self._equal.add(dict.fromkeys(shares, 1.0), 1.0)
        for place, cell in enumerate(scope):
            for state in range(self.states):
                says = np.flatnonzero(memory.memories[:, place] == state).tolist()
                terms = {shares[one]: 1.0 for one in says} | {self._x(cell, state): -1.0}
                if price is None:
                    self._equal.add(terms, 0.0)
                elif len(says):
                    self._most.add(terms | {self._column(price, 1.0): -1.0}, 0.0)
