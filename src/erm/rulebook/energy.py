"""The energy of a candidate (Eq. 3) with every term kept apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.rulebook.memory import CLAMPED
from erm.rulebook.rules import Rules


@dataclass(frozen=True)
class EnergySettings:
    """The symbols of Eq. 3; a task's own values are the defaults of its energy."""

    tau: float = 1.0
    """tau, the retrieval temperature of the memories."""
    beta: float = 1.0
    """beta, the scale of the distance to a memory."""
    mu: float = 1.0
    """mu, the weight of the global potentials; 0 leaves the local memories alone."""
    gamma: float = 0.0
    """gamma, the weight of the model's own confidence; 0 in the paper's main runs."""
    weight: float = 1.0
    """Weight of the local memories: 0.25 in the maze's Eq. 8, else 1."""
    price: float = 1.0
    """Weight of the preferences' prices, which rank the answers that break no rule."""
    soft: bool = False
    """Costs are the model's -log p where given (Eq. 6), else beta [y != v] / n_j."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """What each kind of rule counts, by its name, as `erm fit-weights` fits it; 1 if not named."""

    def __post_init__(self) -> None:
        if not self.tau > 0:
            raise ValueError(f"tau must be above 0, got {self.tau}")


@dataclass(frozen=True, eq=False)
class EnergyTerms:
    """Why a candidate scores as it does; `total` is the energy, lower is better."""

    total: Float[np.ndarray, "*k"]
    factors: Mapping[str, Float[np.ndarray, "*k"]]
    """Weighted memory energy of each rule."""
    potentials: Mapping[str, Float[np.ndarray, "*k"]] = field(default_factory=dict)
    """Weighted violation of each global rule."""
    confidence: Float[np.ndarray, "*k"] | None = None
    """The gamma term, where one was asked for."""
    preferences: Mapping[str, Float[np.ndarray, "*k"]] = field(default_factory=dict)
    """Weighted price of each preference: what is wished for, apart from what is asked."""

    def by_rule(self) -> dict[str, Float[np.ndarray, "*k"]]:
        """Every term by the rule that it is of; they add up to the total."""
        own = {} if self.confidence is None else {"confidence": self.confidence}
        return {**self.factors, **self.potentials, **self.preferences, **own}

    def __getitem__(self, index) -> EnergyTerms:
        """The same terms for a part of the candidates."""

        def part(value: np.ndarray) -> np.ndarray:
            return np.asarray(value[index])

        return EnergyTerms(
            part(self.total),
            {name: part(value) for name, value in self.factors.items()},
            {name: part(value) for name, value in self.potentials.items()},
            None if self.confidence is None else part(self.confidence),
            {name: part(value) for name, value in self.preferences.items()},
        )


def rules_energy(
    rules: Rules,
    states: Int[np.ndarray, "*k n"],
    settings: EnergySettings,
    log_probs: Float[Tensor, "*k n S"] | None = None,
) -> EnergyTerms:
    """Eq. 3 for candidates `states`; `log_probs` are the model's, for soft costs and gamma."""
    one = None if log_probs is None else log_probs[None]
    return pool_energy([rules], states[None], settings, one)[0]


