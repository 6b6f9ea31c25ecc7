"""Nurikabe boards: grow a sea, name its islands, and move clues until no other sea fits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import binary_dilation

from erm.grid import OFF_BOARD, areas, neighbours, windows
from erm.puzzles.generators import Growth, ProvedGenerator
from erm.puzzles.nurikabe.rules import ANY_SIZE, NO_CLUE, Nurikabe
from erm.types import Puzzle

VAGUE = 0.05
"""Share of boards on which some islands hide their size behind a '?'."""
SEAS = 30
"""Seas to grow before giving up on one that leaves no island too big."""
RESHAPES = 8
"""Times that a sea is changed where clues cannot tell it from another."""
QUESTIONS = 14
"""Placements of clues that are tried on one sea."""
PLACES = 2
"""Cells that are tried for the clue of merged islands."""
LONELY = 0.8
"""Share of mergers that start beside an island of one cell, where there is one."""
FLIPS = 60
"""Clues that are moved, one by one, to rule out every other sea that is known."""
FAR = 10
"""Cells that differ in a sea that is too far away for a repair here and there to help."""


@dataclass(frozen=True)
class Style:
    """What one board's islands are like."""

    biggest: int
    """Cells of an island at first."""
    share: float
    """Sea cells among all cells that are aimed at."""
    modesty: float
    """How strongly islands of more than four cells are avoided at first."""
    mergers: int
    """Attempts to join islands of a unique board of 100 cells, which leaves fewer clues."""
    merged: int
    """Cells of an island that was joined from others."""

    @classmethod
    def draw(cls, rng: np.random.Generator, minimal: bool) -> Style:
        return cls(
            biggest=int(rng.integers(4, 9)),
            share=rng.uniform(0.5, 0.6),
            modesty=rng.uniform(0.2, 2),
            mergers=60 if minimal else int(rng.integers(0, 21)),
            merged=int(rng.integers(5, 14)),
        )


