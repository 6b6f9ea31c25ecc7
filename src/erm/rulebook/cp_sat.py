"""The rules and prices of one puzzle as a model of OR-Tools CP-SAT, solved in a thread.

A cell has one Boolean for each state. Counts, permutations and listed patterns are constraints of
the model. Global potentials, such as connectivity, are not: an answer that breaks one is excluded
by a clause, the fewest of its cells that pruning refutes, and the solver starts again.
"""

from __future__ import annotations

import threading
import time
from itertools import product
from math import ceil
from queue import SimpleQueue
from typing import Any

import numpy as np
from jaxtyping import Bool, Int

from erm.errors import InputError, install_command
from erm.rulebook.among import Among
from erm.rulebook.counting import Between
from erm.rulebook.factor import Factor
from erm.rulebook.memory import Enumerated
from erm.rulebook.permanent import Permutations
from erm.rulebook.preference import Preference
from erm.rulebook.propagate import prune
from erm.rulebook.rules import Rules

IDLE = 5.0
"""Seconds without a `go_on` after which the solver stops."""
PRECISION = 1 << 52
"""The largest objective where prices are no whole numbers."""


def library() -> Any:
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise InputError(
            f"the cheapest answer needs OR-Tools: {install_command('optimum')}"
        ) from None
    return cp_model


