"""The energy of a candidate (Eq. 3) with every term kept apart, and the violations behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.energy.factor import Factor
from erm.energy.potential import Potential

CLAMPED = 1e4
"""Cost of a state that a clue rules out: large, finite, so that gradients stay finite."""


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
    soft: bool = False
    """Costs are the model's -log p where given (Eq. 6), else beta [y != v] / n_j."""

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

    def __getitem__(self, index) -> EnergyTerms:
        """The same terms for a part of the candidates."""
        return EnergyTerms(
            self.total[index],
            {name: value[index] for name, value in self.factors.items()},
            {name: value[index] for name, value in self.potentials.items()},
            None if self.confidence is None else self.confidence[index],
        )


@dataclass(frozen=True)
class Violation:
    """One broken rule, with the cells to look at."""

    rule: str
    cells: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Rules:
    """A rulebook applied to one puzzle: what energy, violations and validity are derived from.

    States here count from 0; `Task` translates the answers' own states.
    """

    domain: Bool[np.ndarray, "n S"]
    factors: Sequence[Factor]
    potentials: Sequence[Potential]

    def energy(
        self,
        states: Int[np.ndarray, "*k n"],
        settings: EnergySettings,
        log_probs: Float[Tensor, "*k n S"] | None = None,
    ) -> EnergyTerms:
        """Eq. 3 for candidates `states`; `log_probs` are the model's, for soft costs and gamma."""
        if settings.soft and log_probs is not None:
            costs = self.clamp(-log_probs.double())
            factors = self._memory_energies(lambda _: costs, settings)
        else:
            mismatch = (
                1.0
                - torch.eye(self.domain.shape[1], dtype=torch.float64)[
                    torch.from_numpy(states.astype(np.int64))
                ]
            )
            factors = self._memory_energies(
                lambda factor: mismatch * (settings.beta / factor.size), settings
            )
        potentials = {
            potential.name: settings.mu * potential.violation(states)
            for potential in self.potentials
        }
        total = sum(factors.values()) + sum(potentials.values())
        confidence = None
        if settings.gamma and log_probs is not None:
            confidence = -settings.gamma * self.confidence(log_probs)
            total = total + confidence
        return EnergyTerms(np.asarray(total), factors, potentials, confidence)

    def _memory_energies(self, cost_for, settings: EnergySettings) -> dict[str, np.ndarray]:
        energies: dict[str, np.ndarray] = {}
        for factor in self.factors:
            value = settings.weight * factor.free_energies(cost_for(factor), settings.tau).sum(-1)
            energies[factor.name] = energies.get(factor.name, 0.0) + value.detach().numpy()
        return energies

    def clamp(self, costs: Float[Tensor, "*k n S"]) -> Float[Tensor, "*k n S"]:
        """Costs with the clue cells fixed: the given state is free, every other is ruled out."""
        domain = torch.from_numpy(self.domain)
        given = (domain.sum(-1, keepdim=True) == 1) & domain
        return costs.masked_fill(~domain, CLAMPED).masked_fill(given, 0.0)

    def confidence(self, log_probs: Float[Tensor, "*k n S"]) -> Float[np.ndarray, "*k"]:
        """Mean largest log-probability over the cells that no clue fixes."""
        free = self.domain.sum(-1) > 1
        best = log_probs.max(-1).values.detach().double().numpy()
        return best[..., free].mean(-1) if free.any() else np.zeros(best.shape[:-1])

    def is_valid(self, states: Int[np.ndarray, "k n"]) -> Bool[np.ndarray, " k"]:
        """Zero violations of every clue, factor and potential: the certificate."""
        valid = self.domain[np.arange(states.shape[-1]), states].all(-1)
        for factor in self.factors:
            if not valid.any():
                return valid
            valid[valid] = ~factor.violated(states[valid]).any(-1)
        for potential in self.potentials:
            if not valid.any():
                return valid
            valid[valid] = potential.violation(states[valid]) == 0
        return valid

    def violations(self, states: Int[np.ndarray, " n"]) -> list[Violation]:
        """Every broken rule of one candidate, with its cells."""
        off_clue = np.flatnonzero(~self.domain[np.arange(len(states)), states])
        found = [Violation("clue", tuple(off_clue.tolist()))] if len(off_clue) else []
        for factor in self.factors:
            found += [
                Violation(factor.name, tuple(scope.tolist()))
                for scope in factor.scopes[factor.violated(states)]
            ]
        for potential in self.potentials:
            if potential.violation(states[None])[0]:
                cells = np.flatnonzero(potential.blame(states))
                found.append(Violation(potential.name, tuple(cells.tolist())))
        return found
