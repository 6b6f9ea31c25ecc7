"""Matchings of cells and states: which pairs some permutation within a domain holds."""

from __future__ import annotations

from typing import no_type_check

import numpy as np

from erm.rulebook.kernel import inner_kernel, kernel

ALLOWED, KEPT, OWNER, STATE_OF, DISPLACES, WANTED_BY, QUEUE = range(7)
"""Rows of the space that `permuted` works in."""


@kernel
@no_type_check
def matched(domains):
    """Which (cell, state) pairs belong to some permutation within each domain."""
    count, size, _ = domains.shape
    result = np.zeros(domains.shape, np.bool_)
    space = np.empty((7, size), np.int64)
    for unit in range(count):
        for cell in range(size):
            space[ALLOWED, cell] = 0
            for state in range(size):
                if domains[unit, cell, state]:
                    space[ALLOWED, cell] |= 1 << state
        if permuted(size, space):
            for cell in range(size):
                for state in range(size):
                    result[unit, cell, state] = space[KEPT, cell] >> state & 1
    return result


@inner_kernel
@no_type_check
def permuted(size, space):
    """From the states allowed to each cell those that it has in some permutation; False if none.

    One permutation is found by augmenting paths. Another that gives a cell someone else's state
    exists exactly where the owner can take another cell's, and so on round to the first. Sets of
    states and of cells are the bits of a number.
    """
    allowed, kept, displaces = space[ALLOWED], space[KEPT], space[DISPLACES]
    owner, state_of = space[OWNER], space[STATE_OF]
    if not _find_permutation(size, allowed, owner, state_of, space[WANTED_BY], space[QUEUE]):
        return False
    # displaces[a] holds b: a may take b's state, directly or by moving others on the way.
    for one in range(size):
        displaces[one] = 0
        for other in range(size):
            displaces[one] |= (allowed[one] >> state_of[other] & 1) << other
    for middle in range(size):
        behind = displaces[middle]
        for one in range(size):
            if displaces[one] >> middle & 1:
                displaces[one] |= behind
    for cell in range(size):
        kept[cell] = 0
    for state in range(size):
        takers = displaces[owner[state]]
        for cell in range(size):
            kept[cell] |= (allowed[cell] >> state & takers >> cell & 1) << state
    return True


@inner_kernel
@no_type_check
def _find_permutation(size, allowed, owner, state_of, wanted_by, queue):
    """Give each cell an allowed state, moving others where need be; whether there is a way."""
    for state in range(size):
        owner[state] = -1
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
