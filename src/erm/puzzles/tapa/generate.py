"""Tapa boards: grow a wall, then print clues beside it where another wall would fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from erm.grid import ring
from erm.puzzles.generators import Growth, ProvedGenerator
from erm.puzzles.prover import thin_out
from erm.puzzles.tapa.rules import SLOTS, UNKNOWN, UNUSED, Tapa, cyclic_runs
from erm.types import Puzzle

REPAIRS = 60


@dataclass(frozen=True)
class TapaGenerator(ProvedGenerator):
    """Tapa boards with one solution, proved by clingo; killed, it continues.

    Example: erm data tapa --count 1000 --size 10x10 --out tapa.jsonl
    """

    task = Tapa

    def construct(self, height: int, width: int, rng: np.random.Generator) -> Puzzle | None:
        growth = Growth(height, width, rng)
        growth.grow(
            int(rng.uniform(0.45, 0.66) * height * width),
            loops=rng.uniform(0.1, 0.9),
            straight=rng.uniform(0, 0.6),
        )
        wall = growth.region
        answer = wall.ravel().astype(np.int8)
        every = read_clues(wall)
        prover = Tapa.prover({"clues": every}, optional=True)
        prover.forbid(answer)
        asked = first_clues(wall, rng)
        for _ in range(REPAIRS):
            other = prover.another(asked)
            if other is None:
                break
            refuting = refuting_clues(every, other.reshape(height, width)) - asked
            if not refuting:
                return None
            asked.add(sorted(refuting)[int(rng.integers(len(refuting)))])
        else:
            return None
        keep = int(len(asked) * rng.uniform(0.6, 1.0))
        asked = thin_out(prover, asked, rng, keep, self.minimal)
        clues = np.full_like(every, UNUSED)
        shown = np.unravel_index(sorted(asked), wall.shape)
        clues[shown] = every[shown]
        if rng.random() < 0.2:
            clues = blur(clues, answer, rng, self.minimal)
        return Puzzle(Tapa.name, height, width, {"clues": clues}, answer)


def read_clues(wall: Bool[np.ndarray, "H W"]) -> Int[np.ndarray, "H W 4"]:
    """The clue that every unshaded cell would carry, numbers in rising order."""
    clues = np.full((wall.size, SLOTS), UNUSED, np.int8)
    around = np.append(wall.ravel(), False)[ring(*wall.shape)].astype(int).tolist()
    for cell in np.flatnonzero(~wall).tolist():
        runs = sorted(cyclic_runs(around[cell]))
        clues[cell, : len(runs)] = runs
    return clues.reshape(*wall.shape, SLOTS)


def first_clues(wall: np.ndarray, rng: np.random.Generator) -> set[int]:
    """A few scattered clues to begin with, few or many, with or without a turned twin."""
    share = rng.uniform(0.04, 0.2)
    chosen = (rng.random(wall.shape) < share) & ~wall
    if rng.random() < 0.4:
        chosen |= chosen[::-1, ::-1]
    return set(np.flatnonzero(chosen & ~wall).tolist())


def refuting_clues(every: Int[np.ndarray, "H W 4"], other: np.ndarray) -> set[int]:
    """The cells whose clues rule out another wall: it covers them, or has other runs around."""
    clued = (every != UNUSED).any(-1)
    differs = (read_clues(other.astype(bool)) != every).any(-1)
    return set(np.flatnonzero(clued & differs).tolist())


def blur(
    clues: np.ndarray, answer: np.ndarray, rng: np.random.Generator, minimal: bool
) -> np.ndarray:
    """Turn some numbers into '?' where the answer stays the only one."""
    slots = np.argwhere(clues > 0)
    tries = len(slots) if minimal else int(rng.integers(1, 6))
    for row, column, slot in rng.permutation(slots)[:tries].tolist():
        vague = clues.copy()
        vague[row, column, slot] = UNKNOWN
        prover = Tapa.prover({"clues": vague})
        prover.forbid(answer)
        if prover.another() is None:
            clues = vague
    return clues
