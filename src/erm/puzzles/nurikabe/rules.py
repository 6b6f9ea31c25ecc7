"""Nurikabe: one sea without pools around islands that each hold one clue, their size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.grid import windows
from erm.puzzles import ppbench
from erm.puzzles.areas import OneArea
from erm.puzzles.nurikabe.islands import ANY_SIZE, NO_CLUE, SEA, IslandSize, OneClue
from erm.puzzles.nurikabe.shapes import IslandShapes
from erm.puzzles.pencil import Pencil, magnitude, one_hot, stack_features
from erm.rulebook.counting import AtMost, Exactly
from erm.rulebook.factor import Factor
from erm.rulebook.potential import Potential
from erm.rulebook.propagation.parts import Compilable
from erm.types import Puzzle


class Nurikabe(Pencil):
    """Givens: `clues` int16 [H, W]: 0 none, -1 any size ("?"), n an island of n cells; 1 is sea."""

    name = "nurikabe"
    state_words = ("land", "sea")

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
        return ppbench.nurikabe_tokens(puzzle.givens["clues"])
