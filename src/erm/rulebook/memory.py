"""Memories: sets of legal local patterns, answered for by a log-sum-exp (Eq. 3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Protocol, no_type_check, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.rulebook.kernel import kernel
from erm.rulebook.propagation.parts import Part, Table, patterns

Cost = Float[Tensor, "*batch s S"]
"""cost[..., i, v]: what it costs that the scope's i-th cell says v."""

Domain = Bool[np.ndarray, "*batch s S"]
"""domain[..., i, v]: whether the scope's i-th cell may still say v."""

CLAMPED = 1e4
"""Cost of what is ruled out: large, but finite, so that gradients stay finite."""
MAX_WEIGHED = 10
"""The longest scope of which all sets of cells are weighed against each other."""


@runtime_checkable
class Memory(Protocol):
    """A set of patterns, each one state per cell of a scope, that the rules allow.

    A memory may also have `keys(states [*batch, s]) -> int [*batch]`, equal only for patterns
    that are alike to it; then one pattern of a key stands for all (see `Factor`).
    """

    def free_energy(self, cost: Cost, tau: float) -> Float[Tensor, "*batch"]:
        """-tau log sum_m exp(-sum_i cost[i, m_i] / tau); tau is the retrieval temperature."""
        ...

    def accepts(self, states: Int[np.ndarray, "*batch s"]) -> Bool[np.ndarray, "*batch"]:
        """Whether a pattern of states is one of the memories."""
        ...

    def patterns(self) -> Int[np.ndarray, "m s"]:
        """All memories, listed: for small scopes, tests and display."""
        ...

    def supported(self, domain: Domain) -> Domain:
        """The states that occur in some memory which lies within the domain.

        It is what retrieval still weighs when all other states are ruled out: none at all
        where no memory fits.
        """
        ...


@runtime_checkable
class CompiledMemory(Memory, Protocol):
    """A memory that compiled propagation knows."""

    def parts(self, scopes: Int[np.ndarray, "j s"]) -> tuple[Part, ...]:
        """What the memory asks of these scopes; all that `supported` says, and nothing else."""
        ...


@runtime_checkable
class KeyedMemory(Memory, Protocol):
    """A memory to which many patterns are alike, as those with equally many ones are to a count."""

    def keys(self, states: Int[np.ndarray, "*batch s"]) -> Int[np.ndarray, "*batch"]:
        """Equal only for patterns with the same free energy and the same verdict."""
        ...


def pattern_codes(states: Int[np.ndarray, "*batch s"], base: int) -> Int[np.ndarray, "*batch"]:
    """Each pattern as one number, its states read as digits; equal only for equal patterns."""
    if base ** states.shape[-1] >= 2**63:
        raise ValueError(f"patterns of {states.shape[-1]} cells and {base} states have no code")
    code = np.zeros(states.shape[:-1], np.int64)
    for cell in range(states.shape[-1] - 1, -1, -1):
        code *= base
        code += states[..., cell]
    return code


def mismatch_cost(
    states: Int[np.ndarray, "*batch s"], n_states: int, scale: float
) -> Float[Tensor, "*batch s S"]:
    """The cost of a decoded pattern: `scale` for every state other than the one it says."""
    return torch.from_numpy(scale * (states[..., None] != np.arange(n_states)))


@dataclass(frozen=True, eq=False)
class Enumerated:
    """Memories that are few enough to list; none at all accept nothing and cost CLAMPED."""

    memories: Int[np.ndarray, "m s"]
    states: int

    def __post_init__(self) -> None:
        if self.memories.ndim != 2:
            raise ValueError(f"a memory needs patterns [m, s], got shape {self.memories.shape}")
        if self.memories.size and not 0 <= self.memories.min() <= self.memories.max() < self.states:
            raise ValueError(f"memory states must be 0 to {self.states - 1}")
        if len(self._codes) != len(self.memories):
            raise ValueError("a memory lists one of its patterns twice")

    @cached_property
    def _indicator(self) -> Float[Tensor, "sS m"]:
        one_hot = np.eye(self.states)[self.memories]
        rows, cells = self.memories.shape
        return torch.from_numpy(one_hot.reshape(rows, cells * self.states).T.copy())

    @cached_property
    def _table(self) -> Table:
        return Table.of(self.memories, self.states)

    @cached_property
    def _codes(self) -> np.ndarray:
        return np.unique(pattern_codes(self.memories, self.states))

    def free_energy(self, cost: Cost, tau: float) -> Float[Tensor, "*batch"]:
        if not len(self.memories):
            return cost.new_full(cost.shape[:-2], CLAMPED)
        total = cost.flatten(-2) @ self._indicator.to(cost)
        return -tau * torch.logsumexp(-total / tau, dim=-1)

    def accepts(self, states: Int[np.ndarray, "*batch s"]) -> Bool[np.ndarray, "*batch"]:
        return np.isin(pattern_codes(states, self.states), self._codes)

    def patterns(self) -> Int[np.ndarray, "m s"]:
        return self.memories

    def parts(self, scopes: Int[np.ndarray, "j s"]) -> tuple[Part, ...]:
        return (patterns(scopes, self._table),)

    def supported(self, domain: Domain) -> Domain:
        flat = np.ascontiguousarray(domain).reshape(-1, *domain.shape[-2:])
        return supported_states(self.memories, flat).reshape(domain.shape)

    def culprits(self, domain: Bool[np.ndarray, "s S"]) -> Bool[np.ndarray, " s"]:
        """As few cells as possible that contradict each pattern at one of them."""
        cells = np.arange(len(domain))
        clashes = ~domain[cells, self.memories]
        found = np.asarray(clashes.any(0))
        if len(domain) <= MAX_WEIGHED:
            for size in range(found.sum()):
                for some in combinations(np.flatnonzero(found), size):
                    if clashes[:, some].any(1).all():
                        return np.isin(cells, some)
        for cell in np.flatnonzero(found):
            found[cell] = not clashes[:, found & (cells != cell)].any(1).all()
        return found


@kernel
@no_type_check
def supported_states(patterns, domains):
    """Which states occur in a pattern that lies within each domain."""
    result = np.zeros(domains.shape, np.bool_)
    for row in range(len(domains)):
        for pattern in patterns:
            fits = True
            for cell in range(len(pattern)):
                fits &= domains[row, cell, pattern[cell]]
            if fits:
                for cell in range(len(pattern)):
                    result[row, cell, pattern[cell]] = True
    return result
