"""Heyawake: shaded cells apart from each other, white ones connected, rooms counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.grid import Borders, adjacent_pairs, first_cells, members, rooms
from erm.look import Look
from erm.puzzles.heyawake.text import (
    ALPHABET,
    LARGEST,
    NAME,
    NO_CLUE,
    borders_around,
    rooms_of,
    spans,
)
from erm.puzzles.pencil import OneArea, Pencil, SomeMarked, magnitude, one_hot, stack_features
from erm.rulebook.counting import AtLeast, AtMost, Exactly
from erm.rulebook.factor import Factor, group_scopes
from erm.rulebook.generator import Generator
from erm.rulebook.given import Given
from erm.rulebook.potential import Potential
from erm.rulebook.propagation.parts import Compilable
from erm.rulebook.symmetry import TURNS, Symmetry, Turn
from erm.types import Puzzle

WHITE = 0
LARGEST_WITH_TOKEN = 12
"""Larger room clues share a token."""
BORDERS = 16
"""Each of a cell's four sides may carry a border."""


class RoomSymmetry(Symmetry):
    """The eight turns of a board whose borders lie between cells."""

    def __init__(self) -> None:
        super().__init__(TURNS)

    def givens(self, puzzle: Puzzle, turn: Turn) -> dict[str, np.ndarray]:
        right, down = puzzle.givens["right"], puzzle.givens["down"]
        if turn.transpose:
            right, down = down, right
        across, below = turn.move(right), turn.move(down)
        room_of = rooms(across, below)
        scattered = turn.move(puzzle.givens["clues"]).ravel()
        clues = np.full_like(scattered, NO_CLUE)
        written = np.flatnonzero(scattered != NO_CLUE)
        clues[first_cells(room_of)[room_of[written]]] = scattered[written]
        height, width = len(across), below.shape[1]
        return {"right": across, "down": below, "clues": clues.reshape(height, width)}


