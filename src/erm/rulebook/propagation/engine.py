"""Propagation to rest: cheap scopes, then costly ones, then rules about the whole board."""

from __future__ import annotations

from typing import no_type_check

import numpy as np

from erm.rulebook.kernel import inner_kernel, kernel, thin_kernel
from erm.rulebook.propagation.areas import connected_area, cover, seeded_areas
from erm.rulebook.propagation.parts import COUNT, MATCHING, SINGLES, TALLY
from erm.rulebook.propagation.scopes import (
    count_scope,
    matching_scope,
    patterns_scope,
    singles_scope,
    tally_scope,
)
from erm.rulebook.propagation.work import (
    CHEAP_FIRST,
    CHEAP_LEFT,
    CLOCK,
    COSTLY_FIRST,
    COSTLY_LEFT,
    CULPRIT,
    TRAIL,
    enqueue,
    forget_queues,
    workspace,
)


@inner_kernel
@no_type_check
def rest(p, w):
    """Run all rules until none finds anything more; False at a contradiction."""
    while _run_scopes(p, w):
        verdict = _run_board(p, w)
        if verdict == 0:
            return True
        if verdict < 0:
            break
    forget_queues(w)
    return False


@thin_kernel
@no_type_check
def run_scope(p, w, scope):
    """One scope by itself; False at a contradiction."""
    kind = p.kind[scope]
    if kind == COUNT:
        return count_scope(p, w, scope)
    if kind == SINGLES:
        return singles_scope(p, w, scope)
    if kind == TALLY:
        return tally_scope(p, w, scope)
    if kind == MATCHING:
        return matching_scope(p, w, scope)
    return patterns_scope(p, w, scope)


@thin_kernel
@no_type_check
def run_board_rule(p, w, rule):
    """One rule about the whole board by itself; False at a contradiction."""
    areas, groups = len(p.members), len(p.seeded)
    if rule < areas:
        return connected_area(p, w, rule)
    if rule < areas + groups:
        return seeded_areas(p, w, rule - areas)
    return cover(p, w, rule - areas - groups)


@thin_kernel
@no_type_check
def _run_scopes(p, w):
    at, size = w.at, len(w.cheap)
    while True:
        if at[CHEAP_LEFT]:
            scope = w.cheap[at[CHEAP_FIRST]]
            at[CHEAP_FIRST] = (at[CHEAP_FIRST] + 1) % size
            at[CHEAP_LEFT] -= 1
        elif at[COSTLY_LEFT]:
            scope = w.costly[at[COSTLY_FIRST]]
            at[COSTLY_FIRST] = (at[COSTLY_FIRST] + 1) % size
            at[COSTLY_LEFT] -= 1
        else:
            return True
        # Queued while it runs: its own changes leave it nothing more to do.
        fine = run_scope(p, w, scope)
        w.queued[scope] = False
        if not fine:
            at[CULPRIT] = scope
            return False


@thin_kernel
@no_type_check
def _run_board(p, w):
    """1 as soon as a rule about the whole board changes something, 0 if none does, -1 at a
    contradiction."""
    for rule in range(len(w.ran)):
        before = w.at[CLOCK]
        if w.ran[rule] == before:
            continue
        if not run_board_rule(p, w, rule):
            w.at[CULPRIT] = -1
            return -1
        if w.at[CLOCK] != before:
            return 1
        w.ran[rule] = before
    return 0


@inner_kernel
@no_type_check
def look_at_all(p, w):
    """Count anew, and queue every scope that may have something to say."""
    for scope in range(len(p.kind)):
        if p.kind[scope] == COUNT:
            fewest, most = 0, 0
            for place in range(p.start[scope], p.start[scope + 1]):
                mask = w.masks[p.cells[place]]
                fewest += mask == 2
                most += mask >> 1 & 1
            w.fewest[scope], w.most[scope] = fewest, most
            if most > p.low[scope] and fewest < p.high[scope]:
                continue
        enqueue(p, w, scope)


@inner_kernel
@no_type_check
def load(p, w, domain):
    """Start over from a domain within what is printed; False where a cell has no state."""
    w.at[TRAIL] = 0
    fine = True
    for cell in range(len(domain)):
        mask = 0
        for state in range(p.states):
            mask |= domain[cell, state] << state
        w.masks[cell] = mask & p.printed[cell]
        fine &= w.masks[cell] != 0
    w.at[CLOCK] += 1
    return fine


@inner_kernel
@no_type_check
def store(p, w, domain):
    for cell in range(len(domain)):
        for state in range(p.states):
            domain[cell, state] = w.masks[cell] >> state & 1


@kernel
@no_type_check
def prune_rows(p, domains):
    """Each domain at rest, all empty at a contradiction."""
    w = workspace(p)
    pruned = np.zeros(domains.shape, np.bool_)
    for row in range(len(domains)):
        if load(p, w, domains[row]):
            look_at_all(p, w)
            if rest(p, w):
                store(p, w, pruned[row])
    return pruned
