"""The sign that a file has for an empty cell, so that answers are written as puzzles were."""

from __future__ import annotations

from erm.rulebook.registry import task_of
from erm.types import Puzzle

EMPTY = "."
"""Our own sign, in texts of one character a cell."""


class Signs:
    """Learned from the first puzzle of a file that has an empty cell."""

    def __init__(self) -> None:
        self.empty = EMPTY
        self._known = False

    def see(self, text: str, puzzle: Puzzle) -> None:
        """A puzzle, and what its file says of it."""
        text = "".join(text.split("\n")).strip()
        if self._known or len(text) != puzzle.cells:
            return
        own = task_of(puzzle.task).format(puzzle)
        if len(own) == len(text) and EMPTY in own:
            signs = {theirs for theirs, ours in zip(text, own, strict=True) if ours == EMPTY}
            self.empty = signs.pop() if len(signs) == 1 else EMPTY
            self._known = True

    def written(self, text: str, puzzle: Puzzle) -> str:
        """A puzzle's text in our own signs, with those of the file."""
        return text.replace(EMPTY, self.empty) if len(text) == puzzle.cells else text