@dataclass(frozen=True)
class NurikabeGenerator(ProvedGenerator):
    """Nurikabe boards with one solution, proved by clingo; killed, it continues.

    Example: erm data nurikabe --count 1000 --size 10x10 --out nurikabe.jsonl
    """

    task = Nurikabe

    def construct(self, height: int, width: int, rng: np.random.Generator) -> Puzzle | None:
        """Every island has its one clue, so `minimal` means fewer and bigger islands."""
        style = Style.draw(rng, self.minimal)
        sea = draw_sea(height, width, style, rng)
        for _ in range(RESHAPES):
            if sea is None:
                return None
            labels, count = areas(~sea)
            islands = [np.flatnonzero(labels == k + 1) for k in range(count)]
            at, other = place_clues(sea, islands, rng)
            if other is None:
                clues = np.full(sea.size, NO_CLUE, np.int16)
                clues[at] = [len(island) for island in islands]
                for _ in range(style.mergers * sea.size // 100):
                    sea, clues = merge(sea, clues, style.merged, rng)
                if rng.random() < VAGUE:
                    clues = blur(clues, sea, rng)
                givens = {"clues": clues.reshape(height, width)}
                return Puzzle(Nurikabe.name, height, width, givens, sea.ravel().astype(np.int8))
            if np.count_nonzero(other != sea.ravel()) > FAR * sea.size / 100:
                return None
            sea = reshape(sea, other.reshape(height, width), style.biggest, rng)
        return None


def place_clues(
    sea: np.ndarray, islands: list[np.ndarray], rng: np.random.Generator
) -> tuple[list[int], np.ndarray | None]:
    """One cell an island for its clue, such that no other sea fits; else one that does.

    Every other sea that clingo finds is kept: from then on some clue stands where it floods.
    """
    sizes = np.zeros(sea.size, np.int16)
    for island in islands:
        sizes[island] = len(island)
    prover = Nurikabe.prover({"clues": sizes.reshape(sea.shape)}, optional=True)
    prover.forbid(sea.ravel())
    at = [int(rng.choice(island)) for island in islands]
    owner = {int(cell): k for k, island in enumerate(islands) for cell in island}
    others: list[np.ndarray] = []
    floods: list[list[int]] = []
    for _ in range(QUESTIONS):
        other = prover.another(at)
        if other is None:
            return at, None
        others.append(other)
        floods.append([cell for cell in owner if other[cell]])
        for _ in range(FLIPS):
            placed = set(at)
            dry = [flood for flood in floods if placed.isdisjoint(flood)]
            if not dry:
                break
            flood = dry[int(rng.integers(len(dry)))]
            if not flood:
                return at, other
            cell = flood[int(rng.integers(len(flood)))]
            at[owner[cell]] = cell
        else:
            return at, other
    return at, others[-1]


def merge(
    sea: np.ndarray, clues: np.ndarray, biggest: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Try to turn one sea cell into land that joins islands or lets a lone cell grow.

    Mostly beside a lone cell, of which people leave few. The board stays as it is where the
    rules or a second answer forbid that.
    """
    labels, _ = areas(~sea)
    sizes = np.bincount(labels.ravel())
    around = neighbours(*sea.shape)
    beside_lone = np.asarray(binary_dilation(sizes[labels] == 1), bool)
    turn = rng.random(sea.shape)
    if rng.random() < LONELY:
        turn[beside_lone] -= 1
    for cell in sorted(np.flatnonzero(sea).tolist(), key=turn.ravel().__getitem__):
        cells = around[cell][around[cell] != OFF_BOARD]
        beside = set(labels.ravel()[cells].tolist()) - {0}
        size = 1 + sum(int(sizes[k]) for k in beside)
        if size > biggest or not (len(beside) > 1 or size == 2):
            continue
        smaller = sea.copy()
        smaller.flat[cell] = False
        if areas(smaller)[1] != 1:
            continue
        land = [cell, *np.flatnonzero(np.isin(labels, sorted(beside))).tolist()]
        places = land
        for _ in range(PLACES):
            fewer = clues.copy()
            fewer[land] = 0
            fewer[places[int(rng.integers(len(places)))]] = size
            other = another_sea(fewer, smaller)
            if other is None:
                return smaller, fewer
            places = [x for x in places if other[x]]
            if not places:
                break
        break
    return sea, clues


def another_sea(clues: np.ndarray, sea: np.ndarray) -> np.ndarray | None:
    """A sea that fits the clues as well as the given one; None proves that there is none."""
    prover = Nurikabe.prover({"clues": clues.reshape(sea.shape)})
    prover.forbid(sea.ravel())
    return prover.another()


def blur(clues: np.ndarray, sea: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Turn a few numbers into '?' where the answer stays the only one."""
    for cell in rng.permutation(np.flatnonzero(clues))[: int(rng.integers(1, 5))].tolist():
        vague = clues.copy()
        vague[cell] = ANY_SIZE
        if another_sea(vague, sea) is None:
            clues = vague
    return clues


def reshape(
    sea: np.ndarray, other: np.ndarray, biggest: int, rng: np.random.Generator
) -> np.ndarray | None:
    """Change one cell where two seas disagree, or close by, so that the first stays a sea."""
    differs = sea != other
    nearby = binary_dilation(differs) & ~differs
    for cell in np.concatenate(
        [rng.permutation(np.flatnonzero(differs)), rng.permutation(np.flatnonzero(nearby))]
    ).tolist():
        changed = sea.copy()
        changed.flat[cell] = not changed.flat[cell]
        pools = changed.ravel()[windows(*sea.shape)].all(1)
        if pools.any() or areas(changed)[1] != 1:
            continue
        labels = areas(~changed)[0]
        if np.bincount(labels.ravel())[1:].max(initial=0) <= biggest:
            return changed
    return None


def draw_sea(height: int, width: int, style: Style, rng: np.random.Generator) -> np.ndarray | None:
    """A connected sea without a pool that leaves islands of a bounded size."""
    loops, straight = rng.uniform(0, 0.6), rng.uniform(0, 0.7)
    for _ in range(SEAS):
        growth = Growth(height, width, rng)
        growth.grow(height * width, loops, straight)
        while True:
            labels, _ = areas(~growth.region)
            big = np.flatnonzero(np.bincount(labels.ravel())[1:] > style.biggest) + 1
            if not len(big):
                return join_islands(growth.region, style, rng)
            cells = np.argwhere(labels == big[0])
            if not growth.fill(r * width + c for r, c in rng.permutation(cells).tolist()):
                break
    return None


def join_islands(sea: np.ndarray, style: Style, rng: np.random.Generator) -> np.ndarray:
    """Turn sea cells into land down to the style's share, the smallest islands first, as long
    as the sea hangs together and no island gets too big."""
    sea = sea.copy()
    biggest, target = style.biggest, int(style.share * sea.size)
    left = int(sea.sum())
    while left > target:
        labels, count = areas(~sea)
        sizes = np.bincount(labels.ravel(), minlength=count + 1)
        sizes[0] = 0
        beside = np.append(labels.ravel(), 0)[neighbours(*sea.shape)].reshape(*sea.shape, 4)
        beside.sort(-1)
        beside[..., 1:][beside[..., 1:] == beside[..., :-1]] = 0
        joined = 1 + sizes[beside].sum(-1)
        smallest = np.where(beside > 0, sizes[beside], biggest + 1).min(-1)
        fits = sea & (joined > 1) & (joined <= biggest)
        order = (
            smallest
            + style.modesty * np.maximum(joined - 4, 0)
            + rng.exponential(1.0, sea.shape)
            + np.where(fits, 0, np.inf)
        )
        for cell in np.argsort(order, axis=None)[: int(fits.sum())].tolist():
            sea.flat[cell] = False
            if areas(sea)[1] == 1:
                left -= 1
                break
            sea.flat[cell] = True
        else:
            break
    return sea
