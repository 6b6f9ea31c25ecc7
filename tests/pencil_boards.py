"""Small boards with random clues, whether or not they have an answer."""

from __future__ import annotations

from itertools import product

import numpy as np

from erm.rulebook.registry import load_task
from erm.types import Puzzle

TAPA_CLUES = [(0,), (1,), (2,), (3,), (4,), (5,), (7,), (8,), (1, 1), (1, 2), (2, 2), (1, 1, 1)]
TAPA_CLUES += [(1, 3), (1, 1, 1, 1), (-2,), (-2,), (-2, -2), (1, -2), (-2, 2), (-2, -2, -2)]


def random_board(task: str, height: int, width: int, rng: np.random.Generator) -> Puzzle:
    return Puzzle(task, height, width, GIVENS[task](height, width, rng))


def answers_by_brute_force(puzzle: Puzzle) -> list[tuple[int, ...]]:
    """What the rulebook accepts of everything that can be written on the board, in order."""
    every = np.array(list(product((0, 1), repeat=puzzle.cells)), np.int8)
    valid = load_task(puzzle.task).rules(puzzle).is_valid(every)
    return [tuple(answer) for answer in every[valid].tolist()]


def _lightup(height: int, width: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    clues = rng.choice([-1, 0, 1, 1, 2, 2, 3, 4], (height, width))
    white = rng.random((height, width)) < 0.75
    return {"clues": np.where(white, -2, clues).astype(np.int8)}


def _nurikabe(height: int, width: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    clues = rng.choice([-1, -1, 1, 1, 2, 2, 3, 4, 5], (height, width))
    bare = rng.random((height, width)) < rng.uniform(0.6, 0.95)
    return {"clues": np.where(bare, 0, clues).astype(np.int16)}


def _heyawake(height: int, width: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Borders anywhere, so that most of them dangle; numbers on the rooms' first cells."""
    share = rng.uniform(0.1, 0.7)
    right = rng.random((height, width - 1)) < share
    down = rng.random((height - 1, width)) < share
    clues = np.full(height * width, -1, np.int16)
    for room in _rooms(right, down):
        if rng.random() < 0.5:
            clues[min(room)] = rng.integers(0, 1 + (len(room) + 1) // 2)
    return {"right": right, "down": down, "clues": clues.reshape(height, width)}


def _rooms(right: np.ndarray, down: np.ndarray) -> list[set[int]]:
    height, width = right.shape[0], down.shape[1]
    room = list(range(height * width))
    for r in range(height):
        for c in range(width):
            x = r * width + c
            for joined, y in (
                (c + 1 < width and not right[r, c], x + 1),
                (r + 1 < height and not down[r, c], x + width),
            ):
                if joined:
                    old, new = room[y], room[x]
                    room = [new if k == old else k for k in room]
    return [{x for x, k in enumerate(room) if k == name} for name in set(room)]


def _tapa(height: int, width: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    clues = np.full((height, width, 4), -1, np.int8)
    for row, column in np.argwhere(rng.random((height, width)) < rng.uniform(0.05, 0.3)):
        clue = TAPA_CLUES[int(rng.integers(len(TAPA_CLUES)))]
        clues[row, column, : len(clue)] = clue
    return {"clues": clues}


GIVENS = {"lightup": _lightup, "nurikabe": _nurikabe, "heyawake": _heyawake, "tapa": _tapa}
