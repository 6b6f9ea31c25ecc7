"""The permutation memory, every state once: a log-permanent by a dynamic program over subsets."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import no_type_check

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.rulebook.culprits import irreducible
from erm.rulebook.kernel import inner_kernel, kernel, kernel_free_energy
from erm.rulebook.matching import matched
from erm.rulebook.memory import CLAMPED, Cost, Domain
from erm.rulebook.propagation.parts import Part, Permuted
from erm.rulebook.subsets import LANES, fill_prefixes, fill_shares, subset_sizes

MAX_SIZE = 16
"""The largest unit: the tables of the dynamic program have 2**size rows."""
MAX_LISTED = 9
"""The largest unit whose permutations are ever listed."""

NEGLIGIBLE = 1e-150
"""Weights below this, of 1 at most, count as 0: the products of the others never become
subnormal numbers, on which processors are slow."""
TRUSTED = 1e-100
"""A permanent above this lost nothing that float64 could show: at most 16! products were
negligible."""


@dataclass(frozen=True)
class Permutations:
    """Every state exactly once in a scope of as many cells as there are states."""

    size: int

    def __post_init__(self) -> None:
        if not 1 <= self.size <= MAX_SIZE:
            raise ValueError(f"a permutation memory has 1 to {MAX_SIZE} cells, got {self.size}")

    def free_energy(self, cost: Cost, tau: float) -> Float[Tensor, "*batch"]:
        if cost.shape[-2:] != (self.size, self.size):
            raise ValueError(
                f"permutations of {self.size} need costs [..., {self.size}, {self.size}], "
                f"got {tuple(cost.shape)}"
            )
        return kernel_free_energy(cost, lambda flat, retrieve: _solve(flat, tau, retrieve))

    def accepts(self, states: Int[np.ndarray, "*batch s"]) -> Bool[np.ndarray, "*batch"]:
        return (np.sort(states, axis=-1) == np.arange(self.size)).all(-1)

    def patterns(self) -> Int[np.ndarray, "m s"]:
        if self.size > MAX_LISTED:
            raise ValueError(f"{self.size}! permutations are too many to list")
        return np.array(list(permutations(range(self.size))), np.int64)

    def parts(self, scopes: Int[np.ndarray, "j s"]) -> tuple[Part, ...]:
        return (Permuted(scopes),)

    def supported(self, domain: Domain) -> Domain:
        flat = np.ascontiguousarray(domain).reshape(-1, self.size, self.size)
        return matched(flat).reshape(domain.shape)

    def culprits(self, domain: Bool[np.ndarray, "s s"]) -> Bool[np.ndarray, " s"]:
        """All cells that say the same as another; where none do, those that lack a state
        together."""
        settled = domain.sum(-1) == 1
        repeated = domain[settled].sum(0) > 1
        equal = settled & domain[:, repeated].any(-1)
        return equal if equal.any() else irreducible(self, domain)


def _solve(
    cost: Float[Tensor, "b s s"], tau: float, retrieve: bool
) -> tuple[Float[Tensor, " b"], Float[Tensor, "b s s"] | None]:
    """-tau log permanent(exp(-cost / tau)) with rows and columns scaled so that weights are <= 1.

    Any scaling gives the same permanent; one by the smallest costs is cheap and nearly always
    good enough. Where every permutation underflows, the dual prices of the cheapest one are
    taken instead: they give it the weight 1.
    """
    rows = cost.amin(-1, keepdim=True)
    columns = (cost - rows).amin(-2, keepdim=True)
    weights = _weights(cost, rows, columns, tau)
    permanents = _permanents(weights)
    lost = np.flatnonzero(~(permanents > TRUSTED))
    if len(lost):
        if not cost[lost].isfinite().all():
            raise ValueError(f"costs must be finite; rule a state out with {CLAMPED:g}")
        rows[lost], columns[lost] = _prices(cost[lost])
        weights[lost] = _weights(cost[lost], rows[lost], columns[lost], tau)
        permanents[lost] = _permanents(weights[lost])
    scale = rows.sum((-2, -1)) + columns.sum((-2, -1))
    energies = scale - tau * torch.from_numpy(permanents).log()
    return energies, torch.from_numpy(_retrievals(weights)) if retrieve else None


def _weights(cost: Tensor, rows: Tensor, columns: Tensor, tau: float) -> np.ndarray:
    weights = torch.sub(rows, cost).add_(columns).div_(tau).exp_()
    return torch.threshold_(weights, NEGLIGIBLE, 0.0).numpy()


def _prices(cost: Float[Tensor, "b s s"]) -> tuple[Tensor, Tensor]:
    rows, columns = _assignment_prices(np.ascontiguousarray(cost.numpy()))
    return torch.from_numpy(rows)[:, :, None], torch.from_numpy(columns)[:, None, :]


@inner_kernel
@no_type_check
def _fill_lanes(weights, first, lanes):
    """As many units as there are lanes, the unit as the last axis; lanes left over hold zeros."""
    size, _, width = lanes.shape
    filled = min(width, len(weights) - first)
    for row in range(size):
        for column in range(size):
            for lane in range(filled):
                lanes[row, column, lane] = weights[first + lane, row, column]
            lanes[row, column, filled:] = 0.0
    return filled


@kernel
@no_type_check
def _permanents(weights):
    count, size, _ = weights.shape
    width = min(LANES, count)
    taken = subset_sizes(size)
    lanes = np.empty((size, size, width))
    prefixes = np.empty((1 << size, width))
    result = np.empty(count)
    for first in range(0, count, LANES):
        filled = _fill_lanes(weights, first, lanes)
        fill_prefixes(lanes, taken, prefixes, NEGLIGIBLE)
        for lane in range(filled):
            result[first + lane] = prefixes[(1 << size) - 1, lane]
    return result


@kernel
@no_type_check
def _retrievals(weights):
    """The share of each (row, column) in the permanent, by prefixes and suffixes of rows."""
    count, size, _ = weights.shape
    width = min(LANES, count)
    full = (1 << size) - 1
    taken = subset_sizes(size)
    lanes = np.empty((size, size, width))
    prefixes = np.empty((1 << size, width))
    suffixes = np.empty((1 << size, width))
    shares = np.empty((size, size, width))
    result = np.empty(weights.shape)
    for first in range(0, count, LANES):
        filled = _fill_lanes(weights, first, lanes)
        fill_prefixes(lanes, taken, prefixes, NEGLIGIBLE)
        fill_shares(lanes, taken, prefixes, suffixes, shares, NEGLIGIBLE)
        for row in range(size):
            for column in range(size):
                for lane in range(filled):
                    share = shares[row, column, lane] / prefixes[full, lane]
                    result[first + lane, row, column] = share
    return result


@kernel
@no_type_check
def _assignment_prices(costs):
    """Dual prices of the cheapest assignment, by shortest augmenting paths.

    No cost is below rows[i] + columns[j], and those of the cheapest assignment equal it.
    """
    count, size = costs.shape[0], costs.shape[1]
    all_rows, all_columns = np.zeros((count, size)), np.zeros((count, size))
    for unit in range(count):
        cost, rows = costs[unit], all_rows[unit]
        # One more column, in which each row starts its search for a place.
        columns = np.zeros(size + 1)
        owner = np.full(size + 1, -1)
        for new in range(size):
            owner[size] = new
            at = size
            distance = np.full(size, np.inf)
            came_from = np.full(size, -1)
            done = np.zeros(size + 1, np.bool_)
            while owner[at] >= 0:
                done[at] = True
                row = owner[at]
                nearest, step = -1, np.inf
                for column in range(size):
                    if done[column]:
                        continue
                    reduced = cost[row, column] - rows[row] - columns[column]
                    if reduced < distance[column]:
                        distance[column] = reduced
                        came_from[column] = at
                    if distance[column] < step:
                        nearest, step = column, distance[column]
                for column in range(size + 1):
                    if done[column]:
                        rows[owner[column]] += step
                        columns[column] -= step
                    elif column < size:
                        distance[column] -= step
                at = nearest
            while at != size:
                owner[at] = owner[came_from[at]]
                at = came_from[at]
        for column in range(size):
            all_columns[unit, column] = columns[column]
    return all_rows, all_columns
