"""A transformation shown by three pairs of boards, to be carried out on a fourth.

No rule is written down: the memories are built from the instance's own examples. A view is a way
to look at a cell of an input, such as its left neighbour, or its colour and those beside it. A view
explains the examples if what it sees always goes with one colour of the output. The simplest view
that does is the rule, and what it saw in the examples are the memories.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from erm.rulebook import (
    EnergySettings,
    Enumerated,
    Factor,
    Generator,
    InputError,
    Look,
    Puzzle,
    Task,
    register,
)

from .views import COLOURS, VIEWS, Memory, View, explains, memory_of

PAIRS = 3
DIGITS = "0123"
ONE_COLOUR = [Enumerated(np.array([[colour]]), COLOURS) for colour in range(COLOURS)]


@register
class ArcLike(Task):
    """Givens: `input` int8 [H, W], the board to transform; `examples` int8 [3, 2, H, W]."""

    name = "arc_like"
    states = COLOURS
    settings = EnergySettings(tau=0.02, beta=128.0)
    vocabulary = COLOURS + 1
    text_format = "three times board>board and a last board with a | between them, rows with a /"
    look = Look(
        title="ARC-like",
        about="Do to the last board what was done to the first three.",
        examples=Path(__file__).with_name("examples.json"),
    )

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        """One colour a cell, as the simplest view that explains the examples remembers it."""
        cells: list[list[list[int]]] = [[] for _ in range(COLOURS)]
        for view, memory in [one for one in _memories(puzzle) if explains(one[1])][:1]:
            for cell, key in enumerate(view(puzzle.givens["input"]).ravel().tolist()):
                for colour in memory.get(key, ()):
                    cells[colour].append([cell])
        return [
            Factor("as the examples show", np.array(scopes), memory)
            for scopes, memory in zip(cells, ONE_COLOUR, strict=True)
            if scopes
        ]

    def domain(self, puzzle: Puzzle) -> np.ndarray:
        return np.ones((puzzle.cells, COLOURS), bool)

    def features(self, puzzle: Puzzle) -> np.ndarray:
        """The input's colour, and for each view which colours the examples have where it saw the
        same, and whether it explains them: all that a network knows of the examples."""
        board = puzzle.givens["input"]
        channels = [np.eye(COLOURS)[board.ravel()], np.ones((puzzle.cells, 1))]
        for view, memory in _memories(puzzle):
            seen = [memory.get(key, set()) for key in view(board).ravel().tolist()]
            channels.append(
                np.array([[colour in one for colour in range(COLOURS)] for one in seen])
            )
            channels.append(np.full((puzzle.cells, 1), explains(memory)))
        return np.concatenate(channels, 1).astype(np.float32)

    def partitions(self, puzzle: Puzzle) -> np.ndarray:
        """All cells together: one transformation."""
        return np.zeros((1, puzzle.cells), np.int64)

    def tokens(self, puzzle: Puzzle) -> np.ndarray:
        return puzzle.givens["input"].ravel().astype(np.int64) + 1

    def answer_tokens(self, puzzle: Puzzle) -> np.ndarray:
        return np.tile(np.arange(COLOURS) + 1, (puzzle.cells, 1))

    def parse(self, text: str) -> Puzzle:
        *pairs, last = text.strip().split("|")
        boards = [pair.split(">") for pair in pairs]
        if len(boards) != PAIRS or any(len(pair) != 2 for pair in boards):
            raise InputError(f"an arc_like is {self.text_format}")
        given = _board(last)
        examples = [[_board(side) for side in pair] for pair in boards]
        if any(side.shape != given.shape for pair in examples for side in pair):
            raise InputError("the boards of an arc_like must have one size")
        height, width = given.shape
        return Puzzle(self.name, height, width, {"input": given, "examples": np.array(examples)})

    def format(self, puzzle: Puzzle) -> str:
        pairs = [">".join(map(_text, pair)) for pair in puzzle.givens["examples"]]
        return "|".join([*pairs, _text(puzzle.givens["input"])])

    def generator(self) -> type[Generator]:
        from .generate import ArcLikeGenerator

        return ArcLikeGenerator


def _memories(puzzle: Puzzle) -> list[tuple[View, Memory]]:
    """Every view with what it saw in the examples."""
    return [(view, memory_of(view, puzzle.givens["examples"])) for view in VIEWS]


def _text(board: np.ndarray) -> str:
    return "/".join("".join(DIGITS[colour] for colour in row) for row in board)


def _board(text: str) -> np.ndarray:
    rows = text.split("/")
    if not rows[0] or any(len(row) != len(rows[0]) or set(row) - set(DIGITS) for row in rows):
        raise InputError(f"{text[:40]!r} is no board of colours 0 to 3 with a / between its rows")
    return np.array([[int(cell) for cell in row] for row in rows], np.int8)
