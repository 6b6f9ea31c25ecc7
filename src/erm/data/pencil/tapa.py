"""Tapa boards: grow a wall, then print clues beside it where another wall would fit."""

from __future__ import annotations

import numpy as np

from erm.data.pencil.clues import thin_out
from erm.data.pencil.facts import RING, run_lengths, tapa_facts
from erm.data.pencil.growth import Growth
from erm.data.pencil.solver import Solver
from erm.types import Puzzle

REPAIRS = 60
UNUSED, ANY = -1, -2


def generate(
    height: int, width: int, rng: np.random.Generator, minimal: bool = False
) -> Puzzle | None:
    """One unique board, or None where all clues together leave it ambiguous."""
    growth = Growth(height, width, rng)
    growth.grow(
        int(rng.uniform(0.45, 0.66) * height * width),
        loops=rng.uniform(0.1, 0.9),
        straight=rng.uniform(0, 0.6),
    )
    wall = growth.region
    answer = wall.ravel().astype(np.int8)
    every = read_clues(wall)
    solver = Solver("tapa", height, width, tapa_facts(every), optional=True)
    solver.forbid(answer)
    asked = first_clues(wall, rng)
    for _ in range(REPAIRS):
        other = solver.another(asked)
        if other is None:
            break
        refuting = [x for x in solver.asked if x not in asked and refutes(every, x, other)]
        if not refuting:
            return None
        asked.add(refuting[int(rng.integers(len(refuting)))])
    else:
        return None
    keep = int(len(asked) * rng.uniform(0.6, 1.0))
    asked = thin_out(solver, asked, rng, keep, minimal)
    clues = np.full_like(every, UNUSED)
    for x in asked:
        row, column = divmod(x, width)
        clues[row, column] = every[row, column]
    if rng.random() < 0.2:
        clues = blur(clues, answer, rng, minimal)
    return Puzzle("tapa", height, width, {"clues": clues}, answer)


def read_clues(wall: np.ndarray) -> np.ndarray:
    """The clue that every unshaded cell would carry, numbers in rising order."""
    height, width = wall.shape
    clues = np.full((height, width, 4), UNUSED, np.int8)
    frame = np.pad(wall, 1)
    for row, column in np.argwhere(~wall):
        runs = run_lengths(ring_of(frame, row, column))
        clues[row, column, : len(runs)] = runs
    return clues


def ring_of(frame: np.ndarray, row: int, column: int) -> int:
    """The shading around a cell as bits; `frame` is the board with one empty cell around it."""
    return sum(
        1 << place for place, (dr, dc) in enumerate(RING) if frame[row + 1 + dr, column + 1 + dc]
    )


def first_clues(wall: np.ndarray, rng: np.random.Generator) -> set[int]:
    """A few scattered clues to begin with, few or many, with or without a turned twin."""
    share = rng.uniform(0.04, 0.2)
    chosen = (rng.random(wall.shape) < share) & ~wall
    if rng.random() < 0.4:
        chosen |= chosen[::-1, ::-1]
    return set(np.flatnonzero(chosen & ~wall).tolist())


def refutes(every: np.ndarray, x: int, other: np.ndarray) -> bool:
    """Whether the clue at cell x rules out another wall."""
    height, width = every.shape[:2]
    row, column = divmod(x, width)
    wall = other.reshape(height, width)
    if wall[row, column]:
        return True
    runs = run_lengths(ring_of(np.pad(wall, 1), row, column))
    return runs != tuple(n for n in every[row, column].tolist() if n != UNUSED)


def blur(
    clues: np.ndarray, answer: np.ndarray, rng: np.random.Generator, minimal: bool
) -> np.ndarray:
    """Turn some numbers into '?' where the answer stays the only one."""
    slots = np.argwhere(clues > 0)
    tries = len(slots) if minimal else int(rng.integers(1, 6))
    for row, column, slot in rng.permutation(slots)[:tries].tolist():
        vague = clues.copy()
        vague[row, column, slot] = ANY
        solver = Solver("tapa", clues.shape[0], clues.shape[1], tapa_facts(vague))
        solver.forbid(answer)
        if solver.another() is None:
            clues = vague
    return clues
