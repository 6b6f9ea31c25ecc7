"""Kernels: the permanent of square tables and the share of each entry, by a dynamic program over
subsets of columns. Tables go side by side, each in a lane of the vector registers: the last axis of
all arrays."""

from __future__ import annotations

from typing import no_type_check

import numpy as np

from erm.rulebook.kernel import inner_kernel

LANES = 64
"""Tables that go through the program side by side, so that it runs in vector registers."""


@inner_kernel
@no_type_check
def subset_sizes(size):
    taken = np.zeros(1 << size, np.int64)
    for subset in range(1, 1 << size):
        taken[subset] = taken[subset >> 1] + (subset & 1)
    return taken


@inner_kernel
@no_type_check
def fill_prefixes(lanes, taken, prefixes, negligible):
    """prefixes[A]: the sum over all ways to give the first |A| rows the columns in A; that of all
    columns is the permanent. Sums below `negligible` count as 0."""
    size, _, width = lanes.shape
    prefixes[0, :] = 1.0
    for subset in range(1, 1 << size):
        row = taken[subset] - 1
        for lane in range(width):
            prefixes[subset, lane] = 0.0
        for column in range(size):
            if subset >> column & 1:
                before = subset ^ (1 << column)
                for lane in range(width):
                    prefixes[subset, lane] += prefixes[before, lane] * lanes[row, column, lane]
        _drop(prefixes[subset], negligible)


@inner_kernel
@no_type_check
def fill_shares(lanes, taken, prefixes, suffixes, shares, negligible):
    """What each entry adds to the permanent: over all subsets, the ways up to its row times the
    ways behind it, which are suffixes[A], with the columns outside of A."""
    size, _, width = lanes.shape
    full = (1 << size) - 1
    shares[:] = 0.0
    suffixes[full, :] = 1.0
    for subset in range(full - 1, -1, -1):
        row = taken[subset]
        for lane in range(width):
            suffixes[subset, lane] = 0.0
        for column in range(size):
            if not subset >> column & 1:
                after = subset | 1 << column
                for lane in range(width):
                    way = lanes[row, column, lane] * suffixes[after, lane]
                    suffixes[subset, lane] += way
                    shares[row, column, lane] += prefixes[subset, lane] * way
        _drop(suffixes[subset], negligible)


@inner_kernel
@no_type_check
def _drop(sums, negligible):
    if negligible > 0:
        for lane in range(len(sums)):
            if sums[lane] < negligible:
                sums[lane] = 0.0
