"""Kernels: the exact marginals of each kind of memory, as they are or as log-odds beyond the
network's marginals.

The cells of a scope are independent, with marginals p[cell, state]. A memory weighs its patterns by
the product of their cells; the marginals r of that weighing are the gradient of its free energy at
the costs -log p. With `plain`, r is added to `sums`, else `log r/(1 - r) - log p/(1 - p)`. The
misfit of a scope is how much less likely its best patterns are than the best of p, in nats;
`misfit` keeps the worst of each cell's scopes.

Weights are scaled to a largest of 1 a cell, so the best pattern of p weighs 1.
"""

from __future__ import annotations

from typing import no_type_check

import numpy as np

from erm.rulebook.kernel import kernel
from erm.rulebook.subsets import LANES, fill_prefixes, fill_shares, subset_sizes

FLOOR = 1e-4
"""Least probability of a state: no advice follows from a zero, and products of nine stay within
float32."""
LEAST = 1e-18
"""The same for marginals as they are: products of sixteen stay within float64."""
MOST_LOG_ODDS = 8.0
"""Log-odds beyond these are certainty."""
WORST_FIT = 8.0
"""Nats at which a scope fits as badly as can be one_cell."""


@kernel
@no_type_check
def _weigh(marginals, cell, weights, floor):
    """A cell's states relative to its likeliest, none below the floor."""
    best = floor
    for state in range(len(weights)):
        best = max(best, marginals[cell, state])
    for state in range(len(weights)):
        weights[state] = max(marginals[cell, state], floor) / best


@kernel
@no_type_check
def _add(weights, shares, sums, kind, plain):
    """Add the retrieval of a cell, given in any scale."""
    if plain:
        total = 0.0
        for state in range(len(weights)):
            total += shares[state]
        if total > 0:
            for state in range(len(weights)):
                sums[state, kind] += shares[state] / total
    else:
        _add_odds(weights, shares, sums, kind)


@kernel
@no_type_check
def _add_odds(weights, shares, odds, kind):
    """Add the log-odds of the retrieval, in any scale, over those of a cell's weights."""
    for state in range(len(weights)):
        others = 0.0
        retrieved_others = 0.0
        for other in range(len(weights)):
            if other != state:
                others += weights[other]
                retrieved_others += shares[other]
        for_it = shares[state] * others
        against = retrieved_others * weights[state]
        if for_it > 0 and against > 0:
            one = min(max(np.log(for_it / against), -MOST_LOG_ODDS), MOST_LOG_ODDS)
        elif for_it > 0:
            one = MOST_LOG_ODDS
        elif against > 0:
            one = -MOST_LOG_ODDS
        else:
            one = 0.0
        odds[state, kind] += one


@kernel
@no_type_check
def _note_misfit(log_mass, cells, misfit, kind):
    """Keep the misfit of a scope at each of its cells where it is the largest so far."""
    lack = min(max(-log_mass, 0.0), WORST_FIT)
    for cell in cells:
        misfit[cell, kind] = max(misfit[cell, kind], lack)


@kernel
@no_type_check
def pattern_marginals(
    marginals, starts, cells, kinds, first, last, patterns, sums, misfit, floor, plain
):
    """Listed patterns: scope j has the cells from starts[j] on, and its memory's states lie, one
    row of so many after the other, from first[j] to last[j] in `patterns`."""
    states = marginals.shape[1]
    longest = 1
    for scope in range(len(kinds)):
        longest = max(longest, starts[scope + 1] - starts[scope])
    weights = np.empty((longest, states))
    shares = np.empty((longest, states))
    for scope in range(len(kinds)):
        own = cells[starts[scope] : starts[scope + 1]]
        size = len(own)
        for place in range(size):
            _weigh(marginals, own[place], weights[place], floor)
            shares[place] = 0.0
        total = 0.0
        for row in range(first[scope], last[scope], max(size, 1)):
            weight = 1.0
            for place in range(size):
                weight *= weights[place, patterns[row + place]]
            total += weight
            for place in range(size):
                shares[place, patterns[row + place]] += weight
        _note_misfit(np.log(total) if total > 0 else -np.inf, own, misfit, kinds[scope])
        if total > 0:
            for place in range(size):
                _add(weights[place], shares[place], sums[own[place]], kinds[scope], plain)


