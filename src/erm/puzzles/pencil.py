"""What lightup, nurikabe, heyawake and tapa share: two states, links, tokens, Eq. 7, areas."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.grid import components, neighbours
from erm.puzzles.links import Linked
from erm.puzzles.prover import Prover, derived, encoding, printed
from erm.rulebook.energy import EnergySettings
from erm.rulebook.potential import Potential
from erm.rulebook.propagation.parts import Connected, Part
from erm.rulebook.symmetry import SQUARE, Symmetry
from erm.types import Puzzle

PPBENCH = ("sudoku", "lightup", "nurikabe", "heyawake", "tapa")
"""The tasks that the paper reports together as Pencil Puzzle Bench. One vocabulary serves all five.
It starts with Sudoku's eleven tokens, then two for the other types' answers, then a range of each
type for what is printed on its cells (`Pencil.printed_tokens`). Checkpoints rely on these numbers.
"""
WHITE, MARKED = 11, 12
"""The tokens of a cell's states 0 and 1 in answers of the four other types."""
VOCABULARY = 347


class Pencil(Linked):
    """A pencil puzzle: each cell is marked (shaded, or a bulb) or not.

    The energy is Eq. 7: distances to memories with beta 128, potentials per cell with mu 64,
    no confidence (gamma 0); at tau 0.02 the nearest memory decides.
    """

    states = 2
    settings = EnergySettings(tau=0.02, beta=128.0, mu=64.0, gamma=0.0)
    vocabulary = VOCABULARY
    marks = True
    printed_tokens: ClassVar[range]
    """The part of the vocabulary that its printed cells have to themselves."""
    encodings: ClassVar[tuple[str, ...]]
    """The clingo encodings that state its rules a second time, by their paths in `erm/puzzles`."""
    derivation: ClassVar[tuple[str, ...]] = ()
    """Encodings without choices that are worked out first; the others know what they show."""
    symmetry: Symmetry = SQUARE
    text_format = "a puzz.link address"

    @abstractmethod
    def markable(self, puzzle: Puzzle) -> Bool[np.ndarray, " n"]:
        """The cells on which the printed clues leave room for a mark."""

    def domain(self, puzzle: Puzzle) -> Bool[np.ndarray, "n 2"]:
        markable = self.markable(puzzle)
        return np.stack([np.ones_like(markable), markable], 1)

    def partitions(self, puzzle: Puzzle) -> Int[np.ndarray, "P n"]:
        return np.zeros((0, puzzle.cells), np.int64)

    def answer_tokens(self, puzzle: Puzzle) -> Int[np.ndarray, "n 2"]:
        return np.tile([WHITE, MARKED], (puzzle.cells, 1))

    def labels(self, puzzle: Puzzle) -> Sequence[str]:
        """The numbers of each clue side by side, and the names of one character, as "?"."""
        clue = self.givens["clues"]
        words = {value: name if len(name) == 1 else "" for name, value in clue.names.items()}
        words[clue.blank] = ""
        cells = puzzle.givens["clues"].reshape(puzzle.cells, -1).tolist()
        return ["".join(words.get(one, str(one)) for one in numbers) for numbers in cells]

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


@dataclass(frozen=True, eq=False)
class OneArea(Potential):
    """All cells of one state are connected: areas beyond the first are counted."""

    name: str
    shape: tuple[int, int]
    state: int
    needed: bool = False
    """Whether having no such cell at all breaks the rule, too."""

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        _, areas = components(states.reshape(-1, *self.shape) == self.state)
        surplus = np.abs(areas - 1) if self.needed else np.maximum(areas - 1, 0)
        return surplus / states.shape[1]

    def parts(self) -> tuple[Part, ...]:
        around = neighbours(*self.shape)
        members = np.full(len(around), 1 << self.state)
        return (Connected(members, around, self.needed),)

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """Every area but the largest; the whole board where there is none."""
        return self.blame_all([self], states[None])[0]

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        return "cut off from the others" if (states == self.state).any() else "all of another kind"

    @classmethod
    def blame_all(
        cls, potentials: Sequence[Any], states: Int[np.ndarray, "b n"]
    ) -> Bool[np.ndarray, "b n"]:
        wanted = np.array([one.state for one in potentials])[:, None]
        needed = np.array([one.needed for one in potentials])
        boards = (states == wanted).reshape(-1, *potentials[0].shape)
        labels, areas = components(boards)
        labels = labels.reshape(states.shape)
        sizes = np.bincount(labels.ravel())[labels]
        sizes[labels == 0] = 0
        # The largest area of a board, the first of those as large.
        main = labels[np.arange(len(labels)), sizes.argmax(1)][:, None]
        return (labels > 0) & (labels != main) | ((areas == 0) & needed)[:, None]


@dataclass(frozen=True, eq=False)
class SomeMarked(Potential):
    """At least one cell is marked."""

    name: str

    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        return (~(states == 1).any(1)).astype(float) / states.shape[1]

    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        return np.ones(len(states), bool)
