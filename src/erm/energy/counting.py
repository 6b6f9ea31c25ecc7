"""Counting memories: how many cells of a scope may be in state 1, whatever its length."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numba import njit
from torch import Tensor

from erm.energy.memory import CLAMPED, Cost
from erm.energy.retrieval import kernel_free_energy

MAX_LISTED = 20
"""The longest scope whose patterns are ever listed."""
RESCALE_EVERY = 256
"""Cells after which a row is scaled back; a row of sums of products grows by up to 2 a cell."""


@dataclass(frozen=True)
class Between:
    """At least `low` and at most `high` of the scope's cells in state 1, the others in 0.

    Counts that no scope of this size can reach make a memory without patterns, which accepts
    nothing and costs CLAMPED.
    """

    low: int
    high: int
    size: int

    @property
    def possible(self) -> bool:
        return max(self.low, 0) <= min(self.high, self.size)

    def free_energy(self, cost: Cost, tau: float) -> Float[Tensor, "*batch"]:
        if cost.shape[-2:] != (self.size, 2):
            raise ValueError(
                f"a count over {self.size} cells needs costs [..., {self.size}, 2], "
                f"got {tuple(cost.shape)}"
            )
        if not self.possible:
            return cost.new_full(cost.shape[:-2], CLAMPED)
        low, high = max(self.low, 0), min(self.high, self.size)
        return kernel_free_energy(
            cost, lambda flat, retrieve: _solve(flat, tau, low, high, retrieve)
        )

    def accepts(self, states: Int[np.ndarray, "*batch s"]) -> Bool[np.ndarray, "*batch"]:
        ones = self.keys(states)
        return (self.low <= ones) & (ones <= self.high)

    def keys(self, states: Int[np.ndarray, "*batch s"]) -> Int[np.ndarray, "*batch"]:
        """Only the number of ones matters to a decoded pattern."""
        return states.sum(-1, dtype=np.int64)

    def patterns(self) -> Int[np.ndarray, "m s"]:
        if self.size > MAX_LISTED:
            raise ValueError(f"the patterns of {self.size} cells are too many to list")
        every = np.array(list(product((0, 1), repeat=self.size)), np.int64)
        return every[self.accepts(every)]


class Exactly(Between):
    """Exactly `count` of the scope's cells in state 1."""

    def __init__(self, count: int, size: int) -> None:
        super().__init__(count, count, size)


class AtMost(Between):
    """At most `count` of the scope's cells in state 1."""

    def __init__(self, count: int, size: int) -> None:
        super().__init__(0, count, size)


class AtLeast(Between):
    """At least `count` of the scope's cells in state 1."""

    def __init__(self, count: int, size: int) -> None:
        super().__init__(count, size, size)


def _solve(
    cost: Float[Tensor, "b s 2"], tau: float, low: int, high: int, retrieve: bool
) -> tuple[Float[Tensor, " b"], Float[Tensor, "b s 2"] | None]:
    """All cells in 0, times the sum over the allowed sets of ones of the product of their odds."""
    zeros, ones = cost.unbind(-1)
    odds = ((zeros - ones) / tau).contiguous().numpy()
    energies = zeros.sum(-1) - tau * torch.from_numpy(_log_sums(odds, low, high))
    if not retrieve:
        return energies, None
    one = torch.from_numpy(_retrievals(odds, low, high))
    return energies, torch.stack((1.0 - one, one), -1)


@njit(cache=True, nogil=True, error_model="numpy")
def _price(odds, low, high):
    """The price of a one at which the best allowed set costs no more than any other set.

    It is the Lagrange multiplier of the count. With it no product of the dynamic program is
    above 1 and the best is 1, so that what underflows could not be seen in the sum.
    """
    size = len(odds)
    positive = 0
    for log_odds in odds:
        positive += log_odds > 0
    if low <= positive <= high:
        return 0.0, 0
    count = high if positive > high else low
    rising = np.sort(odds)
    if count == 0:
        return rising[-1], count
    if count == size:
        return rising[0], count
    return (rising[size - count - 1] + rising[size - count]) / 2, count


@njit(cache=True, nogil=True, error_model="numpy")
def _scale_back(row):
    """Scale a row to a largest value of 1; the logarithm of what was taken out."""
    largest = row.max()
    row /= largest
    return np.log(largest)


@njit(cache=True, nogil=True, error_model="numpy")
def _cell_weights(log_odds, price):
    surplus = log_odds - price
    if surplus > 0:
        return np.exp(-surplus), 1.0, surplus
    return 1.0, np.exp(surplus), 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _add_cell(before, after, zero, one, first, last):
    """One more cell: rows hold at 1 + c the sum over all ways to have c ones so far."""
    for at in range(first + 1, last + 2):
        after[at] = zero * before[at] + one * before[at - 1]


@njit(cache=True, nogil=True, error_model="numpy")
def _log_sums(all_odds, low, high):
    count, size = all_odds.shape
    result = np.empty(count)
    for index in range(count):
        odds = all_odds[index]
        price, priced = _price(odds, low, high)
        before, after = np.zeros(high + 2), np.zeros(high + 2)
        before[1] = 1.0
        scale = price * priced
        for cell in range(size):
            zero, one, surplus = _cell_weights(odds[cell], price)
            scale += surplus
            first = max(0, low - (size - 1 - cell))
            _add_cell(before, after, zero, one, first, min(cell + 1, high))
            before, after = after, before
            if (cell + 1) % RESCALE_EVERY == 0:
                before[: first + 1] = 0.0
                scale += _scale_back(before)
        total = 0.0
        for ones in range(low, high + 1):
            total += before[ones + 1] * np.exp(price * (ones - priced))
        result[index] = scale + np.log(total)
    return result


@njit(cache=True, nogil=True, error_model="numpy")
def _retrievals(all_odds, low, high):
    """How often each cell is 1 among the allowed sets, by prefixes and suffixes of cells."""
    count, size = all_odds.shape
    result = np.empty((count, size))
    prefixes = np.zeros((size + 1, high + 2))
    for index in range(count):
        odds = all_odds[index]
        price, priced = _price(odds, low, high)
        prefixes[0, 1] = 1.0
        for cell in range(size):
            zero, one, _ = _cell_weights(odds[cell], price)
            first = max(0, low - (size - 1 - cell))
            _add_cell(prefixes[cell], prefixes[cell + 1], zero, one, first, min(cell + 1, high))
            if (cell + 1) % RESCALE_EVERY == 0:
                _scale_back(prefixes[cell + 1])
        # suffix[c]: the sum over all ways for the cells from here on, given c ones before them.
        suffix = np.zeros(high + 2)
        for ones in range(low, high + 1):
            suffix[ones] = np.exp(price * (ones - priced))
        for cell in range(size - 1, -1, -1):
            zero, one, _ = _cell_weights(odds[cell], price)
            as_zero, as_one = 0.0, 0.0
            for ones in range(min(cell, high) + 1):
                as_zero += prefixes[cell, ones + 1] * zero * suffix[ones]
                as_one += prefixes[cell, ones + 1] * one * suffix[ones + 1]
                suffix[ones] = zero * suffix[ones] + one * suffix[ones + 1]
            result[index, cell] = as_one / (as_zero + as_one)
            if cell % RESCALE_EVERY == 0:
                _scale_back(suffix[: min(cell, high) + 1])
    return result
