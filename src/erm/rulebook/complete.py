"""Complete search by the rules alone: all answers of a puzzle, or the proof that there are none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

import numpy as np
from jaxtyping import Bool, Int

from erm.rulebook.propagate import prune
from erm.rulebook.propagation.search import ANSWER, EXHAUSTED, NODES, go_on, start
from erm.rulebook.rules import Rules

FAR = 1 << 60
SLICE = 2_000
"""Tried states between two looks at the clock."""


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
) -> Enumeration:
    """Up to `limit` answers, exactly: each is checked against every rule.

    The search ends early after so many nodes or seconds, and then says `exhausted=False`. With a
    domain only answers within it are looked for, with an `rng` in random order.
    """
    domain = rules.domain if domain is None else domain & rules.domain
    budget = _Budget(nodes, None if seconds is None else monotonic() + seconds)
    filled = _filled_plainly if rules.pruning[1] else _filled
    answers: list[np.ndarray] = []
    exhausted = False
    if limit > 0:
        for states in filled(rules, domain, budget, rng):
            if rules.is_valid(states[None])[0]:
                answers.append(states)
                if len(answers) == limit:
                    break
        else:
            exhausted = not budget.spent
    found = np.array(answers, np.int64).reshape(-1, len(domain))
    return Enumeration(found, exhausted, budget.used)


@dataclass
class _Budget:
    nodes: int | None
    deadline: float | None
    used: int = 0
    spent: bool = False

    @property
    def left(self) -> int:
        return FAR if self.nodes is None else self.nodes - self.used

    def is_over(self) -> bool:
        late = self.deadline is not None and monotonic() > self.deadline
        self.spent = late or self.left <= 0
        return self.spent


def _filled(
    rules: Rules,
    domain: Bool[np.ndarray, "n S"],
    budget: _Budget,
    rng: np.random.Generator | None,
) -> Iterator[Int[np.ndarray, " n"]]:
    """Every way to settle all cells that the compiled rules do not refute."""
    program, _ = rules.pruning
    work, search = start(program, np.ascontiguousarray(domain))
    if rng is not None:
        search.scores[:] = rng.permutation(len(domain))
        search.first[:] = rng.integers(program.states, size=len(domain))
    while True:
        why = go_on(program, work, search, budget.left, SLICE, program.states == 2)
        budget.used = int(search.at[NODES])
        if why == ANSWER:
            yield np.log2(work.masks).astype(np.int64)
        elif why == EXHAUSTED or budget.is_over():
            return


def _filled_plainly(
    rules: Rules,
    domain: Bool[np.ndarray, "n S"],
    budget: _Budget,
    rng: np.random.Generator | None,
) -> Iterator[Int[np.ndarray, " n"]]:
    """The same for rulebooks with rules that only Python knows."""
    branches = [domain]
    while branches:
        (domain,) = prune(rules, branches.pop()[None])
        counts = domain.sum(1)
        if not counts.all():
            continue
        if (counts == 1).all():
            yield domain.argmax(1)
            continue
        if budget.is_over():
            return
        budget.used += 1
        fewest = np.flatnonzero(counts == counts[counts > 1].min())
        cell = int(fewest[0] if rng is None else rng.choice(fewest))
        left = np.flatnonzero(domain[cell])
        state = left[0] if rng is None else rng.choice(left)
        chosen, other = domain.copy(), domain.copy()
        chosen[cell] = np.arange(domain.shape[1]) == state
        other[cell] &= ~chosen[cell]
        branches += [other, chosen]
