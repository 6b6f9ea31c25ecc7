"""A printed board as facts for clingo: the only thing that Python tells the encodings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from erm.data.pencil.growth import components
from erm.errors import InputError
from erm.types import Puzzle

RING = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))
"""The eight cells around a tapa clue, clockwise."""

ENCODINGS: dict[str, tuple[str, ...]] = {
    "lightup": ("grid", "lightup"),
    "nurikabe": ("grid", "nurikabe", "connected"),
    "heyawake": ("grid", "heyawake"),
    "tapa": ("grid", "tapa", "connected"),
}
"""The files under data/encodings that state the rules of each task."""


def facts(puzzle: Puzzle) -> str:
    """The board's clues and borders in the words of its encoding."""
    givens = puzzle.givens
    if puzzle.task == "lightup":
        return lightup_facts(givens["clues"])
    if puzzle.task == "nurikabe":
        return nurikabe_facts(givens["clues"])
    if puzzle.task == "heyawake":
        return heyawake_facts(givens["right"], givens["down"], givens["clues"])
    if puzzle.task == "tapa":
        return tapa_facts(givens["clues"])
    raise InputError(f"clingo proves {', '.join(ENCODINGS)}, but this puzzle is a {puzzle.task}")


def lightup_facts(clues: np.ndarray) -> str:
    cells = clues.ravel()
    return _join(f"black({x})." for x in np.flatnonzero(cells >= -1)) + _join(
        f"number({x},{cells[x]})." for x in np.flatnonzero(cells >= 0)
    )


def nurikabe_facts(clues: np.ndarray) -> str:
    cells = clues.ravel()
    return _join(f"number({x},{cells[x]})." for x in np.flatnonzero(cells > 0)) + _join(
        f"unknown({x})." for x in np.flatnonzero(cells < 0)
    )


def heyawake_facts(right: np.ndarray, down: np.ndarray, clues: np.ndarray) -> str:
    rooms = rooms_of(right, down).ravel()
    numbers = clues.ravel()
    wall_right = np.pad(right, ((0, 0), (0, 1))).ravel()
    wall_down = np.pad(down, ((0, 1), (0, 0))).ravel()
    return "".join(
        (
            _join(f"room({x},{room})." for x, room in enumerate(rooms)),
            _join(f"number({rooms[x]},{numbers[x]})." for x in np.flatnonzero(numbers >= 0)),
            _join(f"wall_right({x})." for x in np.flatnonzero(wall_right)),
            _join(f"wall_down({x})." for x in np.flatnonzero(wall_down)),
        )
    )


def tapa_facts(clues: np.ndarray) -> str:
    height, width = clues.shape[:2]
    out: list[str] = []
    for row, column in np.argwhere((clues != -1).any(-1)):
        x = row * width + column
        inside = [
            (place, x + dr * width + dc)
            for place, (dr, dc) in enumerate(RING)
            if 0 <= row + dr < height and 0 <= column + dc < width
        ]
        room = sum(1 << place for place, _ in inside)
        clue = tuple(int(n) for n in clues[row, column] if n != -1)
        out.append(f"clued({x}).")
        out.extend(f"ring({x},{place},{y})." for place, y in inside)
        out.extend(f"fits({x},{p})." for p in shadings(clue) if p & ~room == 0)
    return "".join(out)


def rooms_of(right: np.ndarray, down: np.ndarray) -> np.ndarray:
    """The number of each cell's room, counted from 0 in the order of their first cells."""
    height, width = right.shape[0], down.shape[1]
    # On a board of doubled coordinates a border is a gap, so rooms are plain components.
    open_ = np.zeros((2 * height - 1, 2 * width - 1), bool)
    open_[::2, ::2] = True
    open_[::2, 1::2] = ~right
    open_[1::2, ::2] = ~down
    labels = components(open_)[0][::2, ::2]
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].reshape(height, width)


@cache
def run_lengths(shading: int) -> tuple[int, ...]:
    """The sorted lengths of the runs of shaded cells around a ring of eight; (0,) for none."""
    bits = [shading >> place & 1 for place in range(8)]
    if all(bits):
        return (8,)
    start = bits.index(0)
    turned = "".join(str(b) for b in bits[start:] + bits[:start])
    return tuple(sorted(len(run) for run in turned.split("0") if run)) or (0,)


@cache
def shadings(clue: Sequence[int]) -> tuple[int, ...]:
    """The ways to shade a full ring that a clue allows; -2 is '?' and stands for any one run."""

    def allows(runs: tuple[int, ...]) -> bool:
        rest = list(runs)
        for number in clue:
            if number >= 0:
                if number not in rest:
                    return False
                rest.remove(number)
        return len(runs) == len(clue)

    return tuple(p for p in range(256) if allows(run_lengths(p)))


def _join(facts: Iterable[str]) -> str:
    return "".join(facts)
