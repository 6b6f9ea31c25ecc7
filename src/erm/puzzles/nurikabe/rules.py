"""Nurikabe: one sea without pools around islands that each hold one clue, their size."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.grid import components, neighbours, windows
from erm.look import Look
from erm.puzzles import pzprv3
from erm.puzzles.combinators import FirstOf, Gap, Literal, Number
from erm.puzzles.links import clue_alphabet
from erm.puzzles.pencil import OneArea, Pencil, magnitude, one_hot, stack_features
from erm.rulebook.counting import AtMost, Exactly
from erm.rulebook.factor import Factor
from erm.rulebook.generator import Generator
from erm.rulebook.given import Given
from erm.rulebook.potential import Potential
from erm.rulebook.propagation import parts
from erm.rulebook.propagation.parts import Compilable, Part, SeededAreas
from erm.types import MAX_SIDE, Puzzle

LAND, SEA = 0, 1
NO_CLUE, ANY_SIZE, LARGEST = 0, -1, MAX_SIDE**2
LARGEST_WITH_TOKEN = 40
"""Larger islands share a token; those of 10x10 boards do not come near."""


class Nurikabe(Pencil):
    """Givens: `clues` int16 [H, W]: 0 none, -1 any size ("?"), n an island of n cells; 1 is sea."""

    name = "nurikabe"
    state_words = ("land", "sea")
    givens: ClassVar = {
        "clues": Given(np.int16, ANY_SIZE, LARGEST, blank=NO_CLUE, names={"?": ANY_SIZE})
    }
    look = Look.beside(
        __file__,
        "Nurikabe",
        "Shade one connected sea without 2×2 pools; each island holds one number, its size.",
        {
            "clue": "numbers stay dry",
            "no 2x2 of sea": "no 2×2 pool",
            "an island holds one clue": "one number an island",
            "an island is as large as its clue": "islands have their size",
            "sea is connected": "one sea",
        },
    )
    alphabet = clue_alphabet(
        (name,),
        FirstOf((Number(1, LARGEST), Literal(".", ANY_SIZE), Gap(NO_CLUE))),
        pzprv3.ClueFile(name, NO_CLUE, {"-": ANY_SIZE}, 1, LARGEST, np.int16),
    )
    encodings = ("grid.lp", "nurikabe/encoding.lp", "connected.lp")
    printed_tokens = range(20, 63)

    def markable(self, puzzle: Puzzle) -> Bool[np.ndarray, " n"]:
        return puzzle.givens["clues"].ravel() == NO_CLUE

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        return (Factor("no 2x2 of sea", windows(*puzzle.shape), AtMost(3, 4)),)

    def potentials(self, puzzle: Puzzle) -> Sequence[Potential]:
        clues = puzzle.givens["clues"]
        return OneClue(clues), IslandSize(clues), OneArea("sea is connected", clues.shape, SEA)

    def implied(self, puzzle: Puzzle) -> Sequence[Compilable]:
        """Small islands as a whole, one of so many shapes with sea all around; and as much sea as
        all islands together leave."""
        from erm.puzzles.nurikabe.implied import IslandShapes

        clues = puzzle.givens["clues"]
        if (clues == ANY_SIZE).any():
            return (IslandShapes(clues),)
        sea = Exactly(clues.size - int(clues.sum()), clues.size)
        everywhere = Factor("sea is what the islands leave", np.arange(clues.size)[None], sea)
        return everywhere, IslandShapes(clues)

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


class IslandRule(Potential):
    """A count of what is wrong with the islands, per cell of the board."""

    def __init__(self, clues: Int[np.ndarray, "H W"]) -> None:
        self.clues = clues
        self.clued = np.flatnonzero(clues.ravel() != NO_CLUE)

    def islands(self, states: Int[np.ndarray, "k n"]) -> tuple[np.ndarray, np.ndarray]:
        """Island ids [k, n], 0 at sea, and how many clues each id holds."""
        labels, counts = components(states.reshape(-1, *self.clues.shape) == LAND)
        labels = labels.reshape(len(states), -1)
        clues = np.bincount(labels[:, self.clued].ravel(), minlength=counts.sum() + 1)
        return labels, clues

    @abstractmethod
    def faults(self, labels: np.ndarray, clues: np.ndarray) -> np.ndarray:
        """What is wrong with each island id; 0 for the sea."""

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        labels, clues = self.islands(states)
        board = np.zeros(len(clues), np.int64)
        board[labels] = np.arange(len(states))[:, None]
        faults = self.faults(labels, clues)
        return np.bincount(board, faults, minlength=len(states)) / states.shape[1]

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        labels, clues = self.islands(states[None])
        return self.faults(labels, clues)[labels[0]] > 0

    @classmethod
    def blame_all(
        cls, potentials: Sequence[Any], states: Int[np.ndarray, "b n"]
    ) -> Bool[np.ndarray, "b n"]:
        """All boards as one above the other, with a row of sea between them."""
        height, width = potentials[0].clues.shape
        clues = np.zeros((len(states), height + 1, width), potentials[0].clues.dtype)
        clues[:, :height] = [one.clues for one in potentials]
        tower = np.full(clues.shape, SEA)
        tower[:, :height] = states.reshape(-1, height, width)
        blamed = cls(clues.reshape(-1, width)).blame(tower.ravel())
        return blamed.reshape(clues.shape)[:, :height].reshape(states.shape)


class OneClue(IslandRule):
    """An island without clue is one fault; one with several has one for each beyond the first."""

    name = "an island holds one clue"

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "on an island without a clue or with several"

    def faults(self, labels: np.ndarray, clues: np.ndarray) -> np.ndarray:
        faults = np.abs(clues - 1)
        faults[0] = 0
        return faults


class IslandSize(IslandRule):
    """Cells missing or surplus on the islands that hold one numbered clue."""

    name = "an island is as large as its clue"

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "on an island of another size"

    def faults(self, labels: np.ndarray, clues: np.ndarray) -> np.ndarray:
        sizes = np.bincount(labels.ravel(), minlength=len(clues))
        values = np.tile(self.clues.ravel()[self.clued], len(labels))
        wanted = np.bincount(labels[:, self.clued].ravel(), values, minlength=len(clues))
        faults = np.where((clues == 1) & (wanted != ANY_SIZE), np.abs(sizes - wanted), 0)
        faults[0] = 0
        return faults

    def parts(self) -> tuple[Part, ...]:
        """One part serves both island rules."""
        clues = self.clues.ravel()[self.clued]
        sizes = np.where(clues == ANY_SIZE, parts.ANY_SIZE, clues)
        return (SeededAreas(LAND, self.clued, sizes, neighbours(*self.clues.shape)),)
