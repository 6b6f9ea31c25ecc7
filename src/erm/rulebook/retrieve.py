"""Advice: what the rulebook answers to a belief, for a network to hear at every step.

For a belief p each memory's retrieval r = dF/dc at c = -log p is the exact marginal of every cell
under that rule, so log-odds(r) - log-odds(p) is what the rule says beyond the belief. Beside it
stand how badly its scopes fit, what potentials blame in the decoded answer, and what all rules
together would prune from the states still believed. No domain is touched: it is advice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.rulebook.potential import Potential
from erm.rulebook.propagate import prune_batch
from erm.rulebook.rules import Rules
from erm.rulebook.wiring import hear_memories, wiring_of

BELIEVED = 0.05
"""States above this probability, or half of an even share, are those still believed in."""
LOUDEST = 16.0
"""Log-odds, summed over a cell's scopes, beyond which advice is not louder."""
MISFIT = 4.0
"""Nats by which a contradicted scope fits worse than the belief's own best."""
SCALE = 0.25
"""Log-odds and nats reach the network at this scale, at which most are around 1."""

REFUTED, SETTLED, EMPTY = "refuted", "settled", "nothing left"
"""What the pruned belief says: this state goes, this state is all that stays, no answer is left."""


@dataclass(frozen=True)
class Channels:
    """What is heard: M numbers for each state of each cell, in the order of `names`."""

    factors: tuple[str, ...]
    """Kinds of rule with memories, by the factors' names."""
    potentials: tuple[str, ...]
    """Rules whose potentials blame cells of the decoded answer."""
    pruning: bool = False
    """Whether the pruned belief is heard, too."""
    preferences: tuple[str, ...] = ()
    """Kinds of preferences, which speak as if they were rules; a misfit contradicts nothing."""

    @cached_property
    def memories(self) -> tuple[str, ...]:
        """All that speaks by its memories."""
        return self.factors + self.preferences

    @cached_property
    def names(self) -> tuple[str, ...]:
        return (
            *(f"says: {name}" for name in self.memories),
            *(f"misfit: {name}" for name in self.memories),
            *(f"blames: {name}" for name in self.potentials),
            *((REFUTED, SETTLED, EMPTY) if self.pruning else ()),
        )

    def contradicted(self, advice: Float[np.ndarray, "B n S M"]) -> Bool[np.ndarray, " B"]:
        """Rows whose belief the rulebook cannot make sense of: nothing is left of it once pruned
        or, where pruning is not heard, some scope fits much worse than the belief's own best."""
        if self.pruning:
            return np.asarray(advice[..., -1].any((1, 2)))
        first = len(self.memories)
        misfit = advice[..., first : first + len(self.factors)]
        return np.asarray((misfit >= SCALE * MISFIT).any((1, 2, 3)))

    def left(
        self, belief: Float[np.ndarray, "B n S"], advice: Float[np.ndarray, "B n S M"]
    ) -> Bool[np.ndarray, "B n S"]:
        """The states still believed, without those that the heard pruning refutes."""
        kept = believed(belief)
        return kept & (advice[..., -3] == 0) if self.pruning else kept

    def __len__(self) -> int:
        return 2 * len(self.memories) + len(self.potentials) + 3 * self.pruning


@dataclass(frozen=True)
class Remark:
    """One thing that the rulebook said, in words that can be shown."""

    channel: str
    """Such as "says: row", "misfit: row", "blames: sea is connected", "refuted"."""
    cell: int
    state: int | None
    """Which state it speaks of; None for the cell as a whole."""
    strength: float
    """Log-odds for the state, nats of misfit, or 1 for what is simply so."""


def remarks(advice: Float[np.ndarray, "n S M"], channels: Channels, most: int) -> list[Remark]:
    """The loudest of what was said to one row: what is simply so first, then by strength."""
    kinds = len(channels.memories)
    found: list[Remark] = []
    for number, name in enumerate(channels.names):
        said = advice[..., number]
        of_states = number < kinds or name in (REFUTED, SETTLED)
        scale = SCALE if number < 2 * kinds else 1.0
        if name == EMPTY:
            found += [Remark(name, 0, None, 1.0)] if said.any() else []
            continue
        for cell in np.flatnonzero(np.abs(said).max(1) > 0).tolist():
            for state in range(said.shape[1]) if of_states else (None,):
                strength = float(said[cell, state or 0]) / scale
                if strength:
                    found.append(Remark(name, cell, state, strength))
    certain = {*channels.names[2 * kinds :]}
    found.sort(key=lambda one: (one.channel not in certain, -abs(one.strength)))
    return found[:most]


def channels_of(rulebooks: Sequence[Rules], pruning: bool) -> Channels:
    """All that some of these boards have to say."""
    factors = {factor.name for rules in rulebooks for factor in rules.factors}
    potentials = {one.name for rules in rulebooks for one in rules.potentials}
    preferences = {one.name for rules in rulebooks for one in rules.preferences}
    names = [tuple(sorted(one)) for one in (factors, potentials, preferences)]
    return Channels(names[0], names[1], pruning, names[2])


def advise(
    rules: Sequence[Rules], belief: Float[np.ndarray, "B n S"], channels: Channels
) -> Float[np.ndarray, "B n S M"]:
    """What the rulebook of each row answers to its belief; boards of one size in one call.

    A belief is 0 where the domain rules a state out. Rows do not depend on each other.
    """
    boards, cells, states = belief.shape
    kinds, blames = len(channels.memories), len(channels.potentials)
    advice = np.zeros((boards, cells, states, len(channels)), np.float32)
    said = np.zeros((boards, cells, states, kinds), np.float32)
    misfit = np.zeros((boards, cells, kinds), np.float32)
    belief = np.ascontiguousarray(belief, np.float32)
    hear_memories([wiring_of(one, channels.memories) for one in rules], belief, said, misfit)
    advice[..., :kinds] = SCALE * said.clip(-LOUDEST, LOUDEST)
    advice[..., kinds : 2 * kinds] = SCALE * misfit[:, :, None]
    if blames:
        found = _blame(rules, belief.argmax(-1), channels.potentials)
        advice[..., 2 * kinds : 2 * kinds + blames] = found[:, :, None]
    if channels.pruning:
        advice[..., -3:] = _pruning(rules, belief)
    return advice


def _blame(
    rules: Sequence[Rules], states: Int[np.ndarray, "B n"], names: Sequence[str]
) -> Bool[np.ndarray, "B n P"]:
    """The cells that each potential points at; those of a kind judge all boards in one call."""
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


def _pruning(
    rules: Sequence[Rules], belief: Float[np.ndarray, "B n S"]
) -> Bool[np.ndarray, "B n S 3"]:
    kept = believed(belief)
    left = prune_batch(rules, kept)
    empty = ~left.any((1, 2), keepdims=True) & np.ones_like(kept)
    open_cells = kept.sum(-1, keepdims=True) > 1
    settled = left & open_cells & (left.sum(-1, keepdims=True) == 1)
    return np.stack([kept & ~left & ~empty, settled, empty], -1)


def believed(belief: Float[np.ndarray, "B n S"]) -> Bool[np.ndarray, "B n S"]:
    return belief > min(BELIEVED, 0.5 / belief.shape[-1])
