"""Heyawake boards: rooms, a shading that obeys them, and cuts where another shading would do."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import binary_dilation

from erm.data.pencil.clues import thin_out
from erm.data.pencil.facts import heyawake_facts
from erm.data.pencil.rooms import borders, crossings, cuts, dent, hand_over, rectangles, tidy
from erm.data.pencil.solver import Solver
from erm.types import Puzzle

REPAIRS = 0.4
"""Changes of rooms or shading to try, a cell."""
SHADINGS = 20
"""Shadings to try on one set of rooms."""


def generate(
    height: int, width: int, rng: np.random.Generator, minimal: bool = False
) -> Puzzle | None:
    """One unique board, or None where repairs did not lead to one."""
    rooms = rectangles(height, width, rng)
    if rng.random() < 0.3:
        rooms = dent(rooms, rng, rng.uniform(0.02, 0.4))
    rooms = tidy(rooms)
    shaded = next(
        filter(lambda s: s is not None, (shade(rooms, rng) for _ in range(SHADINGS))), None
    )
    if shaded is None:
        return None
    for _ in range(int(REPAIRS * height * width)):
        right, down = borders(rooms)
        clues = count_shaded(rooms, shaded)
        solver = Solver(
            "heyawake", height, width, heyawake_facts(right, down, clues), optional=True
        )
        solver.forbid(shaded)
        numbered = set(solver.asked)
        other = solver.another(numbered)
        if other is None:
            keep = int(len(numbered) * rng.uniform(0.3, 1.0))
            kept = thin_out(solver, numbered, rng, keep, minimal)
            clues[~np.isin(rooms, sorted(kept))] = -1
            givens = {"right": right, "down": down, "clues": clues}
            return Puzzle("heyawake", height, width, givens, shaded)
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
    clues = np.full(rooms.size, -1, np.int16)
    _, first = np.unique(rooms, return_index=True)
    clues[first] = np.bincount(rooms.ravel(), weights=shaded)
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
        width = rooms.shape[1]
        options += [
            moved
            for cell in differs.tolist()
            for step in (-width, 1, width, -1)
            if 0 <= cell + step < rooms.size
            and (abs(step) > 1 or (cell + step) // width == cell // width)
            and rooms.flat[cell + step] != rooms.flat[cell]
            and (moved := hand_over(rooms, cell, int(rooms.flat[cell + step]))) is not None
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


class Chains:
    """Shaded cells that never touch, joined diagonally into chains.

    The cells in between stay connected exactly as long as no chain closes a ring or ties two
    places of the board's edge together, so a forest over cells and the edge is enough to know.
    """

    def __init__(self, height: int, width: int) -> None:
        self.height, self.width = height, width
        self.shaded = [0] * (height * width)
        self._parent = list(range(height * width + 1))

    def _root(self, x: int) -> int:
        while self._parent[x] != x:
            self._parent[x] = x = self._parent[self._parent[x]]
        return x

    def _links(self, x: int) -> list[int]:
        """The chains that cell x would tie together, the edge counted once a side it touches."""
        row, column = divmod(x, self.width)
        up, down = row > 0, row < self.height - 1
        left, right = column > 0, column < self.width - 1
        diagonal = (
            (up and left, x - self.width - 1),
            (up and right, x - self.width + 1),
            (down and left, x + self.width - 1),
            (down and right, x + self.width + 1),
        )
        links = [self._root(y) for inside, y in diagonal if inside and self.shaded[y]]
        if not (up and down and left and right):
            links.append(self._root(len(self.shaded)))
        return links

    def allows(self, x: int) -> bool:
        """Whether cell x may be shaded too."""
        row, column = divmod(x, self.width)
        s = self.shaded
        if (
            s[x]
            or (row > 0 and s[x - self.width])
            or (row < self.height - 1 and s[x + self.width])
            or (column > 0 and s[x - 1])
            or (column < self.width - 1 and s[x + 1])
        ):
            return False
        links = self._links(x)
        return len(links) == len(set(links))

    def add(self, x: int) -> None:
        links = self._links(x)
        self.shaded[x] = 1
        for link in links:
            self._parent[link] = x
