"""Heyawake: shaded cells apart from each other, white ones connected, rooms counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.drawing.board import Borders
from erm.grid import adjacent_pairs, cell_ids, members, rooms
from erm.puzzles import ppbench
from erm.puzzles.areas import OneArea, SomeMarked
from erm.puzzles.heyawake.drawing import LOOK, labels
from erm.puzzles.heyawake.givens import GIVENS, NO_CLUE
from erm.puzzles.heyawake.shadings import RoomShadings
from erm.puzzles.pencil import Pencil, magnitude, one_hot, stack_features
from erm.rulebook.counting import AtLeast, AtMost, Exactly
from erm.rulebook.factor import Factor, group_scopes
from erm.rulebook.potential import Potential
from erm.rulebook.propagation.parts import Compilable
from erm.types import Puzzle

WHITE = 0


class Heyawake(Pencil):
    """Givens: `right` bool [H, W-1] and `down` bool [H-1, W], the borders behind and below each
    cell; `clues` int16 [H, W], a room's number on its first cell, else -1; 1 is shaded.

    Rooms are what the borders divide; a border may also end inside a room. White lines are
    judged by the borders they cross, as pzpr.js does, not by the rooms they visit.
    """

    name = "heyawake"
    state_words = ("white", "shaded")
    givens = GIVENS
    look = LOOK

    def markable(self, puzzle: Puzzle) -> Bool[np.ndarray, " n"]:
        return np.ones(puzzle.cells, bool)

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        apart = Factor("no two shaded cells touch", adjacent_pairs(*puzzle.shape), AtMost(1, 2))
        lines = [
            Factor("a white line crosses one border", scopes, AtLeast(1, scopes.shape[1]))
            for scopes in group_scopes(_spans(puzzle))
        ]
        counts = [
            Factor("number of shaded cells in a room", scopes, Exactly(count, scopes.shape[1]))
            for count, alike in _clued_rooms(puzzle).items()
            for scopes in group_scopes(alike)
        ]
        return apart, *lines, *counts

    def implied(self, puzzle: Puzzle) -> Sequence[Compilable]:
        """A numbered room as a whole: so many cells, apart from each other, cutting nothing off."""
        clued = _clued_rooms(puzzle)
        rooms = [room for alike in clued.values() for room in alike]
        counts = [count for count, alike in clued.items() for _ in alike]
        return (RoomShadings(rooms, counts, puzzle.shape),)

    def potentials(self, puzzle: Puzzle) -> Sequence[Potential]:
        connected = OneArea("white cells are connected", puzzle.shape, WHITE)
        return SomeMarked("some cell is shaded"), connected

    def partitions(self, puzzle: Puzzle) -> Int[np.ndarray, "1 n"]:
        return _rooms(puzzle)[None]

    def features(self, puzzle: Puzzle) -> Float[np.ndarray, "n 17"]:
        """Borders on four sides; the room's clue (none, 0 to 8, magnitude) and size."""
        room_clues, room_ids = _room_clues(puzzle), _rooms(puzzle)
        return stack_features(
            _borders(puzzle),
            one_hot(room_clues, range(NO_CLUE, 9)),
            magnitude(room_clues),
            magnitude(np.bincount(room_ids)[room_ids]),
        )

    def tokens(self, puzzle: Puzzle) -> Int[np.ndarray, " n"]:
        return ppbench.heyawake_tokens(_borders(puzzle), _room_clues(puzzle))

    def labels(self, puzzle: Puzzle) -> Sequence[str]:
        return labels(puzzle.givens["clues"])

    def borders(self, puzzle: Puzzle) -> Borders:
        """As printed, with those that end inside a room."""
        return puzzle.givens["right"], puzzle.givens["down"]

    def settled(self, puzzle: Puzzle) -> Puzzle:
        """Numbers move to the first cell of their room; of several the first stays."""
        printed = puzzle.givens["clues"].ravel()
        clues = np.full_like(printed, NO_CLUE)
        for room in members(_rooms(puzzle)):
            numbers = printed[room][printed[room] != NO_CLUE]
            clues[room[0]] = numbers[0] if len(numbers) else NO_CLUE
        givens = {**puzzle.givens, "clues": clues.reshape(puzzle.shape)}
        return replace(puzzle, givens=givens)


def _rooms(puzzle: Puzzle) -> Int[np.ndarray, " n"]:
    return rooms(puzzle.givens["right"], puzzle.givens["down"])


def _room_clues(puzzle: Puzzle) -> Int[np.ndarray, " n"]:
    """The number of the room that each cell lies in, or -1."""
    ids, clues = _rooms(puzzle), puzzle.givens["clues"].ravel()
    of_room = np.full(ids.max() + 1, NO_CLUE)
    np.maximum.at(of_room, ids, clues)
    return of_room[ids]


def _clued_rooms(puzzle: Puzzle) -> dict[int, list[np.ndarray]]:
    """The rooms with a number, by that number."""
    room_clues = _room_clues(puzzle)
    found: dict[int, list[np.ndarray]] = {}
    for room in members(_rooms(puzzle)):
        count = int(room_clues[room[0]])
        if count != NO_CLUE:
            found.setdefault(count, []).append(room)
    return found


def _spans(puzzle: Puzzle) -> Iterator[Int[np.ndarray, " s"]]:
    """The shortest straight spans that cross two borders: not all of their cells are white."""
    ids = cell_ids(*puzzle.shape)
    rows = zip(ids, puzzle.givens["right"], strict=True)
    columns = zip(ids.T, puzzle.givens["down"].T, strict=True)
    for line, borders in (*rows, *columns):
        crossed = np.flatnonzero(borders)
        for one, next_one in pairwise(crossed):
            yield line[one : next_one + 2]


def _borders(puzzle: Puzzle) -> Int[np.ndarray, "n 4"]:
    """Whether each cell has a border above, right, below, left; the board's edge is none."""
    sides = np.zeros((*puzzle.shape, 4), np.int64)
    sides[1:, :, 0] = sides[:-1, :, 2] = puzzle.givens["down"]
    sides[:, :-1, 1] = sides[:, 1:, 3] = puzzle.givens["right"]
    return sides.reshape(-1, 4)
