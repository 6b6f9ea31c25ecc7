"""Compiled search: probing (try each state of each open cell), and going down in depth."""

from __future__ import annotations

from typing import NamedTuple, no_type_check

import numpy as np

from erm.rulebook.kernel import inner_kernel, kernel, thin_kernel
from erm.rulebook.propagation.engine import load, look_at_all, rest
from erm.rulebook.propagation.work import CULPRIT, TRAIL, assign, undo, workspace

FRESH, PENDING, ANSWERED = 0, 1, 2
"""Where a search stands between two calls."""
EXHAUSTED, ANSWER, SPENT = 0, 1, 2
"""Why a search came back."""
PHASE, DEPTH, NODES, TRIES, NEXT, LOOKED_AT, VERSION, SINCE = range(8)
"""Places in `Search.at`; NEXT and LOOKED_AT are the next cell to be probed and how many have been
since something changed."""


class Search(NamedTuple):
    """What a search remembers beside the propagation's own arrays."""

    at: np.ndarray
    cells: np.ndarray
    """The guessed cell of each decision."""
    states: np.ndarray
    lengths: np.ndarray
    """The trail's length before each decision."""
    scores: np.ndarray
    """How much the tried states of each cell settled when it was last probed, 1 before that; of
    cells with equally few states the highest, times its weight, goes first."""
    weights: np.ndarray
    """1, and 1 more each time that a scope of the cell could not be kept: what is hard is guessed
    early, so that what does not matter is not tried again and again."""
    first: np.ndarray
    """The state of each cell that is tried before the others, or the next one that is left."""
    union: np.ndarray
    """Rows: states that some try left, how many tries changed the cell, the last of them, and
    the cells that any changed."""
    sure: np.ndarray
    """Rows: states that some try has settled the cell in without a contradiction, which need no
    try of their own, and the version of the domain for which this holds."""
    stale: np.ndarray
    """Cells to be probed: some cell that they share a scope with has changed since they were."""


@inner_kernel
@no_type_check
def new_search(p):
    cells = len(p.printed)
    return Search(
        np.zeros(8, np.int64),
        np.empty(cells * p.states, np.int64),
        np.empty(cells * p.states, np.int64),
        np.empty(cells * p.states, np.int64),
        np.ones(cells, np.int64),
        np.ones(cells, np.int64),
        np.zeros(cells, np.int64),
        np.full((4, cells), -1, np.int64),
        np.full((2, cells), -1, np.int64),
        np.zeros(cells, np.bool_),
    )


@kernel
@no_type_check
def start(p, domain):
    """A workspace and a search that begins with a domain, or with nothing at all to do."""
    w, s = workspace(p), new_search(p)
    w.at[CULPRIT] = -1
    if not load(p, w, domain):
        s.at[PHASE] = ANSWERED
    return w, s


@kernel
@no_type_check
def go_on(p, w, s, nodes, tries, probing):
    """Search for the next answer until so many nodes or tries; why it came back.

    At an answer every mask holds one state. Called again the search goes on behind it.
    """
    nodes += s.at[NODES]
    tries += s.at[TRIES]
    fine = s.at[PHASE] != ANSWERED
    if s.at[PHASE] == FRESH:
        look_at_all(p, w)
        fine = rest(p, w)
    while True:
        if not fine:
            if s.at[DEPTH] == 0:
                s.at[PHASE] = ANSWERED
                return EXHAUSTED
            _blame(p, w, s)
            s.at[DEPTH] -= 1
            depth = s.at[DEPTH]
            undo(p, w, s.lengths[depth])
            s.at[SINCE] = s.lengths[depth]
            cell = s.cells[depth]
            fine = assign(p, w, cell, w.masks[cell] & ~s.states[depth]) and rest(p, w)
            s.at[TRIES] += 1
            continue
        if s.at[NODES] >= nodes or s.at[TRIES] >= tries:
            s.at[PHASE] = PENDING
            return SPENT
        if probing:
            verdict = probe_all(p, w, s, tries)
            if verdict < 0:
                fine = False
                continue
            if verdict == 0:
                s.at[PHASE] = PENDING
                return SPENT
        cell, state = _choose(p, w, s, probing)
        if cell < 0:
            s.at[PHASE] = ANSWERED
            return ANSWER
        depth = s.at[DEPTH]
        s.cells[depth], s.states[depth], s.lengths[depth] = cell, state, w.at[TRAIL]
        s.at[DEPTH] += 1
        s.at[SINCE] = w.at[TRAIL]
        s.at[NODES] += 1
        s.at[TRIES] += 1
        fine = assign(p, w, cell, state) and rest(p, w)


@thin_kernel
@no_type_check
def _blame(p, w, s):
    """The cells of the scope that could not be kept weigh more from now on."""
    scope = w.at[CULPRIT]
    if scope >= 0:
        for place in range(p.start[scope], p.start[scope + 1]):
            s.weights[p.cells[place]] += 1
    w.at[CULPRIT] = -1


