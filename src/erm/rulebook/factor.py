"""A factor: parallel scopes of cells that share one memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.rulebook.memory import CompiledMemory, KeyedMemory, Memory, mismatch_cost, pattern_codes
from erm.rulebook.propagation.parts import Part

CHUNK = 1 << 18
"""Costs that are gathered at a time: a few megabytes, so that they stay in the cache."""
SMALL_KEYS = 1 << 16
"""Keys below this are separated by a table, others by sorting."""


@dataclass(frozen=True, eq=False)
class Factor:
    """A rule applied in many places: each row of `scopes` holds one of the patterns.

    Puzzles that hold the same factor object are scored together.
    """

    name: str
    """The rule in words; factors of one name are reported together."""
    scopes: Int[np.ndarray, "j s"]
    """Cell indices, one scope a row."""
    memory: Memory
    clues: Int[np.ndarray, " j"] | None = None
    """The cell on which each scope's rule is printed, where one is: it is pointed at, too."""

    def __post_init__(self) -> None:
        if self.scopes.ndim != 2:
            raise ValueError(f"factor {self.name!r} needs scopes [j, s], got {self.scopes.shape}")
        if self.clues is not None and len(self.clues) != len(self.scopes):
            raise ValueError(f"factor {self.name!r} needs a clue for each scope or none at all")

    @property
    def size(self) -> int:
        """n_j, the number of cells in a scope, which normalises the distance d_j."""
        return self.scopes.shape[1]

    @cached_property
    def _gathered_cells(self) -> Int[Tensor, " js"]:
        return torch.from_numpy(self.scopes.astype(np.int64).ravel())

    def free_energies(
        self, cost: Float[Tensor, "*batch n S"], tau: float
    ) -> Float[Tensor, "*batch j"]:
        """Free energy of every scope for costs such as -log p (Eq. 6)."""
        flat = cost.flatten(0, -3) if cost.ndim > 2 else cost[None]
        rows = max(1, CHUNK // max(1, self.scopes.size * cost.shape[-1]))
        cells = self._gathered_cells.to(cost.device)
        parts = [
            self.memory.free_energy(
                part.index_select(1, cells).unflatten(1, self.scopes.shape), tau
            )
            for part in flat.split(rows)
        ]
        return torch.cat(parts).reshape(*cost.shape[:-2], len(self.scopes))

    def decoded_free_energies(
        self, states: Int[np.ndarray, "*batch n"], n_states: int, beta: float, tau: float
    ) -> Float[np.ndarray, "*batch j"]:
        """Free energy of every scope for decoded answers, where d_j is the share of cells that
        differ: the patterns that occur are few, and each is worked out once."""
        patterns, which = self._distinct(states)
        cost = mismatch_cost(patterns, n_states, beta / self.size)
        return self.memory.free_energy(cost, tau).numpy()[which]

    def violated(self, states: Int[np.ndarray, "*batch n"]) -> Bool[np.ndarray, "*batch j"]:
        patterns, which = self._distinct(states)
        return ~self.memory.accepts(patterns)[which]

    def parts(self) -> tuple[Part, ...] | None:
        memory = self.memory
        return memory.parts(self.scopes) if isinstance(memory, CompiledMemory) else None

    def prune(self, domain: Bool[np.ndarray, "b n S"]) -> Bool[np.ndarray, "b n S"]:
        """The domain without the states that no memory of some scope supports."""
        local = domain[:, self.scopes]
        lost = local & ~self.memory.supported(local)
        if not lost.any():
            return domain
        rows, scopes, places, states = lost.nonzero()
        pruned = domain.copy()
        pruned[rows, self.scopes[scopes, places], states] = False
        return pruned

    def _distinct(
        self, states: Int[np.ndarray, "*batch n"]
    ) -> tuple[Int[np.ndarray, "u s"], Int[np.ndarray, "*batch j"]]:
        """The patterns that differ to the memory, and which of them stands in each scope."""
        local = states[..., self.scopes]
        base = int(states.max(initial=0)) + 1
        if isinstance(self.memory, KeyedMemory):
            keys = self.memory.keys(local)
        elif base**self.size < 2**63:
            keys = pattern_codes(local, base)
        else:  # 16x16 Sudoku: too many patterns for a code, so none is taken for another's like
            keys = np.arange(local[..., 0].size).reshape(local.shape[:-1])
        first, which = distinct(keys.ravel())
        return local.reshape(-1, self.size)[first], which.reshape(keys.shape)


def distinct(keys: Int[np.ndarray, " n"]) -> tuple[Int[np.ndarray, " u"], Int[np.ndarray, " n"]]:
    """Where one key of each kind stands, and for every key which of these is its like."""
    if not len(keys) or keys.max() >= SMALL_KEYS:
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        return first, which
    place = np.full(keys.max() + 1, -1)
    place[keys] = np.arange(len(keys))
    first = place[place >= 0]
    place[keys[first]] = np.arange(len(first))
    return first, place[keys]


def group_scopes(scopes: Iterable[Sequence[int] | np.ndarray]) -> list[Int[np.ndarray, "j s"]]:
    """Scopes of unequal length as one array a length, so that each becomes one factor."""
    by_size: dict[int, list[Sequence[int] | np.ndarray]] = {}
    for scope in scopes:
        by_size.setdefault(len(scope), []).append(scope)
    return [np.asarray(group, np.int64) for size, group in sorted(by_size.items()) if size]
