"""Counts over cells of many states: how many of them are in one of the states that count."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.rulebook.counting import Between
from erm.rulebook.memory import CLAMPED, Cost, Domain
from erm.rulebook.propagation.parts import Part, tallies

MAX_LISTED = 1 << 16
"""Most patterns of a scope that are gone through to list those that are allowed."""


@dataclass(frozen=True)
class Among:
    """A count of the cells whose state is one of `of`: `Among(AtMost(2, 14), (NIGHT,), states=4)`
    allows at most two of fourteen cells to say NIGHT.

    To the count a cell has two states, counted or not; its states of either kind are summed, so
    that retrieval stays exact.
    """

    count: Between
    of: tuple[int, ...]
    states: int

    def __post_init__(self) -> None:
        if not self.of or not all(0 <= state < self.states for state in self.of):
            raise ValueError(f"a count needs some of the states 0 to {self.states - 1}")

    @property
    def size(self) -> int:
        return self.count.size

    @cached_property
    def counted(self) -> Bool[np.ndarray, " S"]:
        return np.isin(np.arange(self.states), self.of)

    @property
    def bits(self) -> int:
        """The states that count, as bits."""
        return int(np.left_shift(1, np.flatnonzero(self.counted)).sum())

    def free_energy(self, cost: Cost, tau: float) -> Float[Tensor, "*batch"]:
        if cost.shape[-2:] != (self.size, self.states):
            raise ValueError(
                f"a count over {self.size} cells of {self.states} states needs costs "
                f"[..., {self.size}, {self.states}], got {tuple(cost.shape)}"
            )
        counted = torch.from_numpy(self.counted).to(cost.device)
        both = [_joined(cost[..., ~counted], tau), _joined(cost[..., counted], tau)]
        return self.count.free_energy(torch.stack(both, -1), tau)

    def accepts(self, states: Int[np.ndarray, "*batch s"]) -> Bool[np.ndarray, "*batch"]:
        return self.count.accepts(self.counted[states].astype(np.int64))

    def keys(self, states: Int[np.ndarray, "*batch s"]) -> Int[np.ndarray, "*batch"]:
        """Only the number of counted cells matters to a decoded pattern."""
        return self.counted[states].sum(-1, dtype=np.int64)

    def patterns(self) -> Int[np.ndarray, "m s"]:
        if self.states**self.size > MAX_LISTED:
            raise ValueError(f"the patterns of {self.size} cells are too many to list")
        every = np.array(list(product(range(self.states), repeat=self.size)), np.int64)
        return every[self.accepts(every)]

    def parts(self, scopes: Int[np.ndarray, "j s"]) -> tuple[Part, ...]:
        low = self.count.low if self.count.possible else self.size + 1
        return (tallies(scopes, self.bits, low, self.count.high),)

    def supported(self, domain: Domain) -> Domain:
        two = np.stack([domain[..., ~self.counted].any(-1), domain[..., self.counted].any(-1)], -1)
        return domain & self.count.supported(two)[..., self.counted.astype(np.int64)]


def _joined(cost: Float[Tensor, "*batch s v"], tau: float) -> Float[Tensor, "*batch s"]:
    """What it costs that a cell is in any of several states; CLAMPED where there are none."""
    if not cost.shape[-1]:
        return cost.new_full(cost.shape[:-1], CLAMPED)
    return -tau * torch.logsumexp(-cost / tau, -1)
