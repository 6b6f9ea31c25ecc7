"""Heyawake turned: borders change sides, a room's number moves to what is now its first cell."""

from __future__ import annotations

import numpy as np

from erm.grid import first_cells, rooms
from erm.puzzles.heyawake.givens import NO_CLUE
from erm.rulebook.symmetry import TURNS, Symmetry, Turn
from erm.types import Puzzle


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
