"""What is printed on a heyawake, borders and numbers, and how links and files write it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Int

from erm.errors import InputError
from erm.grid import Borders, cell_ids, first_cells, rooms
from erm.puzzles import pzprv3
from erm.puzzles.combinators import Bits, Cells, FirstOf, Gap, Literal, Number
from erm.puzzles.links import Alphabet, Givens
from erm.types import MAX_SIDE, Puzzle

NO_CLUE = -1
"""A cell, or a room, without a number."""
LARGEST = MAX_SIDE**2
NAME = "heyawake"
# A room's "?" asks for nothing, so it is read as no clue.
ROOM_CLUES = FirstOf((Number(0, LARGEST), Gap(NO_CLUE), Literal(".", NO_CLUE)))


def rooms_of(puzzle: Puzzle) -> Int[np.ndarray, " n"]:
    """The room of each cell, counted from 0 in the order of their first cells."""
    return rooms(puzzle.givens["right"], puzzle.givens["down"])


def borders_between(room_of: Int[np.ndarray, "H W"]) -> Borders:
    """The edges between rooms: `right` and `down` of the givens."""
    return room_of[:, :-1] != room_of[:, 1:], room_of[:-1] != room_of[1:]


def borders_around(puzzle: Puzzle) -> Int[np.ndarray, "n 4"]:
    """Whether each cell has a border above, right, below, left; the board's edge is none."""
    sides = np.zeros((*puzzle.shape, 4), np.int64)
    sides[1:, :, 0] = sides[:-1, :, 2] = puzzle.givens["down"]
    sides[:, :-1, 1] = sides[:, 1:, 3] = puzzle.givens["right"]
    return sides.reshape(-1, 4)


def spans(
    right: Bool[np.ndarray, "H w"], down: Bool[np.ndarray, "h W"]
) -> Iterator[Int[np.ndarray, " s"]]:
    """The shortest straight spans that cross two borders: not all of their cells are white."""
    ids = cell_ids(right.shape[0], down.shape[1])
    for line, borders in (*zip(ids, right, strict=True), *zip(ids.T, down.T, strict=True)):
        for one, next_one in pairwise(np.flatnonzero(borders)):
            yield line[one : next_one + 2]


def _room_clues(count: int) -> Cells:
    return Cells(ROOM_CLUES, count, lambda i: f"the clue of room {i + 1}")


def _decode(body: str, height: int, width: int) -> tuple[Givens, int]:
    across, at = Bits(height * (width - 1)).decode(body)
    below, at = Bits((height - 1) * width).decode(body, at)
    right = np.array(across, bool).reshape(height, width - 1)
    down = np.array(below, bool).reshape(height - 1, width)
    cells = first_cells(rooms(right, down))
    items, at = _room_clues(len(cells)).decode(body, at)
    clues = np.full(height * width, NO_CLUE, np.int16)
    clues[cells] = items
    return {"right": right, "down": down, "clues": clues.reshape(height, width)}, at


def _encode(puzzle: Puzzle) -> str:
    right, down = puzzle.givens["right"], puzzle.givens["down"]
    cells = first_cells(rooms(right, down))
    clues = puzzle.givens["clues"].ravel()[cells].tolist()
    borders = [Bits(side.size).encode(side.ravel().tolist()) for side in (right, down)]
    return "".join(borders) + _room_clues(len(cells)).encode(clues)


class RoomFile:
    """pzpr's files: sides and number of rooms; the rooms, their numbers, the marks."""

    name = NAME

    def write(
        self, puzzle: Puzzle, filled: np.ndarray | None
    ) -> tuple[list[int], list[pzprv3.Grid]]:
        room_of = rooms_of(puzzle)
        ids = [[str(room) for room in row] for row in room_of.reshape(puzzle.shape).tolist()]
        shaded = np.zeros(puzzle.shape) if filled is None else filled
        marks = [["#" if mark else "." for mark in row] for row in shaded.tolist()]
        head = [*puzzle.shape, int(room_of.max()) + 1]
        return head, [ids, _number_words(puzzle, room_of), marks]

    def read(self, lines: pzprv3.Lines) -> Puzzle:
        height, width = lines.side(2), lines.side(3)
        names, numbers, marks = (lines.grid(5 + part * height, height, width) for part in range(3))
        ids = [
            [pzprv3.number(w, r, c, 0, LARGEST) for c, w in _cells(r, names)] for r in range(height)
        ]
        right, down = borders_between(np.array(ids))
        room_of = rooms(right, down)
        first = first_cells(room_of)
        clues = np.full(height * width, NO_CLUE, np.int16)
        for r in range(height):
            for c, word in _cells(r, numbers):
                if word in (".", "-"):
                    continue
                cell = first[room_of[r * width + c]]
                if clues[cell] != NO_CLUE:
                    raise InputError(f"the room of row {r + 1}, column {c + 1} has two numbers")
                clues[cell] = pzprv3.number(word, r, c, 0, LARGEST)
            for c, word in _cells(r, marks):
                if word not in pzprv3.MARKS:
                    raise pzprv3.bad_word(word, r, c)
        givens = {"right": right, "down": down, "clues": clues.reshape(height, width)}
        puzzle = Puzzle(NAME, height, width, givens)
        shaded = pzprv3.marks_of(marks)
        return puzzle.with_answer(shaded) if shaded.any() else puzzle


def _cells(row: int, grid: pzprv3.Grid) -> list[tuple[int, str]]:
    return list(enumerate(grid[row]))


def _number_words(puzzle: Puzzle, room_of: np.ndarray) -> pzprv3.Grid:
    """Room clues where pzpr keeps them: in the leftmost column of a room, there in its top cell."""
    words = [["."] * puzzle.width for _ in range(puzzle.height)]
    clues = puzzle.givens["clues"].ravel()
    by_column = room_of.reshape(puzzle.shape).T
    for room, first in enumerate(first_cells(room_of).tolist()):
        if clues[first] != NO_CLUE:
            column, row = np.argwhere(by_column == room)[0].tolist()
            words[row][column] = str(clues[first])
    return words


ALPHABET = Alphabet((NAME,), _decode, _encode, RoomFile())
