"""Complete search by the rules alone: all answers of a puzzle, or the proof that there are none."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from erm.rulebook.compiling import clock
from erm.rulebook.propagate import prune, tally
from erm.rulebook.propagation.search import ANSWER, DEPTH, EXHAUSTED, NODES, go_on, start
from erm.rulebook.rules import Rules

Poll = Callable[[], None]
"""Called again and again inside long work, which what it raises ends."""
FAR = 1 << 60
FIRST_SLICE = 64
"""Tried states before the first look at the clock."""
PACE = 0.05
"""Seconds between two looks at the clock, about: nothing interrupts compiled code."""


@dataclass(frozen=True, eq=False)
class Enumeration:
    """The answers that a search found."""

    answers: Int[np.ndarray, "k n"]
    """States that count from 0, as `Rules` has them."""
    exhausted: bool
    """Whether there are no others: none at all is then a proof, and one is unique."""
    nodes: int
    """Guesses made."""


def enumerate_answers(
    rules: Rules,
    limit: int = 2,
    nodes: int | None = None,
    seconds: float | None = None,
    domain: Bool[np.ndarray, "n S"] | None = None,
    rng: np.random.Generator | None = None,
    look: Poll | None = None,
) -> Enumeration:
    """Up to `limit` answers, exactly: each is checked against every rule.

    The search ends early after so many nodes or seconds, and then says `exhausted=False`. With a
    domain only answers within it are looked for, with an `rng` in random order.
    """
    until = None if seconds is None else clock() + seconds
    search = complete_search(rules, domain, rng)
    answers: list[np.ndarray] = []
    while len(answers) < limit and not search.exhausted:
        if search.nodes >= (FAR if nodes is None else nodes):
            break
        if look is not None:
            look()
        found = search.go_on(FAR if nodes is None else nodes - search.nodes)
        if found is not None:
            answers.append(found)
        elif until is not None and clock() > until:
            break
    found = np.array(answers, np.int64).reshape(-1, len(rules.domain))
    return Enumeration(found, search.exhausted, search.nodes)


class CompleteSearch:
    """A search in depth that can be left at any time and taken up again; nothing is forgotten, so
    that a search which is exhausted is a proof."""

    def __init__(
        self,
        rules: Rules,
        domain: Bool[np.ndarray, "n S"],
        rng: np.random.Generator | None = None,
    ) -> None:
        self.rules = rules
        self.nodes = 0
        """Guesses made."""
        self.exhausted = False
        self._program, _ = rules.pruning
        self._work, self._search = start(self._program, np.ascontiguousarray(domain))
        self._slice = FIRST_SLICE
        if rng is not None:
            self._search.scores[:] = 1 + rng.permutation(len(domain))
            self._search.first[:] = rng.integers(self._program.states, size=len(domain))

    @property
    def domain(self) -> Bool[np.ndarray, "n S"]:
        """What is left in the branch at hand."""
        return self._work.masks[:, None] >> np.arange(self._program.states) & 1 == 1

    def keep_away_from(self, answer: Int[np.ndarray, " n"]) -> None:
        """Its states come last from now on: another answer is looked for."""
        self._search.first[:] = (answer + 1) % self._program.states

    def go_on(self, nodes: int = FAR) -> Int[np.ndarray, " n"] | None:
        """Search for a moment, by at most so many guesses; the next answer, if one is found."""
        began, counted, program = clock(), time.perf_counter(), self._program
        before = self.nodes
        why = go_on(program, self._work, self._search, nodes, self._slice, program.states == 2)
        spent = clock() - began
        if spent < PACE / 2:
            self._slice = min(2 * self._slice, FAR)
        elif spent > 2 * PACE:
            self._slice = max(self._slice // 2, 1)
        self.nodes = int(self._search.at[NODES])
        tally.add(self.nodes - before, counted)
        # An answer that rests on no guess is the last one.
        rests = why == ANSWER and self._search.at[DEPTH] == 0
        self.exhausted = why == EXHAUSTED or bool(rests)
        return self._checked(np.log2(self._work.masks).astype(np.int64)) if why == ANSWER else None

    def _checked(self, states: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"] | None:
        return states if self.rules.is_valid(states[None])[0] else None


class PlainSearch:
    """The same for rulebooks with rules that only Python knows."""

    def __init__(
        self,
        rules: Rules,
        domain: Bool[np.ndarray, "n S"],
        rng: np.random.Generator | None = None,
    ) -> None:
        self.rules = rules
        self.nodes = 0
        self._branches = [domain]
        self._rng = rng

    @property
    def exhausted(self) -> bool:
        return not self._branches

    def go_on(self, nodes: int = FAR) -> Int[np.ndarray, " n"] | None:
        """Look at one branch; the next answer, if it is one."""
        (domain,) = prune(self.rules, self._branches.pop()[None])
        counts = domain.sum(1)
        if not counts.all():
            return None
        if (counts == 1).all():
            states = domain.argmax(1)
            return states if self.rules.is_valid(states[None])[0] else None
        self.nodes += 1
        fewest = np.flatnonzero(counts == counts[counts > 1].min())
        cell = int(fewest[0] if self._rng is None else self._rng.choice(fewest))
        left = np.flatnonzero(domain[cell])
        state = left[0] if self._rng is None else self._rng.choice(left)
        chosen, other = domain.copy(), domain.copy()
        chosen[cell] = np.arange(domain.shape[1]) == state
        other[cell] &= ~chosen[cell]
        self._branches += [other, chosen]
        return None


def complete_search(
    rules: Rules,
    domain: Bool[np.ndarray, "n S"] | None = None,
    rng: np.random.Generator | None = None,
) -> CompleteSearch | PlainSearch:
    """A search within a domain, by compiled kernels where all rules are."""
    domain = rules.domain if domain is None else domain & rules.domain
    return (CompleteSearch if rules.compiled else PlainSearch)(rules, domain, rng)
