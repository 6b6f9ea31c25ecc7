"""A factor: parallel scopes of cells that share one memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.energy.memory import Memory


@dataclass(frozen=True, eq=False)
class Factor:
    """A rule applied in many places: each row of `scopes` holds one of the patterns."""

    name: str
    """The rule in words; factors of one name are reported together."""
    scopes: Int[np.ndarray, "j s"]
    """Cell indices, one scope a row."""
    memory: Memory

    def __post_init__(self) -> None:
        if self.scopes.ndim != 2:
            raise ValueError(f"factor {self.name!r} needs scopes [j, s], got {self.scopes.shape}")

    @property
    def size(self) -> int:
        """n_j, the number of cells in a scope, which normalises the distance d_j."""
        return self.scopes.shape[1]

    def free_energies(
        self, cost: Float[Tensor, "*batch n S"], tau: float
    ) -> Float[Tensor, "*batch j"]:
        return self.memory.free_energy(cost[..., self.scopes, :], tau)

    def violated(self, states: Int[np.ndarray, "*batch n"]) -> Bool[np.ndarray, "*batch j"]:
        return ~self.memory.accepts(states[..., self.scopes])


def group_scopes(scopes: Iterable[Sequence[int]]) -> list[Int[np.ndarray, "j s"]]:
    """Scopes of unequal length as one array a length, so that each becomes one factor."""
    by_size: dict[int, list[Sequence[int]]] = {}
    for scope in scopes:
        by_size.setdefault(len(scope), []).append(scope)
    return [np.asarray(group, np.int64) for size, group in sorted(by_size.items()) if size]