def pool_energy(
    rulebooks: Sequence[Rules],
    states: Int[np.ndarray, "p *k n"],
    settings: EnergySettings,
    log_probs: Float[Tensor, "p *k n S"] | None = None,
) -> EnergyTerms:
    """Eq. 3 for the candidates of many puzzles; factors that puzzles share are scored in one go.

    A rule that a puzzle does not have adds 0 to its terms.
    """
    n_states = rulebooks[0].domain.shape[-1]
    domain = np.stack([rules.domain for rules in rulebooks])
    # One axis of candidates, however many the caller has.
    flat = states.reshape(len(rulebooks), -1, states.shape[-1])
    if log_probs is not None:
        log_probs = log_probs.detach().cpu().double().reshape(*flat.shape, n_states)
    factors: dict[str, np.ndarray] = {}
    potentials: dict[str, np.ndarray] = {}
    zero = np.zeros(flat.shape[:-1])

    if settings.soft and log_probs is not None:
        costs = clamp(-log_probs, domain)
        for factor, held in holders([rules.factors for rules in rulebooks]):
            value = factor.free_energies(costs[held], settings.tau).sum(-1).numpy()
            term = factors.setdefault(factor.name, zero.copy())
            term[held] += settings.weight * value
    else:
        for puzzle, rules in enumerate(rulebooks):
            term = factors.setdefault(rules.printed, zero.copy())
            off = (~rules.in_domain(flat[puzzle])).sum(-1)
            term[puzzle] += settings.weight * settings.beta * off
        for factor, held in holders([rules.factors for rules in rulebooks]):
            value = factor.decoded_free_energies(flat[held], n_states, settings.beta, settings.tau)
            term = factors.setdefault(factor.name, zero.copy())
            term[held] += settings.weight * value.sum(-1)

    for potential, held in holders([rules.potentials for rules in rulebooks]):
        value = potential.violation(flat[held].reshape(-1, flat.shape[-1]))
        term = potentials.setdefault(potential.name, zero.copy())
        term[held] += settings.mu * value.reshape(term[held].shape)

    preferences: dict[str, np.ndarray] = {}
    for preference, held in holders([rules.preferences for rules in rulebooks]):
        term = preferences.setdefault(preference.name, zero.copy())
        term[held] += settings.price * preference.costs(flat[held], n_states).sum(-1)

    confidence = None
    if settings.gamma and log_probs is not None:
        confidence = -settings.gamma * mean_confidence(log_probs, domain)
    for named in (factors, potentials):
        for name in named.keys() & settings.weights.keys():
            named[name] *= settings.weights[name]
    values = [*factors.values(), *potentials.values(), *preferences.values()]
    terms = [*values, *([] if confidence is None else [confidence])]

    def shaped(value: np.ndarray) -> np.ndarray:
        return value.reshape(states.shape[:-1])

    return EnergyTerms(
        shaped(sum(terms, zero)),
        {name: shaped(value) for name, value in factors.items()},
        {name: shaped(value) for name, value in potentials.items()},
        None if confidence is None else shaped(confidence),
        {name: shaped(value) for name, value in preferences.items()},
    )


def clamp(
    costs: Float[Tensor, "p k n S"], domain: Bool[np.ndarray, "p n S"]
) -> Float[Tensor, "p k n S"]:
    """Costs with the clue cells fixed: the given state is free, every other is ruled out.

    No other cost may be above CLAMPED, not even that of a state with probability 0.
    """
    allowed = torch.from_numpy(domain)[:, None]
    given = (allowed.sum(-1, keepdim=True) == 1) & allowed
    return costs.clamp(max=CLAMPED).masked_fill_(~allowed, CLAMPED).masked_fill_(given, 0.0)


def mean_confidence(
    log_probs: Float[Tensor, "p k n S"], domain: Bool[np.ndarray, "p n S"]
) -> Float[np.ndarray, "p k"]:
    """Mean largest log-probability over the cells that no clue fixes; 0 where there are none."""
    free = (domain.sum(-1) > 1)[:, None]
    best = log_probs.amax(-1).numpy()
    return np.where(free, best, 0.0).sum(-1) / np.maximum(free.sum(-1), 1)


Held = TypeVar("Held")


def holders(held_by: Sequence[Sequence[Held]]) -> Iterator[tuple[Held, slice | list[int]]]:
    """Each factor or potential once, with the puzzles that hold that very object."""
    holders: dict[int, tuple[Held, list[int]]] = {}
    for puzzle, things in enumerate(held_by):
        for thing in things:
            holders.setdefault(id(thing), (thing, []))[1].append(puzzle)
    for thing, puzzles in holders.values():
        # A slice costs no copy, which is what a Sudoku pool needs.
        yield thing, slice(None) if len(puzzles) == len(held_by) else puzzles