class Model:
    """Variables, constraints and the objective, whose coefficients are whole numbers."""

    def __init__(self, rules: Rules, root: Bool[np.ndarray, "n S"]) -> None:
        self.rules, self.root = rules, root
        self.cp = library().CpModel()
        never = self.cp.new_constant(0)
        self.x = [
            [self.cp.new_bool_var("") if allowed else never for allowed in row]
            for row in root.tolist()
        ]
        self._integers: dict[int, Any] = {}
        self._costs: list[tuple[Any, int, float]] = []
        for row in self.x:
            self.cp.add_exactly_one(row)
        for factor in (*rules.factors, *rules.preferences):
            self._add(factor)
        whole = all(price == int(price) for _, _, price in self._costs)
        most = sum(high * price for _, high, price in self._costs)
        self.scale = 1 if whole else PRECISION // max(1, ceil(most))
        # Rounded down, so that the solver's bound holds for the prices themselves.
        self.objective = sum(int(price * self.scale) * var for var, _, price in self._costs)
        self.cp.minimize(self.objective)

    def forbid(self, states: Int[np.ndarray, " n"]) -> None:
        """Exclude an answer that breaks a rule, and others for the same reason."""
        cells = np.flatnonzero(self._reason(states)).tolist()
        self.cp.add_bool_or([~self.x[cell][states[cell]] for cell in cells])

    def _reason(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """Few cells whose states leave no answer; all where pruning cannot tell."""
        count = len(states)
        chosen = np.arange(self.root.shape[1]) == states[:, None]

        def refuted(kept: Bool[np.ndarray, " n"]) -> bool:
            domain = np.where(kept[:, None], chosen, self.root)
            return not prune(self.rules, domain[None]).any()

        kept, size = np.ones(count, bool), count
        while size and refuted(kept):
            for start in range(0, count, size):
                fewer = kept.copy()
                fewer[start : start + size] = False
                if (fewer != kept).any() and refuted(fewer):
                    kept = fewer
            size //= 2
        return kept

    def _add(self, factor: Factor) -> None:
        memory = factor.memory
        prices = factor.prices.tolist() if isinstance(factor, Preference) else None
        for place, scope in enumerate(factor.scopes.tolist()):
            price = None if prices is None else prices[place]
            if price == 0:
                continue
            if isinstance(memory, Between):
                self._count([self.x[cell][1] for cell in scope], memory, price)
            elif isinstance(memory, Among):
                counted = [self.x[cell][state] for cell, state in product(scope, memory.of)]
                self._count(counted, memory.count, price)
            elif isinstance(memory, Permutations):
                self._permutation(scope, price)
            elif isinstance(memory, Enumerated) or price is not None:
                self._listed(scope, memory.patterns(), price)

    def _count(self, counted: list[Any], count: Between, price: float | None) -> None:
        if not count.possible:
            if price is None:
                self.cp.add_bool_or([])
            return
        slack = 0 if price is None else self._priced(count.size, price)
        self.cp.add(sum(counted) - slack <= count.high)
        self.cp.add(sum(counted) + slack >= count.low)

    def _permutation(self, scope: list[int], price: float | None) -> None:
        for state in range(self.root.shape[1]):
            cells = [self.x[cell][state] for cell in scope]
            if price is None:
                self.cp.add_exactly_one(cells)
            else:
                self.cp.add_bool_or([*cells, self._priced(1, price)])

    def _listed(
        self, scope: list[int], patterns: Int[np.ndarray, "m s"], price: float | None
    ) -> None:
        if len(scope) == 1 and len(patterns):
            allowed = [self.x[scope[0]][state] for state in patterns[:, 0].tolist()]
            slack = [] if price is None else [self._priced(1, price)]
            self.cp.add_bool_or([*allowed, *slack])
        elif price is None and len(scope) == 2:
            # A state of one cell needs one of the states that fit it; clauses relax better.
            for (here, there), own in ((scope, patterns), (scope[::-1], patterns[:, ::-1])):
                for state, variable in enumerate(self.x[here]):
                    fitting = own[own[:, 0] == state, 1].tolist()
                    self.cp.add_bool_or([~variable, *(self.x[there][one] for one in fitting)])
        elif price is None:
            integers = [self._integer(cell) for cell in scope]
            self.cp.add_allowed_assignments(integers, patterns.tolist())
        elif len(patterns):
            # The price of each cell that differs from the nearest pattern.
            nearest = [self.cp.new_bool_var("") for _ in patterns]
            self.cp.add_exactly_one(nearest)
            for place, cell in enumerate(scope):
                differs = self._priced(1, price)
                for one, state in zip(nearest, patterns[:, place].tolist(), strict=True):
                    self.cp.add_bool_or([~one, self.x[cell][state], differs])

    def _priced(self, high: int, price: float) -> Any:
        variable = self.cp.new_int_var(0, high, "")
        self._costs.append((variable, high, price))
        return variable

    def _integer(self, cell: int) -> Any:
        """The state of a cell as a number."""
        if cell not in self._integers:
            states = self.root.shape[1]
            number = self.cp.new_int_var(0, states - 1, "")
            self.cp.add(number == sum(state * self.x[cell][state] for state in range(states)))
            self._integers[cell] = number
        return self._integers[cell]


class Search:
    """The solver in a thread; `news` are answers, bounds, and at last None for the proof."""

    def __init__(self, rules: Rules, root: Bool[np.ndarray, "n S"]) -> None:
        self.model = Model(rules, root)
        self.news: SimpleQueue[Int[np.ndarray, " n"] | float | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._solver: Any = None
        self._wanted = 0.0

    def go_on(self) -> None:
        """Start the solver where it does not run, and keep it running for `IDLE` seconds."""
        self._wanted = time.monotonic()
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="CP-SAT", daemon=True)
            self._thread.start()
            threading.Thread(target=self._watch, args=(self._thread,), daemon=True).start()

    def stop(self) -> None:
        self._wanted = 0.0
        if self._solver is not None:
            self._solver.stop_search()

    def _watch(self, thread: threading.Thread) -> None:
        """The solver has no reader any more where the search around it ended."""
        while thread.is_alive():
            thread.join(1.0)
            if time.monotonic() - self._wanted > IDLE:
                self.stop()

    def _run(self) -> None:
        cp_model = library()
        while self._wanted:
            seen = _watcher(cp_model, self.model, self.news)
            self._solver = solver = cp_model.CpSolver()
            solver.parameters.num_workers = 1
            solver.parameters.linearization_level = 2
            solver.parameters.catch_sigint_signal = False
            solver.best_bound_callback = lambda bound: self.news.put(bound / self.model.scale)
            status = solver.solve(self.model.cp, seen)
            if seen.least is not None:
                self.model.cp.add(self.model.objective <= seen.least - 1)
            if seen.invalid is not None:
                self.model.forbid(seen.invalid)
            elif status in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
                self.news.put(None)
                return


def _watcher(cp_model: Any, model: Model, news: SimpleQueue) -> Any:
    class Watcher(cp_model.CpSolverSolutionCallback):
        """Passes valid answers on; stops the solver at one that breaks a rule."""

        least: int | None = None
        invalid: Int[np.ndarray, " n"] | None = None

        def on_solution_callback(self) -> None:
            states = np.array([[self.value(one) for one in row] for row in model.x]).argmax(-1)
            if model.rules.is_valid(states[None])[0]:
                self.least = round(self.objective_value)
                news.put(states)
            else:
                self.invalid = states
                self.stop_search()

    return Watcher()
