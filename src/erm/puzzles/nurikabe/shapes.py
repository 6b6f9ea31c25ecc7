"""All shapes that a small island may have, and what they agree on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.grid import OFF_BOARD, neighbours
from erm.puzzles.nurikabe.givens import ANY_SIZE, NO_CLUE
from erm.puzzles.nurikabe.islands import LAND, SEA

LARGEST_ISLAND = 12
MOST_SHAPES = 1500
"""Islands with more cells or more shapes are not worth listing; in the open, those over six."""


@dataclass(frozen=True, eq=False)
class Island:
    """The shapes of one island over the cells that some shape or its shore touches."""

    cells: Int[np.ndarray, " w"]
    land: Float[np.ndarray, "m w"]
    shore: Float[np.ndarray, "m w"]
    """The cells beside a shape, which are sea."""


class IslandShapes:
    """Rules out land and sea that no shape of some island has, given what else is left."""

    def __init__(self, clues: Int[np.ndarray, "H W"]) -> None:
        flat = clues.ravel()
        clued = np.flatnonzero(flat != NO_CLUE).tolist()
        beside = [
            sum(1 << o for o in around if o != OFF_BOARD)
            for around in neighbours(*clues.shape).tolist()
        ]
        claims = {clue: beside[clue] | 1 << clue for clue in clued}
        claimed, shared = _claimed(claims.values())
        open_to_all = ~claimed & (1 << flat.size) - 1
        listed = [
            _shapes(clue, int(flat[clue]), open_to_all | claim & ~shared, beside)
            for clue, claim in claims.items()
            if flat[clue] != ANY_SIZE
        ]
        self.islands = [_island(shapes, flat.size) for shapes in listed if shapes is not None]
        self.complete = len(self.islands) == len(clued)
        """Whether all islands are listed, so that no land lies outside of them."""

    def prune(self, domain: Bool[np.ndarray, "b n S"]) -> Bool[np.ndarray, "b n S"]:
        pruned = domain.copy()
        held = np.zeros(domain.shape[:2], bool)
        for island in self.islands:
            part = domain[:, island.cells].astype(np.float32)
            clashes = (1 - part[..., LAND]) @ island.land.T + (1 - part[..., SEA]) @ island.shore.T
            fits = (clashes == 0).astype(np.float32)
            count = fits.sum(1, keepdims=True)
            as_land, as_shore = fits @ island.land, fits @ island.shore
            held[:, island.cells] |= as_land > 0
            pruned[:, island.cells, SEA] &= as_land < count
            pruned[:, island.cells, LAND] &= as_shore < count
            pruned[count[:, 0] == 0] = False
        if self.complete:
            pruned[..., LAND] &= held
        return pruned


def _claimed(claims: Iterable[int]) -> tuple[int, int]:
    """The cells, as bits, that are or touch some clue, and those of more than one.

    The former belong to no other clue's island, the latter to none.
    """
    claimed = shared = 0
    for claim in claims:
        shared |= claimed & claim
        claimed |= claim
    return claimed, shared


def _shapes(clue: int, size: int, free: int, beside: Sequence[int]) -> dict[int, int] | None:
    """Each shape of so many cells around a clue with its shore, as bits; None if too many."""
    if size > LARGEST_ISLAND:
        return None
    shapes = {1 << clue: beside[clue]}
    for _ in range(size - 1):
        larger: dict[int, int] = {}
        for shape, shore in shapes.items():
            ways = shore & free
            while ways:
                bit = ways & -ways
                ways ^= bit
                if shape | bit not in larger:
                    larger[shape | bit] = (shore | beside[bit.bit_length() - 1]) & ~(shape | bit)
            if len(larger) > MOST_SHAPES:
                return None
        shapes = larger
    return shapes


def _island(shapes: dict[int, int], cells: int) -> Island:
    land, shore = (_bits(list(masks), cells) for masks in (shapes.keys(), shapes.values()))
    near = np.flatnonzero((land | shore).any(0))
    return Island(near, land[:, near].astype(np.float32), shore[:, near].astype(np.float32))


def _bits(masks: Sequence[int], cells: int) -> Bool[np.ndarray, "m n"]:
    width = -(-cells // 8)
    raw = b"".join(mask.to_bytes(width, "little") for mask in masks)
    packed = np.frombuffer(raw, np.uint8).reshape(len(masks), width)
    return np.unpackbits(packed, axis=1, count=cells, bitorder="little").astype(bool)
