"""The tree of guesses on one puzzle: branches that wait, and proofs that nothing is left in one.

A branch is a domain. To expand it, the rulebook prunes and probes; where it is at an end, the
cell with the fewest plausible states is guessed, and both branches, that state and all others, go
on. No branch is ever forgotten, so that a tree with none left is a proof.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from math import inf, log, log1p
from typing import Literal, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, UInt8

from erm.model.marginals import branching_cells
from erm.model.reasoner import Carry
from erm.rulebook.complete import FAR, CompleteSearch
from erm.rulebook.propagate import probe, prune
from erm.rulebook.rules import Rules
from erm.search.deadline import NEVER, Deadline

Order = Literal["likeliest", "newest"]
"""Which branch comes next: by the network's word, or depth first where there is none."""
MOST_THOUGHTS = 256
"""Waiting branches that keep latent states; less probable ones start afresh when taken."""
THOUGHTS_SLACK = 128
"""So many more may keep theirs until the next tidying."""
FIRST_SHARE = 0.25
"""Of all open states, those probed before a puzzle's first guess."""
PROBED_AT_ONCE = 64
"""States that are tried between two looks at the clock, on boards to 9x9 Sudoku's size..."""
PROBED_NUMBERS = 50_000
"""... and so many numbers of all their domains on larger ones."""
LEAST = 1e-9
"""No state of a domain is less likely than this when guesses are chosen."""


@dataclass(frozen=True, eq=False)
class Branch:
    """A part of the tree: what is still allowed there, and the thoughts that led to it."""

    domain: Bool[np.ndarray, "n S"]
    log_probability: float = 0.0
    """That the solution lies here, by the network's value and marginals."""
    carry: Carry | None = None
    """Latent states to go on from; None for a fresh start."""
    spare: bool = False
    """Whether it repeats work that others do, so that no proof waits for it."""


class _Waiting(NamedTuple):
    """A branch at rest, small: eight states a byte."""

    bits: UInt8[np.ndarray, " bytes"]
    log_probability: float
    carry: Carry | None
    spare: bool


class Found(NamedTuple):
    """An answer that the tree ran into, checked against every rule."""

    states: Int[np.ndarray, " n"]
    k: int
    """The candidate that was at it."""


