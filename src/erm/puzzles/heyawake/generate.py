"""Heyawake boards: rooms, a shading that obeys them, and cuts where another shading would do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import binary_dilation

from erm.grid import OFF_BOARD, first_cells, neighbours
from erm.puzzles.heyawake.borders import borders_between
from erm.puzzles.heyawake.chains import Chains
from erm.puzzles.heyawake.givens import NO_CLUE
from erm.puzzles.heyawake.rooms import crossings, cuts, dent, hand_over, rectangles, tidy
from erm.puzzles.heyawake.rules import Heyawake
from erm.puzzles.proved import ProvedGenerator
from erm.puzzles.thinning import thin_out
from erm.types import Puzzle

REPAIRS = 0.4
"""Changes of rooms or shading to try, per cell."""
SHADINGS = 20
"""Shadings to try on one set of rooms."""


@dataclass(frozen=True)
class HeyawakeGenerator(ProvedGenerator):
    """Heyawake boards with one solution, proved by clingo; killed, it continues.

    Example: erm data heyawake --count 1000 --size 10x10 --out heyawake.jsonl
    """

    task = Heyawake

    def construct(self, height: int, width: int, rng: np.random.Generator) -> Puzzle | None:
        rooms = rectangles(height, width, rng)
        if rng.random() < 0.3:
            rooms = dent(rooms, rng, rng.uniform(0.02, 0.4))
        rooms = tidy(rooms)
        shadings = (shade(rooms, rng) for _ in range(SHADINGS))
        shaded = next((shading for shading in shadings if shading is not None), None)
        if shaded is None:
            return None
        for _ in range(int(REPAIRS * height * width)):
            right, down = borders_between(rooms)
            givens = {"right": right, "down": down, "clues": count_shaded(rooms, shaded)}
            prover = Heyawake.prover(givens, optional=True)
            prover.forbid(shaded)
            numbered = set(prover.asked)
            other = prover.another(numbered)
            if other is None:
                keep = int(len(numbered) * rng.uniform(0.3, 1.0))
                kept = thin_out(prover, numbered, rng, keep, self.minimal)
                givens["clues"].ravel()[sorted(numbered - kept)] = NO_CLUE
                return Puzzle(Heyawake.name, height, width, givens, shaded)
            rooms, shaded = repair(rooms, shaded, other, rng)
        return None


def repair(
    rooms: np.ndarray, shaded: np.ndarray, other: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rooms and a shading of them that leave out one of two shadings of the same rooms.

    Both obey the rules, so either may become the answer; where the rooms cannot tell them
    apart, a cell close by is shaded or cleared instead.
    """
    for kept, ruled_out in ((shaded, other), (other, shaded)):
        changed = tell_apart(rooms, kept, ruled_out, rng)
        if changed is not None:
            return tidy(changed), kept
    return rooms, reshade(rooms, shaded, other, rng)


def reshade(
    rooms: np.ndarray, shaded: np.ndarray, other: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Change one cell where two shadings disagree, or close by, if the rules allow one."""
    near = binary_dilation((shaded != other).reshape(rooms.shape), iterations=2)
    lines = crossings(rooms)
    for cell in rng.permutation(np.flatnonzero(near)).tolist():
        changed = shaded.copy()
        changed[cell] = 0
        chains = Chains(*rooms.shape)
        for x in np.flatnonzero(changed).tolist():
            chains.add(x)
        if not shaded[cell] and chains.allows(cell):
            changed[cell] = 1
            return changed
        if shaded[cell] and all(changed[line].any() for line in lines):
            return changed
    return shaded


def count_shaded(rooms: np.ndarray, shaded: np.ndarray) -> np.ndarray:
    """Each room's number, on its first cell."""
    clues = np.full(rooms.size, NO_CLUE, np.int16)
    clues[first_cells(rooms.ravel())] = np.bincount(rooms.ravel(), weights=shaded)
    return clues.reshape(rooms.shape)


def tell_apart(
    rooms: np.ndarray, shaded: np.ndarray, other: np.ndarray, rng: np.random.Generator
) -> np.ndarray | None:
    """Change rooms so that a second shading no longer fits them: cut a room where the numbers
    of the parts differ, else move one cell on which the two disagree into another room."""
    differs = np.flatnonzero(shaded != other)
    options = [
        cut
        for room in np.unique(rooms.flat[differs]).tolist()
        for cut in cuts(rooms, room)
        if shaded[(cut == cut.max()).ravel()].sum() != other[(cut == cut.max()).ravel()].sum()
    ]
    if not options or rng.random() < 0.1:
        beside = neighbours(*rooms.shape)
        options += [
            moved
            for cell in differs.tolist()
            for other_cell in beside[cell].tolist()
            if other_cell != OFF_BOARD
            and rooms.flat[other_cell] != rooms.flat[cell]
            and (moved := hand_over(rooms, cell, int(rooms.flat[other_cell]))) is not None
        ]
    for at in rng.permutation(len(options)).tolist():
        if all(shaded[line].any() for line in crossings(options[at])):
            return options[at]
    return None


def shade(rooms: np.ndarray, rng: np.random.Generator) -> np.ndarray | None:
    """A shading that keeps the unshaded cells connected and breaks every line over two borders.

    The line with the fewest cells left to shade goes first; None where one has none left.
    """
    height, width = rooms.shape
    chains = Chains(height, width)
    open_lines = [line.tolist() for line in crossings(rooms)]
    taste = rng.random(rooms.size)
    while open_lines:
        fewest: list[int] | None = None
        remaining = []
        for line in open_lines:
            if any(chains.shaded[x] for x in line):
                continue
            remaining.append(line)
            free = [x for x in line if chains.allows(x)]
            if not free:
                return None
            if fewest is None or len(free) < len(fewest):
                fewest = free
        open_lines = remaining
        if fewest is not None:
            chains.add(min(fewest, key=lambda x: taste[x]))
    share = rng.uniform(0.24, 0.33)
    for x in rng.permutation(rooms.size).tolist():
        if sum(chains.shaded) >= share * rooms.size:
            break
        if chains.allows(x):
            chains.add(x)
    return np.array(chains.shaded, np.int8)
