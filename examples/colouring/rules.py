"""Graph colouring: neighbours in a graph get different colours, some vertices have theirs already.

Text: `colour 3 | ..1..0 | 0-1 0-2 1-3 …`: how many colours, what is printed on each vertex, and
the edges. `--include examples/colouring` makes it known to every command; `erm data colouring
--size 1x24 --minimal` makes graphs of 24 vertices whose clues leave one colouring.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from erm.rulebook import (
    EnergySettings,
    Enumerated,
    Factor,
    InputError,
    Look,
    Puzzle,
    Task,
    register,
)

COLOURS = 3
EDGES_A_VERTEX = 2.2
"""Around 2.3 most random graphs stop having three colours, and puzzles are hardest."""
OPEN = -1
DIFFERENT = Enumerated(
    np.array([(a, b) for a in range(COLOURS) for b in range(COLOURS) if a != b]), states=COLOURS
)
TEXT = re.compile(rf"colour {COLOURS} \| ([.0-{COLOURS - 1}]+) \|((?: \d+-\d+)*)")


@register
class Colouring(Task):
    """Givens: `edges` int16 [m, 2] and `clues` int8 [n]: -1 open, else a colour.

    The board is no lattice: 1 x n vertices that only edges connect.
    """

    name = "colouring"
    states = COLOURS
    lattice = False
    interchangeable = True
    settings = EnergySettings(tau=0.02, beta=128.0)
    vocabulary = COLOURS + 2
    text_format = f"colour {COLOURS} | ..1..0 | 0-1 0-2 …"
    look = Look(
        title="Graph colouring",
        about="Neighbours in the graph get different colours.",
        examples=Path(__file__).with_name("examples.json"),
    )

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        return (Factor("neighbours differ", puzzle.givens["edges"].astype(np.int64), DIFFERENT),)

    def domain(self, puzzle: Puzzle) -> np.ndarray:
        clues = puzzle.givens["clues"][:, None]
        return (clues == OPEN) | (clues == np.arange(COLOURS))

    def blank(self, height: int, width: int, rng: np.random.Generator) -> Puzzle:
        """A random graph, as far as one row of vertices is asked for."""
        pairs = np.argwhere(np.triu(np.ones((height * width,) * 2, bool), 1))
        edges = rng.permutation(pairs)[: round(EDGES_A_VERTEX * height * width)].astype(np.int16)
        clues = np.full(height * width, OPEN, np.int8)
        return Puzzle(self.name, 1, height * width, {"clues": clues, "edges": edges})

    def clues(self, puzzle: Puzzle, answer: np.ndarray) -> Mapping[str, np.ndarray]:
        """Every vertex's colour: what the generator takes away from."""
        return {"clues": answer.astype(np.int8)}

    def features(self, puzzle: Puzzle) -> np.ndarray:
        degree = np.bincount(puzzle.givens["edges"].ravel(), minlength=puzzle.cells)
        return np.stack([np.ones(puzzle.cells), degree / 8], 1).astype(np.float32)

    def partitions(self, puzzle: Puzzle) -> np.ndarray:
        """All vertices as one group: each sees the mean of all."""
        return np.zeros((1, puzzle.cells), np.int64)

    def tokens(self, puzzle: Puzzle) -> np.ndarray:
        return puzzle.givens["clues"].astype(np.int64) + 2

    def answer_tokens(self, puzzle: Puzzle) -> np.ndarray:
        return np.tile(np.arange(COLOURS) + 2, (puzzle.cells, 1))

    def parse(self, text: str) -> Puzzle:
        read = TEXT.fullmatch(" ".join(text.split()))
        if read is None:
            raise InputError(f"a graph to colour is {self.text_format}")
        clues = np.array([OPEN if mark == "." else int(mark) for mark in read[1]], np.int8)
        edges = [[int(end) for end in edge.split("-")] for edge in read[2].split()]
        for here, there in edges:
            if here == there or max(here, there) >= len(clues):
                raise InputError(f"edge {here}-{there} does not join two of {len(clues)} vertices")
        givens = {"clues": clues, "edges": np.array(edges, np.int16).reshape(-1, 2)}
        return Puzzle(self.name, 1, len(clues), givens)

    def format(self, puzzle: Puzzle) -> str:
        clues = "".join("." if clue == OPEN else str(clue) for clue in puzzle.givens["clues"])
        edges = "".join(f" {here}-{there}" for here, there in puzzle.givens["edges"].tolist())
        return f"colour {COLOURS} | {clues} |{edges}"
