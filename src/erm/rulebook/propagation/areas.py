"""Kernels for rules about the whole board: one connected area, areas that grow from seeds."""

from __future__ import annotations

from typing import no_type_check

from erm.rulebook.kernel import inner_kernel
from erm.rulebook.propagation.parts import ANY_SIZE
from erm.rulebook.propagation.scopes import gather
from erm.rulebook.propagation.work import assign

WHEN, LOW, PARENT, SIDE, HOLDS = range(5)
PIECE, QUEUE, STEPS, VISITOR, REACHED, OWNER, SIZE, CLAIMANT = range(8)
"""Rows of the scratch grid."""


@inner_kernel
@no_type_check
def connected_area(p, w, area):
    """Cells that the area cannot reach are not in it; those it cannot do without are.

    A walk in depth from a known cell reaches all that the area may hold. A cell is needed where a
    part of the walk behind it holds known cells and has no other way back (Tarjan's low links).
    Without any known cell everything stays open.
    """
    masks, members, around = w.masks, p.members[area], p.area_around[area]
    when, low, parent = w.grid[WHEN], w.grid[LOW], w.grid[PARENT]
    side, holds = w.grid[SIDE], w.grid[HOLDS]
    cells, sides = around.shape
    cell, possible = -1, False
    for one in range(cells):
        when[one] = -1
        side[one] = 0
        possible |= masks[one] & members[one] != 0
        if masks[one] & ~members[one] == 0:
            cell = one
    if cell < 0:
        return possible or not p.needed[area]
    parent[cell] = -1
    when[cell] = low[cell] = clock = 0
    holds[cell] = 1
    while cell >= 0:
        if side[cell] < sides:
            other = around[cell, side[cell]]
            side[cell] += 1
            if other < 0 or masks[other] & members[other] == 0:
                continue
            if when[other] < 0:
                clock += 1
                when[other] = low[other] = clock
                parent[other] = cell
                holds[other] = masks[other] & ~members[other] == 0
                cell = other
            elif when[other] < low[cell]:
                low[cell] = when[other]
            continue
        back = parent[cell]
        if back >= 0:
            holds[back] += holds[cell]
            if low[cell] < low[back]:
                low[back] = low[cell]
            if holds[cell] and low[cell] >= when[back]:
                rest = masks[back] & members[back]
                if rest != masks[back]:
                    assign(p, w, back, rest)
        cell = back
    for one in range(cells):
        lost = masks[one] & members[one] if when[one] < 0 else 0
        if lost and not assign(p, w, one, masks[one] & ~lost):
            return False
    return True


@inner_kernel
@no_type_check
def seeded_areas(p, w, group):
    """What no area can reach with the cells that it lacks is in none; where a piece can grow in
    one place only, it does; False where an area cannot be completed, or would hold two seeds."""
    first, last, bit = p.seeded[group, 0], p.seeded[group, 1], p.seeded[group, 2]
    around = p.seeded_around[group]
    masks, reached = w.masks, w.grid[REACHED]
    for seed in p.seeds[first:last]:
        if masks[seed] & bit == 0:
            return False
        if masks[seed] != bit:
            assign(p, w, seed, bit)
    pieces = _label_pieces(w, bit, around)
    if not _claim_pieces(p, w, first, last, pieces):
        return False
    if not _reach(p, w, first, last, bit, around, pieces):
        return False
    if _claim_by_reach(w, pieces) and not _reach(p, w, first, last, bit, around, pieces):
        return False
    for cell in range(len(masks)):
        lost = 0 if reached[cell] else masks[cell] & bit
        if lost and not assign(p, w, cell, masks[cell] & ~lost):
            return False
    _grow_pieces(p, w, bit, around, pieces)
    return True


@inner_kernel
@no_type_check
def _label_pieces(w, bit, around):
    """Number the connected pieces of known cells; -1 elsewhere. SIZE holds their sizes."""
    masks, piece, queue, size = w.masks, w.grid[PIECE], w.grid[QUEUE], w.grid[SIZE]
    piece[:] = -1
    pieces = 0
    for start in range(len(masks)):
        if masks[start] != bit or piece[start] >= 0:
            continue
        piece[start] = pieces
        queue[0] = start
        at, last = 0, 1
        while at < last:
            cell = queue[at]
            at += 1
            for other in around[cell]:
                if other >= 0 and masks[other] == bit and piece[other] < 0:
                    piece[other] = pieces
                    queue[last] = other
                    last += 1
        size[pieces] = last
        pieces += 1
    return pieces


