"""All shadings of small rooms with so many cells, none of which touch or cut white cells off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import no_type_check

import numpy as np

from erm.grid import ring
from erm.puzzles.heyawake.chains import closes_loop, edge_contacts, no_chains
from erm.rulebook.kernel import inner_kernel, kernel
from erm.rulebook.propagation.parts import (
    PATTERNS,
    Part,
    Scopes,
    cells_a_word,
    deal_stride,
)

LARGEST_ROOM = 2 * cells_a_word(2)
MOST_SHADINGS, MOST_STEPS = 10_000, 30_000
"""Rooms with more cells, more shadings or more ways to search through are not worth listing."""
AS_WHITE, AS_SHADED = 1, 2
SIDE_BY_SIDE = cells_a_word(2)


class RoomShadings:
    """Rules out what no shading of a numbered room has, as far as they are few enough to list.

    White cells are cut off where even a board that is white outside the room falls apart: cells
    beside a shaded one stay white, so whatever is shaded outside, both parts keep white cells.
    """

    name = "shadings of a room"

    def __init__(
        self,
        rooms: Sequence[np.ndarray],
        counts: Sequence[int],
        shape: tuple[int, int],
    ) -> None:
        small = [number for number, room in enumerate(rooms) if len(room) <= LARGEST_ROOM]
        lengths = np.array([len(rooms[number]) for number in small], np.int64)
        cells = np.concatenate([np.zeros(0, np.int64), *(rooms[number] for number in small)])
        wanted = np.array([counts[number] for number in small], np.int64)
        rows, table = _list_rooms(lengths, cells, wanted, ring(*shape))
        listed = rows >= 0
        self.listed = np.array(small, np.int64)[listed]
        """Numbers of the rooms that are listed."""
        self.scopes = Scopes(
            np.full(listed.sum(), PATTERNS),
            lengths[listed],
            cells[np.repeat(listed, lengths)],
            np.append(0, np.cumsum(rows[listed] * 2 * -(-lengths[listed] // SIDE_BY_SIDE)))[:-1],
            rows[listed],
            table,
        )

    def parts(self) -> tuple[Part, ...]:
        return (self.scopes,)


@kernel
@no_type_check
def _list_rooms(lengths, cells, wanted, around):
    """How many shadings each room has, -1 where too many, and all as rows of one table."""
    rows = np.empty(len(lengths), np.int64)
    table = np.empty(1024, np.int64)
    place = np.full(len(around), -1, np.int64)
    touching = np.empty(LARGEST_ROOM, np.int64)
    diagonal = np.empty((LARGEST_ROOM, 4), np.int64)
    contacts = np.empty(LARGEST_ROOM, np.int64)
    shadings = np.empty(MOST_SHADINGS, np.int64)
    used = first = 0
    for number in range(len(lengths)):
        room = cells[first : first + lengths[number]]
        first += len(room)
        for at in range(len(room)):
            place[room[at]] = at
        for at in range(len(room)):
            touching[at] = 0
            contacts[at] = edge_contacts(around[room[at]])
            for side in range(8):
                other = around[room[at], side]
                own = place[other] if other >= 0 else -1
                if side % 2 == 0:
                    diagonal[at, side // 2] = own
                elif own >= 0:
                    touching[at] |= 1 << own
        count = _list_shadings(len(room), wanted[number], touching, diagonal, contacts, shadings)
        rows[number] = count
        words = -(-len(room) // SIDE_BY_SIDE)
        while used + 2 * words * count > len(table):
            table = np.append(table, np.empty_like(table))
        _write_rows(shadings, count, len(room), words, table[used:])
        used += max(0, 2 * words * count)
        for cell in room:
            place[cell] = -1
    return rows, table[:used]


@inner_kernel
@no_type_check
def _list_shadings(size, wanted, touching, diagonal, contacts, shadings):
    """Write every set of so many places, apart from each other and cutting nothing off, as bits;
    how many, -1 where there are too many to search through."""
    if wanted == 0:
        shadings[0] = 0
        return 1
    chosen, to_try = np.empty(wanted, np.int64), np.zeros(wanted + 1, np.int64)
    parent = np.empty(size + 1, np.int64)
    level, count, steps, near = 0, 0, 0, 0
    while level >= 0:
        steps += 1
        if steps > MOST_STEPS:
            return -1
        place = to_try[level]
        while place < size and near >> place & 1:
            place += 1
        if place > size - (wanted - level):
            level -= 1
            near = 0
            for at in range(level):
                near |= touching[chosen[at]]
            continue
        to_try[level] = place + 1
        chosen[level] = place
        if _cuts(chosen[: level + 1], diagonal, contacts, parent):
            continue
        if level + 1 == wanted:
            if count == len(shadings):
                return -1
            shadings[count] = 0
            for at in chosen:
                shadings[count] |= 1 << at
            count += 1
        else:
            near |= touching[place]
            level += 1
            to_try[level] = place + 1
    return count


@inner_kernel
@no_type_check
def _cuts(chosen, diagonal, contacts, parent):
    """Whether chains of the chosen places, corner to corner, close a loop."""
    no_chains(parent)
    closed = False
    for place in chosen:
        closed = closed or closes_loop(parent, place, diagonal[place], contacts[place])
    return closed


@inner_kernel
@no_type_check
def _write_rows(shadings, count, size, words, table):
    stride = deal_stride(count)
    for row in range(count):
        at = 2 * words * (row * stride % count)
        for word in range(words):
            bits = 0
            for place in range(word * SIDE_BY_SIDE, min(size, (word + 1) * SIDE_BY_SIDE)):
                state = AS_SHADED if shadings[row] >> place & 1 else AS_WHITE
                bits |= state << (place - word * SIDE_BY_SIDE) * 2
            table[at + word] = table[at + words + word] = bits
