"""Memories: sets of legal local patterns, answered for by a log-sum-exp (Eq. 3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

Cost = Float[Tensor, "*batch s S"]
"""cost[..., i, v]: what it costs that the scope's i-th cell says v."""


@runtime_checkable
class Memory(Protocol):
    """A set of patterns, each one state a cell of a scope, that the rules allow."""

    def free_energy(self, cost: Cost, tau: float) -> Float[Tensor, "*batch"]:
        """-tau log sum_m exp(-sum_i cost[i, m_i] / tau); tau is the retrieval temperature."""
        ...

    def accepts(self, states: Int[np.ndarray, "*batch s"]) -> Bool[np.ndarray, "*batch"]:
        """Whether a pattern of states is one of the memories."""
        ...

    def patterns(self) -> Int[np.ndarray, "m s"]:
        """All memories, listed: for small scopes, tests and display."""
        ...


@dataclass(frozen=True, eq=False)
class Enumerated:
    """Memories that are few enough to list."""

    memories: Int[np.ndarray, "m s"]
    states: int

    def __post_init__(self) -> None:
        if self.memories.ndim != 2 or not len(self.memories):
            raise ValueError(f"a memory needs patterns [m, s], got shape {self.memories.shape}")
        if self.memories.min() < 0 or self.memories.max() >= self.states:
            raise ValueError(f"memory states must be 0 to {self.states - 1}")

    @cached_property
    def _indicator(self) -> Float[Tensor, "sS m"]:
        one_hot = np.eye(self.states)[self.memories]
        return torch.from_numpy(one_hot.reshape(len(self.memories), -1).T.copy())

    @cached_property
    def _codes(self) -> np.ndarray:
        return np.sort(self._code(self.memories))

    def _code(self, states: np.ndarray) -> np.ndarray:
        return states.astype(np.int64) @ (
            self.states ** np.arange(states.shape[-1], dtype=np.int64)
        )

    def free_energy(self, cost: Cost, tau: float) -> Float[Tensor, "*batch"]:
        total = cost.flatten(-2) @ self._indicator.to(cost)
        return -tau * torch.logsumexp(-total / tau, dim=-1)

    def accepts(self, states: Int[np.ndarray, "*batch s"]) -> Bool[np.ndarray, "*batch"]:
        return np.isin(self._code(states), self._codes)

    def patterns(self) -> Int[np.ndarray, "m s"]:
        return self.memories
