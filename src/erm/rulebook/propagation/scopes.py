"""Kernels for scopes: counts, singles and permutations of a unit, listed patterns."""

from __future__ import annotations

from typing import no_type_check

from erm.rulebook.kernel import inner_kernel
from erm.rulebook.matching import permuted
from erm.rulebook.propagation.work import assign


@inner_kernel
@no_type_check
def count_scope(p, w, scope):
    """Cells lose a state by which there would be too many ones, or too few; False if so anyway."""
    fewest, most = w.fewest[scope], w.most[scope]
    if fewest > p.high[scope] or most < p.low[scope]:
        return False
    if fewest == most:
        return True
    if fewest == p.high[scope]:
        left = 1
    elif most == p.low[scope]:
        left = 2
    else:
        return True
    for place in range(p.start[scope], p.start[scope + 1]):
        if w.masks[p.cells[place]] == 3:
            assign(p, w, p.cells[place], left)
    return True


@inner_kernel
@no_type_check
def tally_scope(p, w, scope):
    """The same for cells of many states, some of which count."""
    row = p.low[scope]
    counted, low, high = p.table[row], p.table[row + 1], p.table[row + 2]
    fewest, most = 0, 0
    for place in range(p.start[scope], p.start[scope + 1]):
        mask = w.masks[p.cells[place]]
        fewest += mask & ~counted == 0
        most += mask & counted != 0
    if fewest > high or most < low:
        return False
    if fewest == most:
        return True
    if fewest == high:
        left = ~counted
    elif most == low:
        left = counted
    else:
        return True
    for place in range(p.start[scope], p.start[scope + 1]):
        cell = p.cells[place]
        mask = w.masks[cell]
        if mask & counted and mask & ~counted:
            assign(p, w, cell, mask & left)
    return True


@inner_kernel
@no_type_check
def singles_scope(p, w, scope):
    """A state that a cell has taken is no other's; one that a single cell can take is its."""
    masks, first, last = w.masks, p.start[scope], p.start[scope + 1]
    while True:
        taken, once, twice = 0, 0, 0
        for place in range(first, last):
            mask = masks[p.cells[place]]
            twice |= once & mask
            once |= mask
            if mask & mask - 1 == 0:
                if taken & mask:
                    return False
                taken |= mask
        if once != (1 << p.states) - 1:
            return False
        once &= ~twice
        changed = False
        for place in range(first, last):
            mask = masks[p.cells[place]]
            if mask & mask - 1 == 0:
                continue
            rest = mask & ~taken
            if rest & once:
                rest &= once
            if rest & rest - 1 and rest & once:
                return False
            if rest != mask:
                changed = True
                if not assign(p, w, p.cells[place], rest):
                    return False
        if not changed:
            return True


@inner_kernel
@no_type_check
def matching_scope(p, w, scope):
    """A cell keeps the states that it has in some permutation within the domain."""
    masks, first, last = w.masks, p.start[scope], p.start[scope + 1]
    size = last - first
    for place in range(size):
        w.unit[0, place] = masks[p.cells[first + place]]
    if not permuted(size, w.unit):
        return False
    for place in range(size):
        if w.unit[1, place] != w.unit[0, place]:
            assign(p, w, p.cells[first + place], w.unit[1, place])
    return True


@inner_kernel
@no_type_check
def gather(p, w, scope):
    """A scope's domain side by side in words; how many."""
    place, last = p.start[scope], p.start[scope + 1]
    words = 0
    while True:
        end = min(place + p.packed, last)
        word, shift = 0, 0
        while place < end:
            word |= w.masks[p.cells[place]] << shift
            shift += p.states
            place += 1
        w.words[0, words] = word
        words += 1
        if place >= last:
            return words


@inner_kernel
@no_type_check
def patterns_scope(p, w, scope):
    """A cell keeps the states that some possible pattern allows; False where none is possible."""
    words = gather(p, w, scope)
    domain, unseen = w.words[0], w.words[1]
    for word in range(words):
        unseen[word] = domain[word]
    row, found = p.low[scope], False
    for _ in range(p.high[scope]):
        possible = True
        for word in range(words):
            if p.table[row + word] & ~domain[word]:
                possible = False
                break
        if possible:
            found = True
            left = 0
            for word in range(words):
                unseen[word] &= ~p.table[row + words + word]
                left |= unseen[word]
            if left == 0:
                return True
        row += 2 * words
    if not found:
        return False
    place, last = p.start[scope], p.start[scope + 1]
    for word in range(words):
        lost = unseen[word]
        for _ in range(p.packed):
            if place == last or lost == 0:
                break
            own = lost & (1 << p.states) - 1
            if own:
                cell = p.cells[place]
                rest = w.masks[cell] & ~own
                if rest != w.masks[cell] and not assign(p, w, cell, rest):
                    return False
            lost >>= p.states
            place += 1
        place = min(p.start[scope] + (word + 1) * p.packed, last)
    return True
