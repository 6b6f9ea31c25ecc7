"""What follows for a numbered room as a whole.

Chains are shaded cells, corner to corner. Shaded cells that never touch leave the white ones
connected exactly as long as no chain closes a loop, by itself or together with the board's edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import no_type_check

import numpy as np
from jaxtyping import Int

from erm.grid import ring
from erm.rulebook.kernel import inner_kernel, kernel
from erm.rulebook.propagation.parts import (
    PATTERNS,
    Part,
    Scopes,
    cells_a_word,
    counts,
    deal_stride,
)

LARGEST_ROOM = 2 * cells_a_word(2)
MOST_SHADINGS, MOST_STEPS = 10_000, 30_000
"""Rooms with more cells, more shadings or more ways to search through are not worth listing."""
AS_WHITE, AS_SHADED = 1, 2
SIDE_BY_SIDE = cells_a_word(2)
CORNERS = 4


@kernel
@no_type_check
def edge_contacts(ring_cells):
    """How often the board's edge begins around a cell: twice only where the board is thin."""
    contacts = 0
    for side in range(8):
        contacts += ring_cells[side] < 0 and ring_cells[side - 1] >= 0
    return contacts


@kernel
@no_type_check
def no_chains(parent):
    """A forest over no shaded cell, -1 for all, and over the edge, which stands at its end."""
    parent[:] = -1
    parent[len(parent) - 1] = len(parent) - 1


@kernel
@no_type_check
def closes_loop(parent, cell, diagonal, contacts):
    """Shade a cell: tie the chains at its four corners, and the edge, together by it; whether
    two of them were one already."""
    edge = len(parent) - 1
    parent[cell] = cell
    for side in range(-contacts, 4):
        other = edge if side < 0 else diagonal[side]
        if other < 0 or parent[other] < 0:
            continue
        one = cell
        while parent[one] != one:
            one = parent[one]
        while parent[other] != other:
            other = parent[other]
        if one == other:
            return True
        parent[one] = other
    return False


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


class CrowdedRooms:
    """What a rectangular room with almost as many shaded cells as it can hold must look like.

    Shaded cells do not touch, so a 2x2 window holds at most two, in opposite corners; and such
    contacts never close a loop, which would cut the white cells inside it off. So N shaded cells of
    a room have at most N - 1 contacts. Counted window by window, those inside the room stand in
    four windows, those along its sides in two, those in its corners in one: with W windows, Z of
    them all white,

        4 inside + 2 sides + corners = contacts + W - Z <= N - 1 + W - Z,

    and since N = inside + sides + corners, 2 inside + Z <= W - 1 - N + corners. Few cells inside
    mean many around, where every second cell is the most there can be. Where that leaves nothing to
    spare, the corners are shaded, no window is all white, and all shaded cells hang together by
    contacts, so that they are on squares of one colour of a chessboard.

    These are the counts that follow, for rooms of three cells and more on both sides.
    """

    name = "shaded cells fit into a room"

    def __init__(
        self, rooms: Sequence[np.ndarray], numbers: Sequence[int], shape: tuple[int, int]
    ) -> None:
        self.scopes: list[Scopes] = []
        for room, number in zip(rooms, numbers, strict=True):
            block = _block(room, shape[1])
            if block is not None:
                self.scopes += _counts(block, number)

    def parts(self) -> tuple[Part, ...]:
        return tuple(self.scopes)


def _block(room: Int[np.ndarray, " s"], width: int) -> Int[np.ndarray, "h w"] | None:
    """The cells of a rectangle as they lie; None where the room is none, or is thin."""
    rows, columns = np.divmod(room, width)
    height, across = np.ptp(rows) + 1, np.ptp(columns) + 1
    if height * across != len(room) or min(height, across) < 3:
        return None
    return np.sort(room).reshape(height, across)


def _counts(block: Int[np.ndarray, "h w"], number: int) -> Iterator[Scopes]:
    around = np.concatenate([block[0], block[1:, -1], block[-1, -2::-1], block[-2:0:-1, 0]])
    windows = np.lib.stride_tricks.sliding_window_view(block, (2, 2)).reshape(-1, 4)
    spare = len(windows) - 1 - number
    most_inside, most_around = (spare + CORNERS) // 2, len(around) // 2
    if number - most_inside <= 0:
        return
    yield counts(around[None], number - most_inside, most_around)
    least_inside = number - most_around
    if number - most_inside == most_around:
        # Every second cell: one of any two that follow each other.
        yield counts(np.stack([around, np.roll(around, -1)], 1), 1, 1)
    corners = block[[0, 0, -1, -1], [0, -1, 0, -1]]
    if 2 * least_inside > spare:
        yield counts(corners[None], min(2 * least_inside - spare, CORNERS + 1), CORNERS)
    if 2 * least_inside == spare + CORNERS:
        row, column = np.indices(block.shape)
        yield counts(windows, 1, 2)
        yield counts(block[(row + column) % 2 == 1][None], 0, 0)