class Heyawake(Pencil):
    """Givens: `right` bool [H, W-1] and `down` bool [H-1, W], the borders behind and below each
    cell; `clues` int16 [H, W], a room's number on its first cell, else -1; 1 is shaded.

    Rooms are what the borders divide; a border may also end inside a room. White lines are
    judged by the borders they cross, as pzpr.js does, not by the rooms they visit.
    """

    name = NAME
    state_words = ("white", "shaded")
    givens: ClassVar = {
        "clues": Given(np.int16, NO_CLUE, LARGEST, blank=NO_CLUE),
        "right": Given(np.bool_, 0, 1, trim=(0, 1)),
        "down": Given(np.bool_, 0, 1, trim=(1, 0)),
    }
    look = Look.beside(
        __file__,
        "Heyawake",
        "Shaded cells never touch, white ones stay connected, rooms hold their number, "
        "and no white line crosses two borders.",
        {
            "clue": "every cell is free",
            "shadings of a room": "shaded cells fit into a room",
            "no two shaded cells touch": "shaded cells stay apart",
            "a white line crosses one border": "white lines end by the second border",
            "number of shaded cells in a room": "rooms hold their number",
            "white cells are connected": "white is one area",
        },
    )
    alphabet = ALPHABET
    encodings = ("grid.lp", "heyawake/encoding.lp")
    symmetry = RoomSymmetry()
    printed_tokens = range(107, 347)

    def markable(self, puzzle: Puzzle) -> Bool[np.ndarray, " n"]:
        return np.ones(puzzle.cells, bool)

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        apart = Factor("no two shaded cells touch", adjacent_pairs(*puzzle.shape), AtMost(1, 2))
        lines = [
            Factor("a white line crosses one border", scopes, AtLeast(1, scopes.shape[1]))
            for scopes in group_scopes(spans(puzzle.givens["right"], puzzle.givens["down"]))
        ]
        counts = [
            Factor(
                "number of shaded cells in a room",
                scopes,
                Exactly(count, scopes.shape[1]),
                scopes[:, 0],
            )
            for count, alike in _clued_rooms(puzzle).items()
            for scopes in group_scopes(alike)
        ]
        return apart, *lines, *counts

    def implied(self, puzzle: Puzzle) -> Sequence[Compilable]:
        """A numbered room as a whole: so many cells, apart from each other, cutting nothing off;
        where its shadings are too many to list, what follows from there being almost no room."""
        from erm.puzzles.heyawake.implied import CrowdedRooms, RoomShadings

        clued = _clued_rooms(puzzle)
        rooms = [room for alike in clued.values() for room in alike]
        counts = [count for count, alike in clued.items() for _ in alike]
        shadings = RoomShadings(rooms, counts, puzzle.shape)
        others = [number for number in range(len(rooms)) if number not in shadings.listed]
        crowded = CrowdedRooms(
            [rooms[number] for number in others],
            [counts[number] for number in others],
            puzzle.shape,
        )
        return shadings, crowded

    def potentials(self, puzzle: Puzzle) -> Sequence[Potential]:
        connected = OneArea("white cells are connected", puzzle.shape, WHITE)
        return SomeMarked("some cell is shaded"), connected

    def partitions(self, puzzle: Puzzle) -> Int[np.ndarray, "1 n"]:
        return rooms_of(puzzle)[None]

    def features(self, puzzle: Puzzle) -> Float[np.ndarray, "n 17"]:
        """Borders on four sides; the room's clue (none, 0 to 8, magnitude) and size."""
        room_clues, room_ids = _room_clues(puzzle), rooms_of(puzzle)
        return stack_features(
            borders_around(puzzle),
            one_hot(room_clues, range(NO_CLUE, 9)),
            magnitude(room_clues),
            magnitude(np.bincount(room_ids)[room_ids]),
        )

    def tokens(self, puzzle: Puzzle) -> Int[np.ndarray, " n"]:
        """Which sides carry a border, and the clue of the room, on every cell of it."""
        sides = borders_around(puzzle) @ (1 << np.arange(4))
        clues = np.minimum(_room_clues(puzzle), LARGEST_WITH_TOKEN + 1) - NO_CLUE
        return self.printed_tokens.start + BORDERS * clues + sides

    def borders(self, puzzle: Puzzle) -> Borders:
        """As printed, with those that end inside a room."""
        return puzzle.givens["right"], puzzle.givens["down"]

    def normalised(self, puzzle: Puzzle) -> Puzzle:
        """Numbers move to the first cell of their room; of several the first stays."""
        printed = puzzle.givens["clues"].ravel()
        clues = np.full_like(printed, NO_CLUE)
        for room in members(rooms_of(puzzle)):
            numbers = printed[room][printed[room] != NO_CLUE]
            clues[room[0]] = numbers[0] if len(numbers) else NO_CLUE
        givens = {**puzzle.givens, "clues": clues.reshape(puzzle.shape)}
        return replace(puzzle, givens=givens)

    def generator(self) -> type[Generator]:
        from erm.puzzles.heyawake.generate import HeyawakeGenerator

        return HeyawakeGenerator


def _room_clues(puzzle: Puzzle) -> Int[np.ndarray, " n"]:
    """The number of the room that each cell lies in, or -1."""
    ids, clues = rooms_of(puzzle), puzzle.givens["clues"].ravel()
    of_room = np.full(ids.max() + 1, NO_CLUE)
    np.maximum.at(of_room, ids, clues)
    return of_room[ids]


def _clued_rooms(puzzle: Puzzle) -> dict[int, list[np.ndarray]]:
    """The rooms with a number, by that number."""
    room_clues = _room_clues(puzzle)
    found: dict[int, list[np.ndarray]] = {}
    for room in members(rooms_of(puzzle)):
        count = int(room_clues[room[0]])
        if count != NO_CLUE:
            found.setdefault(count, []).append(room)
    return found
