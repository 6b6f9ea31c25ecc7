"""A task: one rulebook from which energy, checker, clamping and network structure are derived."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from functools import partial
from typing import ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.drawing.board import Board, Borders, area_borders
from erm.drawing.lattice import Lattice
from erm.errors import InputError
from erm.rulebook.energy import EnergySettings, EnergyTerms, pool_energy, rules_energy
from erm.rulebook.factor import Factor
from erm.rulebook.given import Given
from erm.rulebook.look import Look
from erm.rulebook.potential import Potential, Pruner
from erm.rulebook.propagation.parts import Compilable
from erm.rulebook.rules import Rules, Violation
from erm.types import DIGITS, Encoding, Puzzle


class Task(ABC):
    """The rulebook of one kind of puzzle.

    A subclass states cells, states, factors, potentials and text; the methods after
    `format` are derived and need no override.
    """

    name: ClassVar[str]
    states: ClassVar[int]
    """S, how many states a cell can take on the usual board."""
    first_state: ClassVar[int] = 0
    """How the lowest state is written in answers: 1 for Sudoku's digits, else 0."""
    settings: EnergySettings = EnergySettings()
    """The paper's constants for this task's energy."""
    vocabulary: ClassVar[int]
    """Number of tokens that token-based reasoners see."""
    interchangeable: ClassVar[bool] = False
    """Whether renaming the states leaves the rules alone, as it does with Sudoku's digits."""
    printed: ClassVar[str] = "clue"
    """Name of the rule that the cells keep to `domain`: "wall" in the maze."""
    marks: ClassVar[bool] = False
    """Whether an answer marks some cells and leaves the others alone, as shading does."""
    sides: ClassVar[Sequence[int]] = ()
    """The sides of its boards where they are square and only some are possible."""
    givens: ClassVar[Mapping[str, Given]] = {}
    """What is printed, array by array, the first with one entry per cell; needed to edit boards."""
    look: ClassVar[Look] = Look()

    state_words: ClassVar[Sequence[str]] = ()
    """What a cell in each state is called, as "land" and "sea"; numbers speak for themselves."""

    def state_word(self, state: int) -> str:
        """A state, counted from 0, in words."""
        return self.state_words[state] if self.state_words else str(state + self.first_state)

    def states_of(self, puzzle: Puzzle) -> int:
        """S on this board, where it depends on its size, as Sudoku's does."""
        return self.states

    @abstractmethod
    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        """The local rules with their memories."""

    def potentials(self, puzzle: Puzzle) -> Sequence[Potential]:
        """The global rules that no memory can hold."""
        return ()

    def implied(self, puzzle: Puzzle) -> Sequence[Pruner | Compilable]:
        """What follows from several rules at once: it helps to prune, and is never scored."""
        return ()

    @abstractmethod
    def domain(self, puzzle: Puzzle) -> Bool[np.ndarray, "n S"]:
        """The states that the printed clues leave to each cell."""

    @abstractmethod
    def features(self, puzzle: Puzzle) -> Float[np.ndarray, "n F"]:
        """What is printed on each cell, one-hot; F does not depend on the board."""

    @abstractmethod
    def partitions(self, puzzle: Puzzle) -> Int[np.ndarray, "P n"]:
        """The ways in which the rules group all cells; P does not depend on the board."""

    @abstractmethod
    def tokens(self, puzzle: Puzzle) -> Int[np.ndarray, " n"]:
        """The board in the vocabulary of token-based reasoners."""

    @abstractmethod
    def answer_tokens(self, puzzle: Puzzle) -> Int[np.ndarray, "n S"]:
        """The token by which each state of each cell is written in an answer."""

    @abstractmethod
    def parse(self, text: str) -> Puzzle:
        """A puzzle from any text that this task knows; InputError says what is wrong and where."""

    @abstractmethod
    def format(self, puzzle: Puzzle) -> str:
        """The puzzle as its canonical text: `parse(format(p))` is p again."""

    def labels(self, puzzle: Puzzle) -> Sequence[str]:
        """What is printed on each cell: unless told otherwise, the states that it fixes."""
        domain = self.domain(puzzle)
        fixed = (domain.sum(-1) == 1) & (not self.marks)
        written = domain.argmax(-1) + self.first_state
        return [DIGITS[at] if known else "" for at, known in zip(written, fixed, strict=True)]

    def borders(self, puzzle: Puzzle) -> Borders:
        """The lines inside the board: unless told otherwise, around the partitions' areas."""
        return area_borders(self.partitions(puzzle), puzzle.shape)

    def signs(self, puzzle: Puzzle) -> Mapping[tuple[int, int], str]:
        """What is printed between two neighbouring cells, the upper or left one named first."""
        return {}

    def settled(self, puzzle: Puzzle) -> Puzzle:
        """A board that a person has edited, with everything where it is usually printed."""
        return puzzle

    def board(self, puzzle: Puzzle) -> Board:
        """The puzzle as it is drawn."""
        labels, borders = self.labels(puzzle), self.borders(puzzle)
        return Board(puzzle.shape, labels, borders, self.marks, self.signs(puzzle))

    def drawing(
        self,
        puzzle: Puzzle,
        answer: Int[np.ndarray, "H W"] | None,
        marked: Bool[np.ndarray, "H W"],
    ) -> Lattice:
        """The puzzle or an answer to it in a terminal, with the marked cells pointed at."""
        return self.board(puzzle).drawn(answer, marked)

    def rules(self, puzzle: Puzzle) -> Rules:
        return Rules(
            self.domain(puzzle),
            self.factors(puzzle),
            self.potentials(puzzle),
            self.printed,
            partial(self.implied, puzzle),
        )

    def with_settings(self, settings: EnergySettings) -> Task:
        """The same rulebook under other constants of its energy."""
        other = copy(self)
        other.settings = settings
        return other

    def encode(self, puzzle: Puzzle) -> Encoding:
        return Encoding(
            puzzle.shape,
            self.domain(puzzle),
            self.features(puzzle),
            self.partitions(puzzle),
            self.tokens(puzzle),
            self.answer_tokens(puzzle),
        )

    def to_states(self, puzzle: Puzzle, answers: np.ndarray | Sequence) -> Int[np.ndarray, "*k n"]:
        """Answers as states that count from 0, checked for shape and range."""
        answers = np.asarray(answers)
        if answers.dtype.kind not in "iub":
            raise InputError(f"an answer to a {self.name} is whole numbers, not {answers.dtype}")
        if answers.shape[-1:] != (puzzle.cells,):
            raise InputError(
                f"an answer to this {self.name} has {puzzle.cells} cells, got shape {answers.shape}"
            )
        low, high = self.first_state, self.first_state + self.states_of(puzzle) - 1
        if answers.size and (answers.min() < low or answers.max() > high):
            raise InputError(f"{self.name} answers hold states {low} to {high}")
        return answers.astype(np.int64) - self.first_state

    def to_answer(self, states: np.ndarray) -> Int[np.ndarray, "*k n"]:
        return (np.asarray(states) + self.first_state).astype(np.int8)

    def is_valid(self, puzzle: Puzzle, answer: np.ndarray | Sequence[int]) -> bool:
        """Whether one answer obeys every rule and clue."""
        return bool(self.rules(puzzle).is_valid(self.to_states(puzzle, answer)[None])[0])

    def violations(self, puzzle: Puzzle, answer: np.ndarray | Sequence[int]) -> list[Violation]:
        """Names and cells of what an answer breaks; empty exactly when it is valid."""
        return self.rules(puzzle).violations(self.to_states(puzzle, answer))