@inner_kernel
@no_type_check
def _claim_pieces(p, w, first, last, pieces):
    """The number of the seed in each piece, OWNER, -1 for none; False where a piece holds two
    seeds or too many cells."""
    piece, size, owner = w.grid[PIECE], w.grid[SIZE], w.grid[OWNER]
    for one in range(pieces):
        owner[one] = -1
    for number in range(first, last):
        own = piece[p.seeds[number]]
        if owner[own] >= 0:
            return False
        owner[own] = number
        if p.sizes[number] != ANY_SIZE and p.sizes[number] < size[own]:
            return False
    return True


@inner_kernel
@no_type_check
def _reach(p, w, first, last, bit, around, pieces):
    """Mark what each area may reach, and the pieces that a single area can; False where an area
    reaches too little. An area that reaches no more than it needs takes it all, one with a single
    way out goes there."""
    reached, visitor, claimant = w.grid[REACHED], w.grid[VISITOR], w.grid[CLAIMANT]
    reached[:] = 0
    visitor[:] = -1
    claimant[:pieces] = -1
    for number in range(first, last):
        size = p.sizes[number]
        known = _walk_piece(w, number, p.seeds[number], around)
        lacking = size - known if size != ANY_SIZE else len(w.masks)
        end = _walk_out(w, number, bit, around, known, lacking)
        count, exits, way = _mark_reached(w, number, around, known, end, lacking)
        if size == ANY_SIZE:
            continue
        if count < size:
            return False
        if count == size:
            _take_all(p, w, number, bit, known, end)
        elif exits == 1 and w.masks[way] != bit:
            assign(p, w, way, bit)
    return True


@inner_kernel
@no_type_check
def _walk_piece(w, number, seed, around):
    """Put the known piece around a seed into the queue; its size."""
    piece, queue, visitor = w.grid[PIECE], w.grid[QUEUE], w.grid[VISITOR]
    steps, reached = w.grid[STEPS], w.grid[REACHED]
    queue[0] = seed
    visitor[seed] = number
    at, end = 0, 1
    while at < end:
        cell = queue[at]
        at += 1
        reached[cell] = 1
        steps[cell] = 0
        for other in around[cell]:
            if other >= 0 and piece[other] == piece[seed] and visitor[other] != number:
                visitor[other] = number
                queue[end] = other
                end += 1
    return end


@inner_kernel
@no_type_check
def _walk_out(w, number, bit, around, known, lacking):
    """Go on from the piece in the queue over possible cells that do not touch another seed's
    piece, by at most the cells that are lacking; how many cells the queue then holds.

    A cell costs one step, a piece on the way as many as it has cells. Cells whose steps shrink
    later are walked from again until none does.
    """
    masks, piece, queue, visitor = w.masks, w.grid[PIECE], w.grid[QUEUE], w.grid[VISITOR]
    steps, owner, size = w.grid[STEPS], w.grid[OWNER], w.grid[SIZE]
    own = piece[queue[0]]
    end, again = known, True
    while again:
        again = False
        at = 0
        while at < end:
            cell = queue[at]
            at += 1
            for other in around[cell]:
                if other < 0 or masks[other] & bit == 0 or piece[other] == own:
                    continue
                there = steps[cell] + 1
                if piece[other] >= 0:
                    there += (0 if piece[other] == piece[cell] else size[piece[other]]) - 1
                if there > lacking:
                    continue
                if visitor[other] == number:
                    if there < steps[other]:
                        steps[other] = there
                        again = True
                    continue
                free = True
                for beside in around[other]:
                    if beside >= 0 and piece[beside] >= 0:
                        free &= owner[piece[beside]] < 0 or owner[piece[beside]] == number
                if piece[other] >= 0:
                    free &= owner[piece[other]] < 0 or owner[piece[other]] == number
                if free:
                    visitor[other] = number
                    steps[other] = there
                    queue[end] = other
                    end += 1
    return end


