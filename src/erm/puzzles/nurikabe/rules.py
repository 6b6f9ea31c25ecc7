"""Nurikabe: one sea without pools around islands that each hold one clue, their size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.grid import windows
from erm.puzzles.areas import OneArea
from erm.puzzles.nurikabe import text
from erm.puzzles.nurikabe.drawing import LOOK, labels
from erm.puzzles.nurikabe.givens import ANY_SIZE, GIVENS, NO_CLUE
from erm.puzzles.nurikabe.islands import SEA, IslandSize, OneClue
from erm.puzzles.nurikabe.shapes import IslandShapes
from erm.puzzles.pencil import Pencil, magnitude, one_hot, stack_features
from erm.rulebook.counting import AtMost, Exactly
from erm.rulebook.factor import Factor
from erm.rulebook.generator import Generator
from erm.rulebook.potential import Potential
from erm.rulebook.propagation.parts import Compilable
from erm.types import Puzzle

LARGEST_WITH_TOKEN = 40
"""Larger islands share a token; those of 10x10 boards do not come near."""


class Nurikabe(Pencil):
    """Givens: `clues` int16 [H, W]: 0 none, -1 any size ("?"), n an island of n cells; 1 is sea."""

    name = text.NAME
    state_words = ("land", "sea")
    givens = GIVENS
    look = LOOK
    alphabet = text.ALPHABET
    encodings = ("grid.lp", "nurikabe/encoding.lp", "connected.lp")
    printed_tokens = range(20, 63)

    def markable(self, puzzle: Puzzle) -> Bool[np.ndarray, " n"]:
        return puzzle.givens["clues"].ravel() == NO_CLUE

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        return (Factor("no 2x2 of sea", windows(*puzzle.shape), AtMost(3, 4)),)

    def implied(self, puzzle: Puzzle) -> Sequence[Compilable]:
        """Small islands as a whole, one of so many shapes with sea all around; and as much sea as
        all islands together leave."""
        clues = puzzle.givens["clues"]
        if (clues == ANY_SIZE).any():
            return (IslandShapes(clues),)
        sea = Exactly(clues.size - int(clues.sum()), clues.size)
        everywhere = Factor("sea is what the islands leave", np.arange(clues.size)[None], sea)
        return everywhere, IslandShapes(clues)

    def potentials(self, puzzle: Puzzle) -> Sequence[Potential]:
        clues = puzzle.givens["clues"]
        return OneClue(clues), IslandSize(clues), OneArea("sea is connected", clues.shape, SEA)

    def features(self, puzzle: Puzzle) -> Float[np.ndarray, "n 16"]:
        """No clue, "?", sizes 1 to 12 one-hot, any size by magnitude."""
        clues = puzzle.givens["clues"].ravel()
        return stack_features(one_hot(clues, (NO_CLUE, ANY_SIZE, *range(1, 13))), magnitude(clues))

    def tokens(self, puzzle: Puzzle) -> Int[np.ndarray, " n"]:
        """No clue, "?", sizes from 1."""
        clues = puzzle.givens["clues"].ravel().astype(np.int64)
        numbered = np.minimum(clues, LARGEST_WITH_TOKEN + 1) + 1
        own = np.select([clues == NO_CLUE, clues == ANY_SIZE], [0, 1], numbered)
        return self.printed_tokens.start + own

    def generator(self) -> type[Generator]:
        from erm.puzzles.nurikabe.generate import NurikabeGenerator

        return NurikabeGenerator

    def labels(self, puzzle: Puzzle) -> Sequence[str]:
        return labels(puzzle.givens["clues"])