@dataclass(eq=False)
class Tree:
    """The branches of one puzzle, and who works on which."""

    rules: Rules
    root: Bool[np.ndarray, "n S"]
    """What is allowed before any guess; empty where the rules leave nothing."""
    prune: bool = True
    """Rule out what the rulebook refutes by itself; without it, the network's word is all."""
    probes: int = 64
    """Before a guess, so many of the least likely states are tried on the rules, and those that
    they refute are ruled out; before the first guess on a large board, a quarter of all states."""
    order: Order = "likeliest"
    waiting: list[tuple[float, int, _Waiting]] = field(default_factory=list)
    """A heap; the number breaks ties by age."""
    working: dict[int, Branch] = field(default_factory=dict)
    """What each candidate is at, by its k."""
    answers: list[Found] = field(default_factory=list)
    """Different answers, in the order in which they were found."""
    guesses: int = 0
    looked_at: int = 0
    """Branches that the rules alone have looked at, without any network."""
    _numbers: count = field(default_factory=count)
    _owed: int = 0
    _thoughts: int = 0
    _complete: CompleteSearch | None = None
    """The rules' own search in depth, compiled, beside the branches and independent of them."""

    def __post_init__(self) -> None:
        self.leave(Branch(self.root))

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left to look at: `answers` are all there are."""
        if self._complete is not None and self._complete.exhausted:
            return True
        return not self._owed and all(branch.spare for branch in self.working.values())

    @property
    def at_hand(self) -> Bool[np.ndarray, "n S"]:
        """What is allowed where the rules are, or the first candidate."""
        if self._complete is not None:
            return self._complete.domain
        branch = self.working.get(0)
        return self.root if branch is None else branch.domain

    @property
    def best(self) -> float:
        """Log-probability of the best branch that waits."""
        return self.waiting[0][-1].log_probability if self.waiting else -inf

    def leave(self, branch: Branch, k: int = 0) -> None:
        """A branch for whoever is free next; one that is settled the rules decide at once."""
        counts = branch.domain.sum(-1)
        if not counts.all():
            return
        if self.prune and (counts == 1).all():
            self._decide(branch.domain, k)
            return
        number = next(self._numbers)
        key = -branch.log_probability if self.order == "likeliest" else -float(number)
        packed = np.packbits(branch.domain)
        entry = _Waiting(packed, branch.log_probability, branch.carry, branch.spare)
        heapq.heappush(self.waiting, (key, number, entry))
        self._owed += not branch.spare
        self._thoughts += branch.carry is not None
        if self._thoughts > MOST_THOUGHTS + THOUGHTS_SLACK:
            self._forget_thoughts()

    def take(self) -> Branch:
        """The next branch that waits, or the root once more, for nothing but company."""
        if not self.waiting:
            return Branch(self.root, spare=True)
        _, _, entry = heapq.heappop(self.waiting)
        self._owed -= not entry.spare
        self._thoughts -= entry.carry is not None
        bits = np.unpackbits(entry.bits, count=self.root.size).astype(bool)
        domain = bits.reshape(self.root.shape)
        return Branch(domain, entry.log_probability, entry.carry, entry.spare)

    def inherit(self, present: set[int]) -> None:
        """Branches of candidates that are gone, as those of an earlier wave, wait again."""
        for k in [k for k in self.working if k not in present]:
            self.leave(self.working.pop(k), k)

    def note(self, states: Int[np.ndarray, " n"], k: int) -> None:
        """An answer that is known to break no rule."""
        if not any((states == found.states).all() for found in self.answers):
            self.answers.append(Found(states, k))

    def go_on_by_rules(self) -> None:
        """No network is asked. Where every rule is compiled, one search in depth looks at
        everything once more, far faster than what it repeats was, or goes on where it stood;
        the branches stay as they are. Otherwise no network comes back: everything that is open
        waits, to be looked at depth first."""
        self.prune = True
        if self.rules.compiled and not self.exhausted:
            if self._complete is None:
                self._complete = CompleteSearch(self.rules, self.root)
            if self.answers:
                self._complete.keep_away_from(self.answers[0].states)
            return
        self.inherit(set())
        self.order = "newest"
        self.waiting = [
            (-float(number), number, entry._replace(carry=None))
            for _, number, entry in self.waiting
        ]
        heapq.heapify(self.waiting)
        self._thoughts = 0

    def deepen(
        self,
        draw: torch.Generator,
        k: int = 0,
        deadline: Deadline = NEVER,
        guesses: int = FAR,
    ) -> None:
        """Expand one branch by the rules alone, all states being equally likely, or let the
        compiled search go on for a moment, by at most so many guesses.

        Once an answer is known, states that it does not have come first: they lead to another
        answer, or to the proof that there is none.
        """
        if self._complete is not None:
            self._deepen_compiled(self._complete, k, deadline, guesses)
            return
        self.looked_at += 1
        branch = self.working.pop(k, None) or self.take()
        marginals = branch.domain / branch.domain.sum(-1, keepdims=True)
        if self.answers:
            cells = np.arange(len(marginals))
            marginals[cells, self.answers[0].states] *= 0.5
        try:
            ahead = self.expand(branch, marginals.astype(np.float32), 0.0, draw, k, deadline)
        except BaseException:
            # Whatever interrupts, the branch is not lost: nothing is proved without it.
            self.working[k] = branch
            raise
        if ahead is not None:
            self.working[k] = ahead

    def _deepen_compiled(
        self, search: CompleteSearch, k: int, deadline: Deadline, guesses: int
    ) -> None:
        deadline.check()
        before = search.nodes
        answer = search.go_on(guesses)
        self.guesses += search.nodes - before
        self.looked_at += search.nodes - before
        if answer is not None:
            self.note(answer, k)

    def expand(
        self,
        branch: Branch,
        marginals: Float[np.ndarray, "n S"],
        hope: float,
        draw: torch.Generator,
        k: int = 0,
        deadline: Deadline = NEVER,
        thoughts: Callable[[], Carry] | None = None,
    ) -> Branch | None:
        """Where to go on after the next guess; the other branch waits. None: nothing is open here.

        `hope` is the log-probability that the solution lies in this branch.
        """
        share = 0.0 if self.guesses else FIRST_SHARE
        domain = branch.domain
        if self.prune and self.probes:
            domain = self._probe(domain, marginals, share, deadline)
        while domain.any() and (cell := _branching_cell(domain, marginals, draw)) is not None:
            deadline.check()
            allowed = np.maximum(marginals[cell], LEAST) * domain[cell]
            state = int(allowed.argmax())
            chance = float(np.clip(allowed[state] / allowed.sum(), 1e-6, 1 - 1e-6))
            guessed, other = self._split(domain, cell, state)
            settled = self.prune and guessed.any() and (guessed.sum(-1) == 1).all()
            if guessed.any() and not settled:
                self.guesses += 1
                carry = thoughts() if thoughts is not None else None
                self.leave(Branch(other, hope + log1p(-chance), carry, branch.spare), k)
                return Branch(guessed, hope + log(chance), carry, branch.spare)
            if settled and self._decide(guessed, k):
                self.guesses += 1
                self.leave(Branch(other, hope + log1p(-chance), None, branch.spare), k)
                return None
            # The rules refute the guess at sight: the other branch is all that is left.
            domain = other
        if not self.prune:
            return branch  # All is settled, and nobody is asked whether it is an answer.
        if domain.any():
            self._decide(domain, k)
        return None

    def _decide(self, domain: Bool[np.ndarray, "n S"], k: int) -> bool:
        """Whether a domain of one state per cell is an answer."""
        states = domain.argmax(-1)
        valid = bool(self.rules.is_valid(states[None])[0])
        if valid:
            self.note(states, k)
        return valid

    def _split(
        self, domain: Bool[np.ndarray, "n S"], cell: int, state: int
    ) -> Bool[np.ndarray, "2 n S"]:
        """The domain with the cell in that state, and without; all empty where nothing is left."""
        both = np.stack([domain, domain])
        both[0, cell] = False
        both[0, cell, state] = True
        both[1, cell, state] = False
        if self.prune:
            return prune(self.rules, both)
        both[1] &= both[1].any(-1).all()
        return both

    def _probe(
        self,
        domain: Bool[np.ndarray, "n S"],
        marginals: Float[np.ndarray, "n S"],
        share: float,
        deadline: Deadline,
    ) -> Bool[np.ndarray, "n S"]:
        """The domain without unlikely states that the rules refute, each tried by itself."""
        while True:
            open_states = domain & (domain.sum(-1, keepdims=True) > 1)
            cells, states = np.nonzero(open_states)
            tried = min(max(self.probes, int(share * len(cells))), len(cells))
            least = np.argsort(marginals[cells, states], kind="stable")[:tried]
            refuted = False
            size = max(1, min(PROBED_AT_ONCE, PROBED_NUMBERS // domain.size))
            for first in range(0, tried, size):
                deadline.check()
                chosen = least[first : first + size]
                chosen = chosen[domain[cells[chosen], states[chosen]]]
                if not len(chosen):
                    continue
                rest = probe(
                    self.rules,
                    torch.from_numpy(domain),
                    torch.from_numpy(cells[chosen]),
                    torch.from_numpy(states[chosen]),
                )
                if rest is None:
                    continue
                refuted, domain = True, rest.numpy()
                if not domain.any():
                    return domain
            if not refuted:
                return domain

    def _forget_thoughts(self) -> None:
        """Latent states of the least probable branches go; the branches themselves stay."""
        self.waiting.sort()
        kept = 0
        for place, (key, number, entry) in enumerate(self.waiting):
            kept += entry.carry is not None
            if kept > MOST_THOUGHTS and entry.carry is not None:
                self.waiting[place] = key, number, entry._replace(carry=None)
        self._thoughts = min(kept, MOST_THOUGHTS)


def _branching_cell(
    domain: Bool[np.ndarray, "n S"], marginals: Float[np.ndarray, "n S"], draw: torch.Generator
) -> int | None:
    """Where to guess; None where every cell is settled."""
    chance = torch.rand(len(marginals), generator=draw)
    cells, found = branching_cells(
        torch.from_numpy(marginals)[None], torch.from_numpy(domain)[None], chance[None]
    )
    return int(cells[0]) if found[0] else None
