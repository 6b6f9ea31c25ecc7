"""Matchings of cells and states: which pairs some permutation within a domain holds."""

from __future__ import annotations

from typing import no_type_check

import numpy as np

from erm.rulebook.kernel import kernel


@kernel
@no_type_check
def matched(domains):
    """Which (cell, state) pairs belong to some permutation within each domain.

    One permutation is found by augmenting paths. Another that gives a cell someone else's state
    exists exactly where the owner can take another cell's, and so on round to the first. Sets of
    states and of cells are the bits of a number.
    """
    count, size, _ = domains.shape
    result = np.zeros(domains.shape, np.bool_)
    allowed = np.empty(size, np.int64)
    owner = np.empty(size, np.int64)
    state_of = np.empty(size, np.int64)
    displaces = np.empty(size, np.int64)
    wanted_by = np.empty(size, np.int64)
    queue = np.empty(size, np.int64)
    for unit in range(count):
        for cell in range(size):
            allowed[cell] = 0
            for state in range(size):
                if domains[unit, cell, state]:
                    allowed[cell] |= 1 << state
        if not _find_permutation(allowed, owner, state_of, wanted_by, queue):
            continue
        # displaces[a] holds b: a may take b's state, directly or by moving others on the way.
        for one in range(size):
            displaces[one] = 0
            for other in range(size):
                displaces[one] |= (allowed[one] >> state_of[other] & 1) << other
        for middle in range(size):
            for one in range(size):
                if displaces[one] >> middle & 1:
                    displaces[one] |= displaces[middle]
        for state in range(size):
            for cell in range(size):
                if allowed[cell] >> state & displaces[owner[state]] >> cell & 1:
                    result[unit, cell, state] = True
    return result


@kernel
@no_type_check
def _find_permutation(allowed, owner, state_of, wanted_by, queue):
    """Give each cell an allowed state, moving others where need be; whether there is a way."""
    size = len(allowed)
    owner[:] = -1
    taken = 0
    for cell in range(size):
        free = allowed[cell] & ~taken
        state = 0
        if free:
            while not free >> state & 1:
                state += 1
            owner[state], state_of[cell] = cell, state
            taken |= 1 << state
            continue
        seen, first, last, found = 0, 0, 1, -1
        queue[0] = cell
        while first < last and found < 0:
            at = queue[first]
            first += 1
            fresh = allowed[at] & ~seen
            for state in range(size):
                if fresh >> state & 1:
                    wanted_by[state] = at
                    if owner[state] < 0:
                        found = state
                        break
                    queue[last] = owner[state]
                    last += 1
            seen |= fresh
        if found < 0:
            return False
        taken |= 1 << found
        state = found
        while True:
            taker = wanted_by[state]
            left = state_of[taker]
            owner[state], state_of[taker] = taker, state
            if taker == cell:
                break
            state = left
    return True