@inner_kernel
@no_type_check
def _mark_reached(w, number, around, known, end, lacking):
    """Of the cells walked to, those that the area can afford with the pieces that it would touch
    there: how many with its own, how many lie one step out, and the last of these."""
    piece, queue, visitor = w.grid[PIECE], w.grid[QUEUE], w.grid[VISITOR]
    steps, reached, size = w.grid[STEPS], w.grid[REACHED], w.grid[SIZE]
    claimant = w.grid[CLAIMANT]
    own = piece[queue[0]]
    count, exits, way = known, 0, -1
    for place in range(known, end):
        cell = queue[place]
        cost, beside_own = steps[cell], False
        for other in around[cell]:
            if other < 0 or piece[other] < 0 or piece[cell] >= 0:
                continue
            if piece[other] == own:
                beside_own = True
                continue
            joined = steps[cell] + size[piece[other]]
            if visitor[other] == number:
                joined = min(joined, steps[other] + 1)
            cost = max(cost, joined)
        if cost > lacking:
            visitor[cell] = -1
            continue
        reached[cell] = 1
        count += 1
        if piece[cell] >= 0 and claimant[piece[cell]] != number:
            claimant[piece[cell]] = number if claimant[piece[cell]] == -1 else -2
        if beside_own:
            exits += 1
            way = cell
    return count, exits, way


@inner_kernel
@no_type_check
def _take_all(p, w, number, bit, known, end):
    for place in range(known, end):
        cell = w.grid[QUEUE, place]
        if w.grid[VISITOR, cell] == number and w.masks[cell] != bit:
            assign(p, w, cell, bit)


@inner_kernel
@no_type_check
def _claim_by_reach(w, pieces):
    """Give pieces without a seed that one area alone can reach to that area; whether any."""
    owner, claimant = w.grid[OWNER], w.grid[CLAIMANT]
    found = False
    for one in range(pieces):
        if owner[one] < 0 and claimant[one] >= 0:
            owner[one] = claimant[one]
            found = True
    return found


@inner_kernel
@no_type_check
def _grow_pieces(p, w, bit, around, pieces):
    """A piece without a seed that can grow into one cell only does so."""
    masks, piece, reached = w.masks, w.grid[PIECE], w.grid[REACHED]
    owner, exit_of = w.grid[OWNER], w.grid[QUEUE]
    for one in range(pieces):
        exit_of[one] = -1
    for cell in range(len(masks)):
        if piece[cell] >= 0 or not reached[cell]:
            continue
        for beside in around[cell]:
            if beside >= 0 and piece[beside] >= 0:
                own = piece[beside]
                if exit_of[own] == -1:
                    exit_of[own] = cell
                elif exit_of[own] != cell:
                    exit_of[own] = -2
    for one in range(pieces):
        seeded = owner[one] >= 0 and piece[p.seeds[owner[one]]] == one
        if not seeded and exit_of[one] >= 0 and masks[exit_of[one]] != bit:
            assign(p, w, exit_of[one], bit)


@inner_kernel
@no_type_check
def cover(p, w, group):
    """A cell keeps the covered states only where a possible pattern of some scope requires them."""
    first, last, states = p.covered[group, 0], p.covered[group, 1], p.covered[group, 2]
    masks, covered = w.masks, w.grid[REACHED]
    covered[:] = 0
    for scope in range(first, last):
        words = gather(p, w, scope)
        domain, required = w.words[0], w.words[1]
        required[:words] = 0
        row = p.low[scope]
        for _ in range(p.high[scope]):
            possible = True
            for word in range(words):
                if p.table[row + word] & ~domain[word]:
                    possible = False
                    break
            if possible:
                for word in range(words):
                    required[word] |= p.table[row + word]
            row += 2 * words
        for place in range(p.start[scope], p.start[scope + 1]):
            at = place - p.start[scope]
            covered[p.cells[place]] |= required[at // p.packed] >> at % p.packed * p.states & states
    for cell in range(len(masks)):
        lost = masks[cell] & states & ~covered[cell]
        if lost and not assign(p, w, cell, masks[cell] & ~lost):
            return False
    return True
