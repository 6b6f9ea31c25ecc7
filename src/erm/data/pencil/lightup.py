"""Lightup boards: black cells with or without symmetry, bulbs, and numbers that pin them down."""

from __future__ import annotations

import numpy as np

from erm.data.pencil.clues import thin_out
from erm.data.pencil.facts import lightup_facts
from erm.data.pencil.solver import Solver
from erm.types import Puzzle

WHITE, BLANK = -2, -1
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


def generate(
    height: int, width: int, rng: np.random.Generator, minimal: bool = False
) -> Puzzle | None:
    """One unique board, or None where repairs did not lead to one."""
    orbits = symmetric_cells(
        height, width, str(rng.choice(list(SYMMETRIES), p=list(SYMMETRIES.values())))
    )
    black = scatter(height, width, rng, orbits, share=rng.uniform(0.13, 0.32))
    bulbs = np.zeros((height, width), bool)
    hug = rng.uniform(0, 0.8)
    for _ in range(REPAIRS):
        bulbs = place_bulbs(black, bulbs, rng, hug)
        clues = np.where(black, count_beside(bulbs), WHITE)
        solver = Solver("lightup", height, width, lightup_facts(clues), optional=True)
        answer = bulbs.ravel().astype(np.int8)
        solver.forbid(answer)
        numbered = set(solver.asked)
        other = solver.another(numbered)
        if other is None:
            keep = int(rng.uniform(0.35, 1.0) * len(numbered))
            kept = thin_out(solver, numbered, rng, keep, minimal)
            printed = clues.ravel()
            printed[sorted(numbered - kept)] = BLANK
            givens = {"clues": printed.reshape(height, width).astype(np.int8)}
            return Puzzle("lightup", height, width, givens, answer)
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
    height, width = black.shape
    bulbs = bulbs.copy()
    lit = black.copy()

    def shine(row: int, column: int) -> None:
        lit[row, column] = True
        for dr, dc in ((-1, 0), (0, 1), (1, 0), (0, -1)):
            r, c = row + dr, column + dc
            while 0 <= r < height and 0 <= c < width and not black[r, c]:
                lit[r, c] = True
                r, c = r + dr, c + dc

    for row, column in np.argwhere(bulbs).tolist():
        if lit[row, column]:
            bulbs[row, column] = False
        else:
            bulbs[row, column] = True
            shine(row, column)
    late = rng.random(black.shape) - ((count_beside(black) > 0) & (rng.random(black.shape) < hug))
    for cell in np.argsort(late, axis=None).tolist():
        row, column = divmod(cell, width)
        if not lit[row, column]:
            bulbs[row, column] = True
            shine(row, column)
    return bulbs


def count_beside(marked: np.ndarray) -> np.ndarray:
    """How many of the up to four cells beside each one are marked."""
    padded = np.pad(marked.astype(np.int8), 1)
    return padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