@kernel
@no_type_check
def count_marginals(
    marginals, starts, cells, kinds, low, high, counted, sums, misfit, floor, plain
):
    """Counts from low[j] to high[j] of cells in one of the states whose bits are set in counted[j],
    by prefixes and suffixes of cells.

    To a count a cell has two sides, counted or not, and its states share their side's part. Where
    there is no upper bound, all counts from `low` on are one. Rows of the program are scaled to a
    largest of 1 on the way, so that scopes may be of any length.
    """
    states = marginals.shape[1]
    longest, widest = 1, 1
    for scope in range(len(kinds)):
        longest = max(longest, starts[scope + 1] - starts[scope])
        widest = max(widest, high[scope] + 1, low[scope] + 1)
    widest = min(widest, longest + 1)
    weights = np.empty((longest, states))
    sides = np.empty((longest, 2))
    prefixes = np.empty((longest + 1, widest))
    suffix = np.empty(widest)
    shares = np.empty(states)
    for scope in range(len(kinds)):
        own = cells[starts[scope] : starts[scope + 1]]
        size = len(own)
        least, most = max(low[scope], 0), min(high[scope], size)
        if least > most:
            _note_misfit(-np.inf, own, misfit, kinds[scope])
            continue
        unbounded = most == size
        top = least if unbounded else most
        prefixes[0, : top + 1] = 0.0
        prefixes[0, 0] = 1.0
        log_mass = 0.0
        for place in range(size):
            _weigh(marginals, own[place], weights[place], floor)
            sides[place] = 0.0
            for state in range(states):
                sides[place, counted[scope] >> state & 1] += weights[place, state]
            zero, one = sides[place]
            before, after = prefixes[place], prefixes[place + 1]
            after[0] = before[0] * zero
            for ones in range(1, top + 1):
                after[ones] = before[ones] * zero + before[ones - 1] * one
            if unbounded:
                after[top] += before[top] * one
            largest = after[: top + 1].max()
            if largest > 0:  # Where all states count, too many cells may leave nothing.
                after[: top + 1] /= largest
                log_mass += np.log(largest)
        total = 0.0
        for ones in range(least, top + 1):
            total += prefixes[size, ones]
        _note_misfit(log_mass + np.log(total) if total > 0 else -np.inf, own, misfit, kinds[scope])
        if total == 0:
            continue
        for ones in range(top + 1):
            suffix[ones] = 1.0 if ones >= least else 0.0
        for place in range(size - 1, -1, -1):
            zero, one = sides[place]
            without, within, largest = 0.0, 0.0, 0.0
            for ones in range(top + 1):
                following = suffix[ones + 1] if ones < top else suffix[top] * unbounded
                without += prefixes[place, ones] * suffix[ones]
                within += prefixes[place, ones] * following
                suffix[ones] = zero * suffix[ones] + one * following
                largest = max(largest, suffix[ones])
            suffix[: top + 1] /= largest
            for state in range(states):
                side = within if counted[scope] >> state & 1 else without
                shares[state] = weights[place, state] * side
            _add(weights[place], shares, sums[own[place]], kinds[scope], plain)


@kernel
@no_type_check
def permutation_marginals(marginals, scopes, kinds, tables, sums, misfit, floor, plain):
    """Every state once in a scope of as many cells: shares of the permanent (`subsets`). `tables`
    gives the precision, three rows of lanes a subset."""
    count, size = scopes.shape
    full = (1 << size) - 1
    width = tables.shape[2]
    prefixes, suffixes = tables[0], tables[1]
    lanes = tables[2, : size * size].reshape(size, size, width)
    shares = np.zeros_like(lanes)
    taken = subset_sizes(size)
    weights = np.empty(size)
    one_cell = np.empty(size)
    for first in range(0, count, width):
        filled = min(width, count - first)
        lanes[:] = 0.0
        for lane in range(filled):
            for place in range(size):
                _weigh(marginals, scopes[first + lane, place], weights, floor)
                for state in range(size):
                    lanes[place, state, lane] = weights[state]
        fill_prefixes(lanes, taken, prefixes, 0.0)
        fill_shares(lanes, taken, prefixes, suffixes, shares, 0.0)
        for lane in range(filled):
            own, kind = scopes[first + lane], kinds[first + lane]
            _note_misfit(np.log(prefixes[full, lane]), own, misfit, kind)
            for place in range(size):
                for state in range(size):
                    weights[state] = lanes[place, state, lane]
                    one_cell[state] = shares[place, state, lane]
                _add(weights, one_cell, sums[own[place]], kind, plain)


@kernel
@no_type_check
def add_retrieval(scopes, kinds, weights, shares, energies, sums, misfit, floor, plain):
    """Marginals that were worked out elsewhere."""
    for scope in range(len(kinds)):
        _note_misfit(-energies[scope], scopes[scope], misfit, kinds[scope])
        for place in range(scopes.shape[1]):
            cell = scopes[scope, place]
            _add(weights[scope, place], shares[scope, place], sums[cell], kinds[scope], plain)


def subset_tables(size: int, count: int, floor: float) -> np.ndarray:
    """Room for `permutation_marginals`, in float32 where products of floors stay within it."""
    narrow = size * np.log10(floor) >= np.log10(np.finfo(np.float32).tiny) + 1
    rows = max(1 << size, size * size)
    return np.empty((3, rows, min(LANES, count)), np.float32 if narrow else np.float64)
