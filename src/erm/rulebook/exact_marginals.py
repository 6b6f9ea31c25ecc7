"""Kernels: what each kind of memory makes of a belief, its exact marginals told as log-odds.

A scope's cells are believed independently, p[cell, state]. A memory weighs its patterns by the
product of their cells; the marginals r of that weighing are the gradient of its free energy at
the costs -log p. `log r/(1 - r) - log p/(1 - p)` is what the rule says beyond the belief, added
to `said`; how much less likely its best patterns are than the belief's own best, in nats, is how
badly the scope fits, and the worst of a cell's scopes is kept in `misfit`.

Weights are scaled to a largest of 1 a cell, so the belief's own best pattern weighs 1.
"""

from __future__ import annotations

from typing import no_type_check

import numpy as np

from erm.rulebook.kernel import kernel
from erm.rulebook.subsets import LANES, fill_prefixes, fill_shares, subset_sizes

FLOOR = 1e-4
"""A state is never believed less than this: no advice rests on a zero, and products of nine
stay within float32."""
MOST_SAID = 8.0
"""Log-odds beyond these are certainty."""
WORST_FIT = 8.0
"""Nats at which a scope fits as badly as can be told."""


@kernel
@no_type_check
def _weigh(belief, cell, weights):
    """A cell's states relative to its likeliest, none below the floor."""
    best = FLOOR
    for state in range(len(weights)):
        best = max(best, belief[cell, state])
    for state in range(len(weights)):
        weights[state] = max(belief[cell, state], FLOOR) / best


@kernel
@no_type_check
def _tell(weights, shares, said, kind):
    """Add what the marginals, in any scale, say of a cell's states beyond its weights."""
    for state in range(len(weights)):
        believed_not = 0.0
        retrieved_not = 0.0
        for other in range(len(weights)):
            if other != state:
                believed_not += weights[other]
                retrieved_not += shares[other]
        for_it = shares[state] * believed_not
        against = retrieved_not * weights[state]
        if for_it > 0 and against > 0:
            odds = min(max(np.log(for_it / against), -MOST_SAID), MOST_SAID)
        elif for_it > 0:
            odds = MOST_SAID
        elif against > 0:
            odds = -MOST_SAID
        else:
            odds = 0.0
        said[state, kind] += odds


@kernel
@no_type_check
def _doubt(log_mass, cells, misfit, kind):
    """Keep how badly a scope fits where it is the worst that its cells have heard."""
    lack = min(max(-log_mass, 0.0), WORST_FIT)
    for cell in cells:
        misfit[cell, kind] = max(misfit[cell, kind], lack)


@kernel
@no_type_check
def hear_patterns(belief, starts, cells, kinds, first, last, patterns, said, misfit):
    """Listed patterns: scope j has the cells from starts[j] on, and its memory's states lie, one
    row of so many after the other, from first[j] to last[j] in `patterns`."""
    states = belief.shape[1]
    longest = 1
    for scope in range(len(kinds)):
        longest = max(longest, starts[scope + 1] - starts[scope])
    weights = np.empty((longest, states))
    shares = np.empty((longest, states))
    for scope in range(len(kinds)):
        own = cells[starts[scope] : starts[scope + 1]]
        size = len(own)
        for place in range(size):
            _weigh(belief, own[place], weights[place])
            shares[place] = 0.0
        total = 0.0
        for row in range(first[scope], last[scope], max(size, 1)):
            weight = 1.0
            for place in range(size):
                weight *= weights[place, patterns[row + place]]
            total += weight
            for place in range(size):
                shares[place, patterns[row + place]] += weight
        _doubt(np.log(total) if total > 0 else -np.inf, own, misfit, kinds[scope])
        if total > 0:
            for place in range(size):
                _tell(weights[place], shares[place], said[own[place]], kinds[scope])


@kernel
@no_type_check
def hear_counts(belief, starts, cells, kinds, low, high, counted, said, misfit):
    """Counts from low[j] to high[j] of cells in one of the states whose bits are set in counted[j],
    by prefixes and suffixes of cells.

    To a count a cell has two sides, counted or not, and its states share their side's part. Where
    there is no upper bound, all counts from `low` on are one. Rows of the program are scaled to a
    largest of 1 on the way, so that scopes may be of any length.
    """
    states = belief.shape[1]
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
            _doubt(-np.inf, own, misfit, kinds[scope])
            continue
        unbounded = most == size
        top = least if unbounded else most
        prefixes[0, : top + 1] = 0.0
        prefixes[0, 0] = 1.0
        log_mass = 0.0
        for place in range(size):
            _weigh(belief, own[place], weights[place])
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
        _doubt(log_mass + np.log(total) if total > 0 else -np.inf, own, misfit, kinds[scope])
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
            _tell(weights[place], shares, said[own[place]], kinds[scope])


@kernel
@no_type_check
def hear_permutations(belief, scopes, kinds, tables, said, misfit):
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
    told = np.empty(size)
    for first in range(0, count, width):
        filled = min(width, count - first)
        lanes[:] = 0.0
        for lane in range(filled):
            for place in range(size):
                _weigh(belief, scopes[first + lane, place], weights)
                for state in range(size):
                    lanes[place, state, lane] = weights[state]
        fill_prefixes(lanes, taken, prefixes, 0.0)
        fill_shares(lanes, taken, prefixes, suffixes, shares, 0.0)
        for lane in range(filled):
            own, kind = scopes[first + lane], kinds[first + lane]
            _doubt(np.log(prefixes[full, lane]), own, misfit, kind)
            for place in range(size):
                for state in range(size):
                    weights[state] = lanes[place, state, lane]
                    told[state] = shares[place, state, lane]
                _tell(weights, told, said[own[place]], kind)


@kernel
@no_type_check
def tell_shares(scopes, kinds, weights, shares, energies, said, misfit):
    """Marginals that were worked out elsewhere."""
    for scope in range(len(kinds)):
        _doubt(-energies[scope], scopes[scope], misfit, kinds[scope])
        for place in range(scopes.shape[1]):
            cell = scopes[scope, place]
            _tell(weights[scope, place], shares[scope, place], said[cell], kinds[scope])


def subset_tables(size: int, count: int) -> np.ndarray:
    """Room for `hear_permutations`; up to nine cells, products of floors stay within float32."""
    narrow = size * np.log10(FLOOR) >= np.log10(np.finfo(np.float32).tiny) + 1
    rows = max(1 << size, size * size)
    return np.empty((3, rows, min(LANES, count)), np.float32 if narrow else np.float64)
