"""Heyawake boards: rooms, a shading that obeys them, and cuts where another shading would do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Integer
from scipy.ndimage import binary_dilation

from erm.grid import OFF_BOARD, ORTHOGONAL, areas, first_cells, neighbours, ring
from erm.grid import rooms as divided_by
from erm.puzzles.generators import ProvedGenerator
from erm.puzzles.heyawake.implied import closes_loop, edge_contacts, no_chains
from erm.puzzles.heyawake.rules import Heyawake
from erm.puzzles.heyawake.text import NO_CLUE, borders_between, spans
from erm.puzzles.prover import thin_out
from erm.types import Puzzle

REPAIRS = 0.4
"""Changes of rooms or shading to try, per cell."""
SHADINGS = 20
"""Shadings to try on one set of rooms."""
SIDES = ((1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (2, 4), (2, 5), (3, 3), (3, 4), (4, 4), (3, 5))


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


def rectangles(height: int, width: int, rng: np.random.Generator) -> np.ndarray:
    """Cover the board with rectangles, the first free cell first, seen from a random corner."""
    turned = bool(rng.integers(2))
    if turned:
        height, width = width, height
    # A board has its own taste in rooms: weights that differ from board to board.
    taste = rng.dirichlet(np.array([0.1, 0.4, 0.7, 3, 4, 3, 1.5, 2, 1.5, 0.7, 0.7]))
    rooms = np.full((height, width), -1)
    count = 0
    for row in range(height):
        for column in range(width):
            if rooms[row, column] >= 0:
                continue
            tall, wide = SIDES[int(rng.choice(len(SIDES), p=taste))]
            if rng.random() < 0.5:
                tall, wide = wide, tall
            tall = min(tall, height - row)
            free = 1
            while free < wide and column + free < width and rooms[row, column + free] < 0:
                free += 1
            rooms[row : row + tall, column : column + free] = count
            count += 1
    rooms = rooms[:: rng.choice([-1, 1]), :: rng.choice([-1, 1])]
    return rooms.T if turned else rooms


def dent(rooms: np.ndarray, rng: np.random.Generator, share: float) -> np.ndarray:
    """Hand over cells on a border to the room behind it, and join crumbs with a neighbour."""
    rooms = rooms.copy()
    height, width = rooms.shape
    for cell in rng.permutation(rooms.size)[: int(share * rooms.size)].tolist():
        row, column = divmod(cell, width)
        dr, dc = ORTHOGONAL[int(rng.integers(4))]
        r, c = row + dr, column + dc
        if 0 <= r < height and 0 <= c < width and rooms[r, c] != rooms[row, column]:
            moved = hand_over(rooms, cell, int(rooms[r, c]))
            if moved is not None:
                rooms = moved
    return rooms


def hand_over(rooms: np.ndarray, cell: int, room: int) -> np.ndarray | None:
    """The cell joins another room beside it; None where that would tear its own room apart."""
    own = int(rooms.flat[cell])
    moved = rooms.copy()
    moved.flat[cell] = room
    return moved if areas(moved == own)[1] <= 1 else None


def cuts(rooms: np.ndarray, room: int) -> list[np.ndarray]:
    """Every way to cut a room in two connected parts along one straight line."""
    fresh = int(rooms.max()) + 1
    mask = rooms == room
    rows, columns = np.nonzero(mask)
    lines = [np.arange(rooms.shape[0])[:, None] > row for row in range(rows.min(), rows.max())]
    lines += [np.arange(rooms.shape[1])[None] > c for c in range(columns.min(), columns.max())]
    parts = [(mask & line, mask & ~line) for line in lines]
    return [
        np.where(far, fresh, rooms)
        for far, near in parts
        if areas(far)[1] == 1 and areas(near)[1] == 1
    ]


def tidy(rooms: np.ndarray) -> np.ndarray:
    """The same rooms, numbered in the order of their first cells."""
    return divided_by(*borders_between(rooms)).reshape(rooms.shape)


def crossings(rooms: np.ndarray) -> list[np.ndarray]:
    """The shortest straight lines over two borders: in each one some cell must be shaded."""
    return list(spans(*borders_between(rooms)))


class Chains:
    """Shaded cells that obey two rules, one added after the other: apart, white cells connected."""

    def __init__(self, height: int, width: int) -> None:
        self.shaded = [0] * (height * width)
        around = ring(height, width)
        self._beside = neighbours(height, width).tolist()
        self._corners: list[Integer[np.ndarray, " 4"]] = list(around[:, ::2])
        self._contacts: list[int] = [edge_contacts(cells) for cells in around]
        self._parent = np.empty(height * width + 1, np.int64)
        no_chains(self._parent)

    def allows(self, cell: int) -> bool:
        """Whether that cell may be shaded, too."""
        shaded = self.shaded
        if shaded[cell] or any(y != OFF_BOARD and shaded[y] for y in self._beside[cell]):
            return False
        return not self._tie(self._parent.copy(), cell)

    def add(self, cell: int) -> None:
        self._tie(self._parent, cell)
        self.shaded[cell] = 1

    def _tie(self, parent: Integer[np.ndarray, " m"], cell: int) -> bool:
        return closes_loop(parent, cell, self._corners[cell], self._contacts[cell])
