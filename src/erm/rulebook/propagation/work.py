"""What a run of the propagation writes to: masks, the way back, queues, scratch space."""

from __future__ import annotations

from typing import NamedTuple, no_type_check

import numpy as np

from erm.rulebook.kernel import inner_kernel
from erm.rulebook.propagation.parts import PATTERNS

TRAIL, CLOCK, CHEAP_FIRST, CHEAP_LEFT, COSTLY_FIRST, COSTLY_LEFT, CULPRIT = range(7)
"""Places in `Work.at`: length of the trail, changes so far, both queues, the scope that failed."""


class Work(NamedTuple):
    """Arrays of one run; `workspace` makes them."""

    masks: np.ndarray
    trail_cells: np.ndarray
    trail_masks: np.ndarray
    at: np.ndarray
    cheap: np.ndarray
    costly: np.ndarray
    queued: np.ndarray
    fewest: np.ndarray
    """Of each counting scope, the cells that are 1."""
    most: np.ndarray
    """Of each counting scope, the cells that are 1 or may become so."""
    ran: np.ndarray
    """For each rule about the whole board, the clock when it last found nothing to do."""
    words: np.ndarray
    unit: np.ndarray
    grid: np.ndarray


@inner_kernel
@no_type_check
def workspace(p):
    cells, scopes = len(p.printed), len(p.kind)
    longest = 1
    for scope in range(scopes):
        longest = max(longest, p.start[scope + 1] - p.start[scope])
    return Work(
        p.printed.copy(),
        np.empty(cells * p.states + 1, np.int64),
        np.empty(cells * p.states + 1, np.int64),
        np.zeros(7, np.int64),
        np.empty(scopes + 1, np.int64),
        np.empty(scopes + 1, np.int64),
        np.zeros(scopes, np.bool_),
        np.empty(scopes, np.int64),
        np.empty(scopes, np.int64),
        np.full(len(p.members) + len(p.seeded) + len(p.covered), -1, np.int64),
        np.empty((2, longest // p.packed + 1), np.int64),
        np.empty((7, 64), np.int64),
        np.empty((8, cells), np.int64),
    )


@inner_kernel
@no_type_check
def enqueue(p, w, scope):
    """Look at a scope (again)."""
    if w.queued[scope]:
        return
    w.queued[scope] = True
    at, size = w.at, len(w.cheap)
    if p.kind[scope] < PATTERNS:
        place = at[CHEAP_FIRST] + at[CHEAP_LEFT]
        w.cheap[place if place < size else place - size] = scope
        at[CHEAP_LEFT] += 1
    else:
        place = at[COSTLY_FIRST] + at[COSTLY_LEFT]
        w.costly[place if place < size else place - size] = scope
        at[COSTLY_LEFT] += 1


@inner_kernel
@no_type_check
def assign(p, w, cell, mask):
    """Leave a cell fewer states than it has; whether any."""
    at = w.at
    w.trail_cells[at[TRAIL]] = cell
    w.trail_masks[at[TRAIL]] = w.masks[cell]
    at[TRAIL] += 1
    at[CLOCK] += 1
    w.masks[cell] = mask
    for place in range(p.counts_from[cell], p.counts_from[cell + 1]):
        scope = p.counts_of[place]
        if mask == 2:
            w.fewest[scope] += 1
            if w.fewest[scope] >= p.high[scope]:
                enqueue(p, w, scope)
        else:
            w.most[scope] -= 1
            if w.most[scope] <= p.low[scope]:
                enqueue(p, w, scope)
    for place in range(p.scopes_from[cell], p.scopes_from[cell + 1]):
        enqueue(p, w, p.scopes_of[place])
    return mask != 0


@inner_kernel
@no_type_check
def undo(p, w, length):
    """Take back the changes since the trail had that length."""
    at = w.at
    if at[TRAIL] > length:
        at[CLOCK] += 1
    while at[TRAIL] > length:
        at[TRAIL] -= 1
        cell, mask = w.trail_cells[at[TRAIL]], w.trail_masks[at[TRAIL]]
        for place in range(p.counts_from[cell], p.counts_from[cell + 1]):
            scope = p.counts_of[place]
            if w.masks[cell] == 2:
                w.fewest[scope] -= 1
            else:
                w.most[scope] += 1
        w.masks[cell] = mask


@inner_kernel
@no_type_check
def forget_queues(w):
    """After a contradiction nothing needs to be looked at."""
    at, size = w.at, len(w.cheap)
    for turn in range(at[CHEAP_LEFT]):
        w.queued[w.cheap[(at[CHEAP_FIRST] + turn) % size]] = False
    for turn in range(at[COSTLY_LEFT]):
        w.queued[w.costly[(at[COSTLY_FIRST] + turn) % size]] = False
    at[CHEAP_LEFT] = at[COSTLY_LEFT] = 0
