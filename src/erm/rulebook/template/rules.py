"""The rulebook of template: one star in every row and column, and no two stars touch.

It is a stand-in that works: change it step by step into your own, and run `pytest` on this folder
after each step. Whatever is not needed can go, what is missing is in docs/new-task.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from erm.rulebook import (
    SQUARE,
    AtMost,
    EnergySettings,
    Exactly,
    Factor,
    Given,
    Look,
    Puzzle,
    Task,
    cell_ids,
    register,
    windows,
)

from .text import EMPTY, OPEN, STAR, read, write


@register
class Template(Task):
    """Givens: `clues` int8 [height, width]: OPEN, or that a cell is known to be EMPTY or a STAR."""

    # Step 1: what there is. A board is height x width cells, row by row, and an answer one state
    # a cell, counted from 0.
    name = "template"
    states = 2
    state_words = ("empty", "a star")
    state_symbols = "-*"
    givens: ClassVar = {"clues": Given(np.int8, OPEN, STAR, blank=OPEN)}
    """What is printed, array by array; the page edits boards by it."""
    look = Look(title="Template", about="One star in every row and column, and no two touch.")

    # The constants of the energy: one broken memory costs up to beta, one broken potential mu.
    settings = EnergySettings(tau=0.02, beta=128.0, mu=64.0)

    # Turned and mirrored boards are as good: they train the network and count as duplicates.
    symmetry = SQUARE

    # Step 2: local rules. A factor is a rule in many places; each row of its scopes is one place,
    # and the memory holds the patterns that are allowed there: `Exactly`, `AtMost`, `AtLeast` for
    # counts of state 1, `Permutations` for every state once, `Enumerated` for any list.
    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        height, width = puzzle.shape
        ids = cell_ids(height, width)
        return (
            Factor("one star a row", ids, Exactly(1, width)),
            Factor("one star a column", ids.T, Exactly(1, height)),
            Factor("no two touch", windows(height, width), AtMost(1, 4)),
        )

    # Step 3: global rules that no small memory can hold, such as "all stars are connected", go
    # into `potentials(puzzle)`; see `Potential` in docs/new-task.md. This task needs none.

    # What the clues leave to each cell, [cells, states]. The checker calls it the rule "clue".
    def domain(self, puzzle: Puzzle) -> np.ndarray:
        clues = puzzle.givens["clues"].reshape(-1, 1)
        return (clues == OPEN) | (clues == np.array([EMPTY, STAR]))

    # What could be printed for an answer. `erm data template` fills a board by the rules, prints
    # all of this, and takes clues away as long as the answer stays the only one.
    def clues(self, puzzle: Puzzle, answer: np.ndarray) -> Mapping[str, np.ndarray]:
        shown = np.where(answer == 1, STAR, EMPTY).astype(np.int8)
        return {"clues": shown.reshape(puzzle.shape)}

    # What a network sees beside the domain: numbers per cell, here a constant whose padding shows
    # the board's edge, and groups of cells that should know of each other, here rows and columns.
    def features(self, puzzle: Puzzle) -> np.ndarray:
        return np.ones((puzzle.cells, 1), np.float32)

    def partitions(self, puzzle: Puzzle) -> np.ndarray:
        return np.stack(np.divmod(np.arange(puzzle.cells), puzzle.width))

    # The same as tokens, for networks of the published kind; 0 is padding.
    vocabulary = 6

    def tokens(self, puzzle: Puzzle) -> np.ndarray:
        return puzzle.givens["clues"].ravel().astype(np.int64) + 1

    def answer_tokens(self, puzzle: Puzzle) -> np.ndarray:
        return np.tile([4, 5], (puzzle.cells, 1))

    # Its text, in text.py: what people type and what data files hold.
    text_format = "template: and rows of . - * with a / between them"

    def parse(self, text: str) -> Puzzle:
        clues = read(self.name, text)
        height, width = clues.shape
        return Puzzle(self.name, height, width, {"clues": clues})

    def format(self, puzzle: Puzzle) -> str:
        return write(self.name, puzzle.givens["clues"])
