"""What a rectangular room with almost as many shaded cells as it can hold must look like.

Shaded cells do not touch, so a 2x2 window holds at most two, in opposite corners; and such contacts
never close a loop, which would cut the white cells inside it off. So N shaded cells of a room have
at most N - 1 contacts. Counted window by window, those inside the room stand in four windows, those
along its sides in two, those in its corners in one: with W windows, Z of them all white,

    4 inside + 2 sides + corners = contacts + W - Z <= N - 1 + W - Z,

and since N = inside + sides + corners, 2 inside + Z <= W - 1 - N + corners. Few cells inside mean
many around, where every second cell is the most there can be. Where that leaves nothing to spare,
the corners are shaded, no window is all white, and all shaded cells hang together by contacts, so
that they are on squares of one colour of a chessboard.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Int

from erm.rulebook.propagation.parts import Part, Scopes, counts

CORNERS = 4


class CrowdedRooms:
    """The counts that follow, for rooms of three cells and more on both sides."""

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
