"""The plain modern Hopfield network, from which ERM's energy is derived (Eq. 2)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Hopfield:
    """Stored patterns that a query is drawn to; similarity is the dot product."""

    memories: Float[Tensor, "m d"]
    """M, one stored pattern a row."""
    tau: float = 1.0
    """tau, the retrieval temperature; the smaller, the nearer the single nearest memory."""

    def __post_init__(self) -> None:
        if self.memories.ndim != 2 or not len(self.memories):
            raise ValueError(f"memories need shape [m, d], got {tuple(self.memories.shape)}")
        if not self.tau > 0:
            raise ValueError(f"tau must be above 0, got {self.tau}")

    def energy(self, query: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch"]:
        """E_MHN(q; M) = |q|^2 / 2 - tau log sum_m exp(q . m / tau)."""
        attraction = self.tau * torch.logsumexp(query @ self.memories.T / self.tau, -1)
        return query.square().sum(-1) / 2 - attraction

    def retrieve(self, query: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch d"]:
        """One step, attention over the memories; it never raises the energy.

        The step goes to the minimum of the bound that replaces the concave part of the energy
        by its tangent at the query.
        """
        return torch.softmax(query @ self.memories.T / self.tau, -1) @ self.memories
