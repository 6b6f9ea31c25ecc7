"""Counting memories: how many cells of a scope may be in state 1, whatever its length."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import no_type_check

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.rulebook.kernel import kernel, kernel_free_energy
from erm.rulebook.memory import CLAMPED, Cost, Domain
from erm.rulebook.propagation.parts import Part, counts

MAX_LISTED = 20
"""The longest scope whose patterns are ever listed."""
RESCALE_EVERY = 256
"""Cells after which a row is scaled back; a row of sums of products grows by up to 2 a cell."""
FAR, BISECTIONS = 40.0, 64
"""Log-odds at which a cell is certain, and steps that exhaust float64."""


NEGLIGIBLE = 1e-150
"""Sums below this, where the best product is 1, count as 0: the products of the others never
become subnormal numbers, on which processors are slow."""


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

    def parts(self, scopes: Int[np.ndarray, "j s"]) -> tuple[Part, ...]:
        low = self.low if self.possible else self.size + 1
        return (counts(scopes, low, self.high),)

    def supported(self, domain: Domain) -> Domain:
        zero, one = domain[..., 0], domain[..., 1]
        fewest = (one & ~zero).sum(-1, keepdims=True)
        most = one.sum(-1, keepdims=True)
        fits = (fewest <= self.high) & (most >= self.low) & (zero | one).all(-1, keepdims=True)
        fits &= self.possible
        as_zero = zero & (most - one >= self.low)
        as_one = one & (fewest + zero <= self.high)
        return np.stack((as_zero & fits, as_one & fits), -1)

    def culprits(self, domain: Bool[np.ndarray, "s 2"]) -> Bool[np.ndarray, " s"]:
        """The ones where they are too many, the zeros where too few cells can be ones."""
        ones, zeros = ~domain[:, 0], ~domain[:, 1]
        return ones if ones.sum() > self.high else zeros


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
    """All cells in 0, times the sum over the allowed sets of ones of the product of their odds.

    Each one is charged a price, so that no product of the dynamic program is above 1 and the
    best is 1: what underflows could not be seen in the sum.
    """
    zeros, ones = cost.unbind(-1)
    odds = (zeros - ones) / tau
    price, count = _prices(odds, low, high)
    surplus = odds - price[:, None]
    weights = torch.stack((-surplus, surplus), -1).clamp_(max=0.0).exp_()
    weights = torch.threshold_(weights, NEGLIGIBLE, 0.0).numpy()
    endings = torch.exp(price[:, None] * (torch.arange(low, high + 1) - count[:, None]))
    endings = torch.threshold_(endings, NEGLIGIBLE, 0.0).numpy()
    charged = surplus.clamp(min=0.0).sum(-1) + price * count
    log_sums = charged + torch.from_numpy(_log_sums(weights, endings, low, high))
    energies = zeros.sum(-1) - tau * log_sums
    if not retrieve:
        return energies, None
    one = torch.from_numpy(_retrievals(weights, endings, low, high))
    return energies, torch.stack((1.0 - one, one), -1)


def _prices(
    odds: Float[Tensor, "b s"], low: int, high: int
) -> tuple[Float[Tensor, " b"], Float[Tensor, " b"]]:
    """The price of a one at which the best allowed set is the best of all sets, and its count.

    It is the count's Lagrange multiplier: between the odds of the last cell that the best set
    takes and of the first that it leaves, and 0 where the count binds nothing.
    """
    size = odds.shape[-1]
    if size > RESCALE_EVERY:
        return _typical_prices(odds, low, high)
    wanted = (odds > 0).sum(-1)
    count = wanted.clamp(low, high)
    falling = torch.from_numpy(-np.sort(-odds.numpy(), axis=-1))
    taken = falling.gather(-1, (count[:, None] - 1).clamp(min=0))[:, 0]
    left = falling.gather(-1, count[:, None].clamp(max=size - 1))[:, 0]
    return torch.where(count == wanted, 0.0, (taken + left) / 2), count.double()


def _typical_prices(
    odds: Float[Tensor, "b s"], low: int, high: int
) -> tuple[Float[Tensor, " b"], Float[Tensor, " b"]]:
    """The price at which the count is allowed on average, by bisection, for very long scopes.

    There the best set may be outweighed by so many others that a row of the dynamic program
    spans more than float64 does; around the average it does not.
    """
    wanted = torch.sigmoid(odds).sum(-1)
    count = wanted.clamp(low, high)
    below, above = odds.amin(-1) - FAR, odds.amax(-1) + FAR
    for _ in range(BISECTIONS):
        middle = (below + above) / 2
        too_many = torch.sigmoid(odds - middle[:, None]).sum(-1) > count
        below = torch.where(too_many, middle, below)
        above = torch.where(too_many, above, middle)
    return torch.where(count == wanted, 0.0, (below + above) / 2), count


@kernel
@no_type_check
def _scale_back(row):
    """Scale a row to a largest value of 1; the logarithm of what was taken out."""
    largest = row.max()
    row /= largest
    return np.log(largest)


@kernel
@no_type_check
def _add_cell(before, after, zero, one, first, last):
    """One more cell: rows hold at 1 + c the sum over all ways to have c ones so far."""
    same, fewer, sums = before[first + 1 : last + 2], before[first:], after[first + 1 :]
    for at in range(len(same)):
        total = zero * same[at] + one * fewer[at]
        sums[at] = total if total > NEGLIGIBLE else 0.0


@kernel
@no_type_check
def _log_sums(weights, endings, low, high):
    """The logarithm of the sum over all allowed patterns; counts that cannot end well are left
    out on the way."""
    count, size, _ = weights.shape
    result = np.empty(count)
    before, after = np.empty(high + 2), np.empty(high + 2)
    for index in range(count):
        before[:] = 0.0
        after[:] = 0.0
        before[1] = 1.0
        scale = 0.0
        for cell in range(size):
            zero, one = weights[index, cell, 0], weights[index, cell, 1]
            first = max(0, low - (size - 1 - cell))
            _add_cell(before, after, zero, one, first, min(cell + 1, high))
            before, after = after, before
            if (cell + 1) % RESCALE_EVERY == 0:
                before[: first + 1] = 0.0
                scale += _scale_back(before)
        total = 0.0
        for ones in range(low, high + 1):
            total += before[ones + 1] * endings[index, ones - low]
        result[index] = scale + np.log(total)
    return result


@kernel
@no_type_check
def _retrievals(weights, endings, low, high):
    """How often each cell is 1 among the allowed patterns, by prefixes and suffixes of cells."""
    count, size, _ = weights.shape
    result = np.empty((count, size))
    prefixes = np.zeros((size + 1, high + 2))
    suffix = np.empty(high + 2)
    for index in range(count):
        prefixes[0, 1] = 1.0
        for cell in range(size):
            zero, one = weights[index, cell, 0], weights[index, cell, 1]
            first = max(0, low - (size - 1 - cell))
            _add_cell(prefixes[cell], prefixes[cell + 1], zero, one, first, min(cell + 1, high))
            if (cell + 1) % RESCALE_EVERY == 0:
                _scale_back(prefixes[cell + 1])
        # suffix[c]: the sum over all ways for the cells from here on, given c ones before them.
        suffix[:] = 0.0
        suffix[low : high + 1] = endings[index]
        for cell in range(size - 1, -1, -1):
            zero, one = weights[index, cell, 0], weights[index, cell, 1]
            as_zero, as_one = 0.0, 0.0
            for ones in range(min(cell, high) + 1):
                as_zero += prefixes[cell, ones + 1] * zero * suffix[ones]
                as_one += prefixes[cell, ones + 1] * one * suffix[ones + 1]
                total = zero * suffix[ones] + one * suffix[ones + 1]
                suffix[ones] = total if total > NEGLIGIBLE else 0.0
            result[index, cell] = as_one / (as_zero + as_one)
            if cell % RESCALE_EVERY == 0:
                _scale_back(suffix[: min(cell, high) + 1])
    return result