def energy(
    task: Task,
    puzzle: Puzzle | Sequence[Puzzle],
    answers: np.ndarray,
    log_probs: Float[Tensor, "*pk n S"] | None = None,
    settings: EnergySettings | None = None,
) -> EnergyTerms:
    """E(y_k; x) of Eq. 3 for answers [k, n], lower is better, with its terms.

    For a list of p puzzles of one size: answers [p, k, n], and every term has shape [p, k].
    """
    settings = settings or task.settings
    if isinstance(puzzle, Puzzle):
        states = task.to_states(puzzle, answers)
        _check_log_probs(task, puzzle, states, log_probs)
        return rules_energy(task.rules(puzzle), states, settings, log_probs)
    if not puzzle or len(answers) != len(puzzle):
        raise InputError(f"{len(answers)} pools of answers were given for {len(puzzle)} puzzles")
    if len({each.shape for each in puzzle}) > 1:
        raise InputError("puzzles that are scored in one call must have one board size")
    states = np.stack(
        [task.to_states(each, pool) for each, pool in zip(puzzle, answers, strict=True)]
    )
    _check_log_probs(task, puzzle[0], states, log_probs)
    return pool_energy([task.rules(each) for each in puzzle], states, settings, log_probs)


def _check_log_probs(
    task: Task, puzzle: Puzzle, states: np.ndarray, log_probs: Tensor | None
) -> None:
    expected = (*states.shape, task.states_of(puzzle))
    if log_probs is not None and tuple(log_probs.shape) != expected:
        raise InputError(
            f"log-probabilities of these {task.name} answers have shape {expected}, "
            f"got {tuple(log_probs.shape)}"
        )
