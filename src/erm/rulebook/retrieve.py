"""Advice: the rulebook's answer to a network's marginals, as an input of its next step.

For marginals p each memory's retrieval r = dF/dc at c = -log p is the exact marginal of every cell
under that rule, so log-odds(r) - log-odds(p) is what the rule adds to p. Further channels are the
misfit of each scope, the cells that potentials blame in the decoded answer, and what propagation of
the likely states rules out. The domain stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.rulebook.memory_marginals import memory_marginals, scope_table
from erm.rulebook.potential import Potential
from erm.rulebook.propagate import prune_batch
from erm.rulebook.rules import Rules

LIKELY = 0.05
"""States above this probability, or half of an even share, are likely."""
MOST_LOG_ODDS = 16.0
"""Log-odds, summed over a cell's scopes, are clipped to this."""
SCALE = 0.25
"""Log-odds and nats reach the network at this scale, at which most are around 1."""

RULED_OUT, DECIDED, EMPTY = "ruled out", "decided", "empty"
"""Channels of propagation: the state is ruled out; it is the only one left; no answer is left."""


@dataclass(frozen=True)
class Channels:
    """M numbers for each state of each cell, in the order of `names`."""

    factors: tuple[str, ...]
    """Factors, by name."""
    potentials: tuple[str, ...]
    """Potentials that blame cells of the decoded answer, by name."""
    propagation: bool = False
    """Whether the three channels of propagation come last."""
    preferences: tuple[str, ...] = ()
    """Preferences, by name; their memories answer like those of factors."""

    @cached_property
    def memories(self) -> tuple[str, ...]:
        """Factors and preferences."""
        return self.factors + self.preferences

    @cached_property
    def names(self) -> tuple[str, ...]:
        return (
            *(f"retrieval: {name}" for name in self.memories),
            *(f"misfit: {name}" for name in self.memories),
            *(f"blame: {name}" for name in self.potentials),
            *((RULED_OUT, DECIDED, EMPTY) if self.propagation else ()),
        )

    def __len__(self) -> int:
        return 2 * len(self.memories) + len(self.potentials) + 3 * self.propagation


def channels_of(rulebooks: Sequence[Rules], propagation: bool) -> Channels:
    """The channels of all rules that occur in these rulebooks."""
    factors = {factor.name for rules in rulebooks for factor in rules.factors}
    potentials = {one.name for rules in rulebooks for one in rules.potentials}
    preferences = {one.name for rules in rulebooks for one in rules.preferences}
    names = [tuple(sorted(one)) for one in (factors, potentials, preferences)]
    return Channels(names[0], names[1], propagation, names[2])


def advise(
    rules: Sequence[Rules], marginals: Float[np.ndarray, "B n S"], channels: Channels
) -> Float[np.ndarray, "B n S M"]:
    """The advice of each row's rulebook to its marginals; boards of one size in one call.

    Marginals are 0 outside the domain. Rows do not depend on each other.
    """
    boards, cells, states = marginals.shape
    kinds, blames = len(channels.memories), len(channels.potentials)
    advice = np.zeros((boards, cells, states, len(channels)), np.float32)
    odds = np.zeros((boards, cells, states, kinds), np.float32)
    misfit = np.zeros((boards, cells, kinds), np.float32)
    marginals = np.ascontiguousarray(marginals, np.float32)
    memory_marginals(
        [scope_table(one, channels.memories) for one in rules], marginals, odds, misfit
    )
    advice[..., :kinds] = SCALE * odds.clip(-MOST_LOG_ODDS, MOST_LOG_ODDS)
    advice[..., kinds : 2 * kinds] = SCALE * misfit[:, :, None]
    if blames:
        found = blame(rules, marginals.argmax(-1), channels.potentials)
        advice[..., 2 * kinds : 2 * kinds + blames] = found[:, :, None]
    if channels.propagation:
        advice[..., -3:] = _propagation(rules, marginals)
    return advice


def blame(
    rules: Sequence[Rules], states: Int[np.ndarray, "B n"], names: Sequence[str]
) -> Bool[np.ndarray, "B n P"]:
    """The cells that each potential blames; those of a kind judge all boards in one call."""
    number = {name: place for place, name in enumerate(names)}
    alike: dict[tuple[type[Potential], str], list[tuple[int, Potential]]] = {}
    for row, one in enumerate(rules):
        for potential in one.potentials:
            if potential.name in number:
                alike.setdefault((type(potential), potential.name), []).append((row, potential))
    blamed = np.zeros((*states.shape, len(names)), bool)
    for (kind, name), held in alike.items():
        rows = [row for row, _ in held]
        found = kind.blame_all([potential for _, potential in held], states[rows])
        # A board may hold several potentials of one name.
        np.logical_or.at(blamed[..., number[name]], rows, found)
    return blamed


def _propagation(
    rules: Sequence[Rules], marginals: Float[np.ndarray, "B n S"]
) -> Bool[np.ndarray, "B n S 3"]:
    kept = likely(marginals)
    left = prune_batch(rules, kept)
    empty = ~left.any((1, 2), keepdims=True) & np.ones_like(kept)
    open_cells = kept.sum(-1, keepdims=True) > 1
    decided = left & open_cells & (left.sum(-1, keepdims=True) == 1)
    return np.stack([kept & ~left & ~empty, decided, empty], -1)


def likely(marginals: Float[np.ndarray, "B n S"]) -> Bool[np.ndarray, "B n S"]:
    return marginals > min(LIKELY, 0.5 / marginals.shape[-1])
