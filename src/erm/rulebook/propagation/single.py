"""Rules one at a time: what a single one changes, and which trial fails soonest."""

from __future__ import annotations

from typing import no_type_check

from erm.rulebook.kernel import kernel
from erm.rulebook.propagation.engine import look_at_all, rest, run_board_rule, run_scope
from erm.rulebook.propagation.work import CLOCK, TRAIL, assign, forget_queues, undo, workspace


@kernel
@no_type_check
def first_change(p, masks, order):
    """The first of the rules, scopes before those about the whole board, that rules something
    out by itself: its place in the order, -1 for none, whether it leaves hope, and what it leaves.
    """
    w = workspace(p)
    for cell in range(len(masks)):
        w.masks[cell] = masks[cell]
    look_at_all(p, w)
    forget_queues(w)
    for place in range(len(order)):
        before = w.at[CLOCK]
        if order[place] < len(p.kind):
            fine = run_scope(p, w, order[place])
        else:
            fine = run_board_rule(p, w, order[place] - len(p.kind))
        if not fine or w.at[CLOCK] != before:
            return place, fine, w.masks
        forget_queues(w)
    return -1, True, w.masks


@kernel
@no_type_check
def soonest_refuted(p, masks, first, last):
    """Of the cells from the first to before the last, the one that all rules together refute in
    some state with the fewest changes: how many, cell and state; -1 for none."""
    w = workspace(p)
    for cell in range(len(masks)):
        w.masks[cell] = masks[cell]
    look_at_all(p, w)
    best, best_cell, best_state = 1 << 60, -1, -1
    if not rest(p, w):
        return best, best_cell, best_state
    length = w.at[TRAIL]
    for cell in range(first, last):
        mask = w.masks[cell]
        if mask & mask - 1 == 0:
            continue
        for state in range(p.states):
            if not mask >> state & 1:
                continue
            fine = assign(p, w, cell, 1 << state) and rest(p, w)
            changes = w.at[TRAIL] - length
            undo(p, w, length)
            if not fine and changes < best:
                best, best_cell, best_state = changes, cell, state
    return best, best_cell, best_state
