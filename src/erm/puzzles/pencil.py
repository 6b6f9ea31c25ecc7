"""What lightup, nurikabe, heyawake and tapa share: two states, links, tokens, Eq. 7."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.puzzles import ppbench
from erm.puzzles.links import Linked
from erm.puzzles.prover import Prover, derived, encoding, printed
from erm.rulebook.energy import EnergySettings
from erm.rulebook.symmetry import SQUARE, Symmetry
from erm.types import Puzzle


class Pencil(Linked):
    """A pencil puzzle: each cell is marked (shaded, or a bulb) or not.

    The energy is Eq. 7: distances to memories with beta 128, potentials per cell with mu 64,
    no confidence (gamma 0); at tau 0.02 the nearest memory decides.
    """

    states = 2
    settings = EnergySettings(tau=0.02, beta=128.0, mu=64.0, gamma=0.0)
    vocabulary = ppbench.VOCABULARY
    marks = True
    printed_tokens: ClassVar[range]
    """The part of the vocabulary that its printed cells have to themselves."""
    encodings: ClassVar[tuple[str, ...]]
    """The clingo encodings that state its rules a second time, by their paths in `erm/puzzles`."""
    derivation: ClassVar[tuple[str, ...]] = ()
    """Encodings without choices that are worked out first; the others know what they show."""
    symmetry: Symmetry = SQUARE
    wanted = "a puzz.link address"

    @abstractmethod
    def markable(self, puzzle: Puzzle) -> Bool[np.ndarray, " n"]:
        """The cells on which the printed clues leave room for a mark."""

    def domain(self, puzzle: Puzzle) -> Bool[np.ndarray, "n 2"]:
        markable = self.markable(puzzle)
        return np.stack([np.ones_like(markable), markable], 1)

    def partitions(self, puzzle: Puzzle) -> Int[np.ndarray, "P n"]:
        return np.zeros((0, puzzle.cells), np.int64)

    def answer_tokens(self, puzzle: Puzzle) -> Int[np.ndarray, "n 2"]:
        return np.tile([ppbench.WHITE, ppbench.MARKED], (puzzle.cells, 1))

    def count_solutions(self, puzzles: Sequence[Puzzle]) -> Iterator[int | None]:
        """By clingo, the second opinion."""
        for puzzle in puzzles:
            yield sum(1 for _ in self.prover(puzzle.givens).answers(2))

    @classmethod
    def prover(cls, givens: Mapping[str, np.ndarray], optional: bool = False) -> Prover:
        """Clingo with the rules and a printed board."""
        facts, shape = printed(givens), givens["clues"].shape[:2]
        if cls.derivation:
            facts = derived(encoding(*cls.derivation), facts, shape)
        return Prover(encoding(*cls.encodings), facts, shape, optional)


def one_hot(values: Int[np.ndarray, " n"], choices: Iterable[int]) -> Bool[np.ndarray, "n c"]:
    """One channel a choice; all zero where the value is none of them."""
    return values[:, None] == np.array(list(choices))


def magnitude(values: Int[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Counts on a scale where 15 is 1, so that numbers of any size stay readable; 0 below 1."""
    return np.log2(1 + np.maximum(values, 0)) / 4


def stack_features(*channels: np.ndarray) -> Float[np.ndarray, "n F"]:
    """Channels side by side, and a constant one, whose zero padding shows the board's edge."""
    columns = [channel.reshape(len(channel), -1) for channel in channels]
    columns.append(np.ones((len(channels[0]), 1)))
    return np.concatenate(columns, 1).astype(np.float32)
