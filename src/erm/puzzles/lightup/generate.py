"""Lightup boards: black cells with or without symmetry, bulbs, and numbers that pin them down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from erm.grid import neighbours, segments
from erm.puzzles.generators import ProvedGenerator
from erm.puzzles.lightup.rules import BLACK, WHITE, Lightup
from erm.puzzles.prover import thin_out
from erm.types import Puzzle

REPAIRS = 16
FULL = 0.45
"""Share of black cells above which a board is not worth repairing."""

SYMMETRIES = {
    "none": 0.2,
    "turn": 0.4,
    "quarter turns": 0.2,
    "mirror": 0.1,
    "both mirrors": 0.1,
}
"""How often black cells are placed in each symmetry; people mostly turn the board around."""


@dataclass(frozen=True)
class LightupGenerator(ProvedGenerator):
    """Lightup boards with one solution, proved by clingo; killed, it continues.

    Example: erm data lightup --count 1000 --size 10x10 --out lightup.jsonl
    """

    task = Lightup

    def construct(self, height: int, width: int, rng: np.random.Generator) -> Puzzle | None:
        symmetry = str(rng.choice(list(SYMMETRIES), p=list(SYMMETRIES.values())))
        orbits = symmetric_cells(height, width, symmetry)
        black = scatter(height, width, rng, orbits, share=rng.uniform(0.13, 0.32))
        bulbs = np.zeros((height, width), bool)
        hug = rng.uniform(0, 0.8)
        for _ in range(REPAIRS):
            bulbs = place_bulbs(black, bulbs, rng, hug)
            clues = np.where(black, count_beside(bulbs), WHITE).astype(np.int8)
            prover = Lightup.prover({"clues": clues}, optional=True)
            answer = bulbs.ravel().astype(np.int8)
            prover.forbid(answer)
            numbered = set(prover.asked)
            other = prover.another(numbered)
            if other is None:
                keep = int(rng.uniform(0.35, 1.0) * len(numbered))
                kept = thin_out(prover, numbered, rng, keep, self.minimal)
                clues.ravel()[sorted(numbered - kept)] = BLACK
                return Puzzle(Lightup.name, height, width, {"clues": clues}, answer)
            # A second answer puts a bulb where this one has none: no bulb fits in a black cell.
            cell = int(rng.choice(np.flatnonzero(other > answer)))
            black.ravel()[orbits[cell]] = True
            bulbs &= ~black
            if black.mean() > FULL:
                return None
        return None


def symmetric_cells(height: int, width: int, symmetry: str) -> list[list[int]]:
    """For each cell the cells that are black together with it."""
    board = np.arange(height * width).reshape(height, width)
    images = [board]
    if symmetry == "turn" or (symmetry == "quarter turns" and height != width):
        images = [board, board[::-1, ::-1]]
    elif symmetry == "quarter turns":
        images = [np.rot90(board, k) for k in range(4)]
    elif symmetry == "mirror":
        images = [board, board[:, ::-1]]
    elif symmetry == "both mirrors":
        images = [board, board[:, ::-1], board[::-1], board[::-1, ::-1]]
    return [sorted({int(image.flat[x]) for image in images}) for x in range(height * width)]


def scatter(
    height: int, width: int, rng: np.random.Generator, orbits: list[list[int]], share: float
) -> np.ndarray:
    """Random black cells; on some boards they like each other's company and form bars."""
    black = np.zeros((height, width), bool)
    company = rng.choice([0.0, 0.0, 0.5, -0.7])
    cells = rng.permutation(height * width).tolist()
    while cells and black.mean() < share:
        cell = cells.pop()
        beside = count_beside(black).flat[cell]
        refused = (beside == 0) * max(company, 0) + (beside > 0) * max(-company, 0)
        if rng.random() >= refused:
            black.ravel()[orbits[cell]] = True
    return black


def place_bulbs(
    black: np.ndarray, bulbs: np.ndarray, rng: np.random.Generator, hug: float
) -> np.ndarray:
    """Complete a set of bulbs: as long as a cell is dark it gets one, so that none sees another.

    `hug` is the share of cells beside black ones that are lit up first, which makes numbers big.
    """
    placed = np.zeros(black.size, bool)
    lit = black.ravel().copy()
    lines = segments(black)

    def place(cell: int) -> None:
        if not lit[cell]:
            placed[cell] = True
            for line in lines:
                lit[line == line[cell]] = True

    for cell in np.flatnonzero(bulbs).tolist():
        place(cell)
    late = rng.random(black.shape) - ((count_beside(black) > 0) & (rng.random(black.shape) < hug))
    for cell in np.argsort(late, axis=None).tolist():
        place(cell)
    return placed.reshape(black.shape)


def count_beside(marked: np.ndarray) -> np.ndarray:
    """How many of the up to four cells beside each one are marked."""
    around = np.append(marked.ravel(), False)[neighbours(*marked.shape)]
    return around.sum(1).reshape(marked.shape)