@inner_kernel
@no_type_check
def _choose(p, w, s, probing):
    """The open cell with the fewest states, then the one that settles most where it is hard, and
    a state of it."""
    best, fewest, most = -1, p.states + 1, -1
    for cell in range(len(w.masks)):
        mask = w.masks[cell]
        if mask & mask - 1 == 0:
            continue
        count = 0
        while mask:
            mask &= mask - 1
            count += 1
        score = s.scores[cell] * s.weights[cell]
        if count < fewest or (count == fewest and score > most):
            best, fewest, most = cell, count, score
    if best < 0:
        return -1, 0
    left = w.masks[best] & -(1 << s.first[best])
    if left == 0:
        left = w.masks[best]
    return best, left & -left


@inner_kernel
@no_type_check
def probe_all(p, w, s, tries):
    """Try every state of the open cells near what has changed, until none is refuted and no two
    tries agree on more. At first, and only then, all cells are near.

    1 at rest, 0 when so many tries are spent, -1 at a contradiction.
    """
    cells = len(w.masks)
    if s.at[SINCE] >= 0:
        for cell in range(cells):
            s.stale[cell] = s.at[SINCE] == 0
        _mark_stale(p, w, s, s.at[SINCE])
        s.at[SINCE] = -1
        s.at[VERSION] += 1
        s.at[LOOKED_AT] = 0
    while s.at[LOOKED_AT] < cells:
        cell = s.at[NEXT]
        mask = w.masks[cell]
        looked_at = not s.stale[cell] or mask & mask - 1 == 0
        if not looked_at and s.at[TRIES] >= tries:
            # A search that comes back here goes on as if it had never left.
            return 0
        s.at[NEXT] = cell + 1 if cell + 1 < cells else 0
        s.at[LOOKED_AT] += 1
        if looked_at:
            continue
        length = w.at[TRAIL]
        verdict = probe_cell(p, w, s, cell)
        if verdict < 0:
            return -1
        s.stale[cell] = False
        if verdict > 0:
            _mark_stale(p, w, s, length)
            s.at[LOOKED_AT] = 0
            s.at[VERSION] += 1
    return 1


@inner_kernel
@no_type_check
def _mark_stale(p, w, s, length):
    """Cells in a scope with one that has changed since the trail had that length."""
    for place in range(length, w.at[TRAIL]):
        cell = w.trail_cells[place]
        for index in range(p.counts_from[cell], p.counts_from[cell + 1]):
            scope = p.counts_of[index]
            for at in range(p.start[scope], p.start[scope + 1]):
                s.stale[p.cells[at]] = True
        for index in range(p.scopes_from[cell], p.scopes_from[cell + 1]):
            scope = p.scopes_of[index]
            for at in range(p.start[scope], p.start[scope + 1]):
                s.stale[p.cells[at]] = True


@inner_kernel
@no_type_check
def probe_cell(p, w, s, cell):
    """Try each state of a cell: refuted ones go, and so does what goes whichever holds.

    1 where something went, 0 where nothing did, -1 at a contradiction.
    """
    kept, survivors, touched, score = w.masks[cell], 0, 0, 1
    length = w.at[TRAIL]
    left, skipped = kept, False
    while left:
        state = left & -left
        left ^= state
        if s.sure[1, cell] == s.at[VERSION] and s.sure[0, cell] & state:
            skipped = True
            continue
        s.at[TRIES] += 1
        if assign(p, w, cell, state) and rest(p, w):
            touched = _agree(w, s, length + 1, survivors, touched)
            survivors += 1
            score *= w.at[TRAIL] - length
        else:
            kept ^= state
        undo(p, w, length)
    s.scores[cell] = score
    if kept == 0:
        for index in range(touched):
            s.union[1, s.union[3, index]] = 0
        return -1
    if kept != w.masks[cell]:
        assign(p, w, cell, kept)
    for index in range(touched):
        other = s.union[3, index]
        common = s.union[0, other] & w.masks[other]
        if not skipped and s.union[1, other] == survivors and common != w.masks[other]:
            assign(p, w, other, common)
        s.union[1, other] = 0
    if w.at[TRAIL] == length:
        return 0
    return 1 if rest(p, w) else -1


@inner_kernel
@no_type_check
def _agree(w, s, length, survivors, touched):
    """Join what the present try left of the cells that it changed; how many any try has."""
    union, count, last, which = s.union[0], s.union[1], s.union[2], s.union[3]
    stamp = s.at[TRIES]
    for place in range(length, w.at[TRAIL]):
        cell = w.trail_cells[place]
        if last[cell] == stamp:
            continue
        last[cell] = stamp
        if s.sure[1, cell] != s.at[VERSION]:
            s.sure[0, cell], s.sure[1, cell] = 0, s.at[VERSION]
        if w.masks[cell] & w.masks[cell] - 1 == 0:
            s.sure[0, cell] |= w.masks[cell]
        if survivors == 0:
            union[cell], count[cell] = w.masks[cell], 1
            which[touched] = cell
            touched += 1
        elif count[cell] == survivors:
            union[cell] |= w.masks[cell]
            count[cell] += 1
    return touched
