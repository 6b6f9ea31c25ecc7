"""A task: one rulebook from which energy, checker, clamping and network structure are derived."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from typing import ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int, Integer
from torch import Tensor

from erm.drawing.board import Board, Borders, area_borders
from erm.drawing.lattice import Lattice
from erm.errors import InputError
from erm.rulebook.answers import format_answer, parse_answer
from erm.rulebook.energy import EnergySettings, EnergyTerms, pool_energy, rules_energy
from erm.rulebook.factor import Factor
from erm.rulebook.generator import Generator
from erm.rulebook.given import Given
from erm.rulebook.look import Look
from erm.rulebook.potential import Potential, Pruner
from erm.rulebook.preference import Preference
from erm.rulebook.propagation.parts import Compilable
from erm.rulebook.rules import Rules, Violation
from erm.rulebook.symmetry import Symmetry
from erm.types import DIGITS, Encoding, Puzzle

VARIABLES_A_ROW = 16
"""Variables that are drawn side by side where a task names no places for them."""


class Task(ABC):
    """The rulebook of one kind of puzzle, and all that the house asks about it.

    A subclass states cells, states, factors, potentials and text. What comes after `format` has
    a default that serves any task, or is derived.
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
    lattice: ClassVar[bool] = True
    """Whether cells lie beside each other on a board. Without it they are variables, 1 x n of
    them, that only scopes connect: a network mixes along those, and `places` says where to draw."""
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

    written: ClassVar[str] = DIGITS
    """How each state is written into a drawn board, a character each."""
    symmetry: Symmetry = Symmetry()
    """Which forms of a puzzle are the same puzzle; none but itself unless a task says more."""
    wanted: ClassVar[str] = "a text of its own"
    """What its text looks like, for messages to people whose text no task can read."""
    drawn: ClassVar[bool] = False
    """Whether its text is a drawing of several lines, with the answer drawn into it."""

    def states_of(self, puzzle: Puzzle) -> int:
        """S on this board, where it depends on its size, as Sudoku's does."""
        return self.states

    @abstractmethod
    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        """The local rules with their memories."""

    def potentials(self, puzzle: Puzzle) -> Sequence[Potential]:
        """The global rules that no memory can hold."""
        return ()

    def preferences(self, puzzle: Puzzle) -> Sequence[Preference]:
        """What an answer may break at a price: it ranks answers, and no certificate asks for it."""
        return ()

    def implied(self, puzzle: Puzzle) -> Sequence[Pruner | Compilable]:
        """What follows from several rules at once: it helps to prune, and is never scored."""
        return ()

    def scopes(self, puzzle: Puzzle) -> Mapping[str, Int[np.ndarray, "j s"]]:
        """Places by name where `erm mine` is to look for rules."""
        return {}

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
        states = domain.argmax(-1) + self.first_state
        return [self.written[at] if known else "" for at, known in zip(states, fixed, strict=True)]

    def borders(self, puzzle: Puzzle) -> Borders:
        """The lines inside the board: unless told otherwise, around the partitions' areas."""
        partitions = self.partitions(puzzle)
        return area_borders(partitions if self.lattice else partitions[:0], puzzle.shape)

    def signs(self, puzzle: Puzzle) -> Mapping[tuple[int, int], str]:
        """What is printed between two neighbouring cells, the upper or left one named first."""
        return {}

    def places(self, puzzle: Puzzle) -> Int[np.ndarray, "n 2"]:
        """Row and column at which each variable of a board that is no lattice is drawn."""
        return np.stack(np.divmod(np.arange(puzzle.cells), VARIABLES_A_ROW), 1)

    def settled(self, puzzle: Puzzle) -> Puzzle:
        """A board that a person has edited, with everything where it is usually printed."""
        return puzzle

    def board(self, puzzle: Puzzle) -> Board:
        """The puzzle as it is drawn."""
        labels, borders = self.labels(puzzle), self.borders(puzzle)
        return Board(puzzle.shape, labels, borders, self.marks, self.signs(puzzle), self.written)

    def drawing(
        self,
        puzzle: Puzzle,
        answer: Int[np.ndarray, "H W"] | None,
        marked: Bool[np.ndarray, "H W"],
    ) -> Lattice:
        """The puzzle or an answer to it in a terminal, with the marked cells pointed at."""
        board = self.board(puzzle)
        if self.lattice:
            return board.drawn(answer, marked)
        return board.scattered(self.places(puzzle), answer, marked)

    def recognises(self, text: str) -> bool:
        """Whether a text is one of this task's, so that it need not be named."""
        try:
            self.parse(text)
        except InputError:
            return False
        return True

    def resembles(self, text: str) -> bool:
        """Whether a text that no task recognises was likely meant for this one, whose `parse`
        then says what is wrong with it."""
        return False

    def link(self, puzzle: Puzzle, answer: np.ndarray | None = None) -> str | None:
        """The puzzle, or its answer, as an address of puzz.link, where that has this kind."""
        return None

    def read_answer(self, puzzle: Puzzle, text: str) -> Puzzle:
        """The puzzle with its answer from a text of one character per cell."""
        states = parse_answer(text, puzzle.cells)
        self.to_states(puzzle, states)
        return puzzle.with_answer(states)

    def parse_row(self, question: str, answer: str) -> Puzzle:
        """A puzzle from two columns of a table; an empty answer is none."""
        puzzle = self.parse(question)
        return self.read_answer(puzzle, answer) if answer else puzzle

    def format_row(self, puzzle: Puzzle) -> tuple[str, str]:
        """The two columns, what `parse_row` reads."""
        answer = puzzle.answer
        return self.format(puzzle), "" if answer is None else format_answer(answer)

    def format_solved(self, puzzle: Puzzle) -> str:
        """The text with the answer, where it is known, behind it or drawn into it."""
        return " ".join(filter(None, self.format_row(puzzle)))

    def array_vocabulary(self, side: int) -> int | None:
        """Number of tokens in HRM's arrays of boards of that side; None where there are none."""
        return None

    def recognises_tokens(self, inputs: Integer[np.ndarray, "m n"]) -> bool:
        """Whether rows of tokens are of this task, so that it need not be named."""
        return False

    def parse_tokens(
        self, inputs: Integer[np.ndarray, "m n"], labels: Integer[np.ndarray, "m n"] | None
    ) -> list[Puzzle]:
        """Puzzles from rows of `tokens`, with answers from rows of `answer_tokens`."""
        raise InputError(f"there are no token arrays of {self.name}")

    def blank(self, height: int, width: int, rng: np.random.Generator) -> Puzzle:
        """A board of that size with no clue on it; what else is printed, such as rooms, is drawn
        with `rng`. Unless told otherwise every array of `givens` is blank."""
        if not self.givens:
            raise InputError(f"the task {self.name} names no givens, so no board of it is blank")
        shape = (height, width)
        arrays = {name: given.empty(shape) for name, given in self.givens.items()}
        return Puzzle(self.name, height, width, arrays)

    def clues(
        self, puzzle: Puzzle, answer: Int[np.ndarray, " n"]
    ) -> Mapping[str, np.ndarray] | None:
        """All that may be printed on a blank board for an answer, as the arrays of `givens` that
        hold it: with this, boards are made from the rules alone. None where a task does not say."""
        return None

    def generator(self) -> type[Generator] | None:
        """What makes puzzles; import it here, since most commands do without. Unless told otherwise
        `clues` are taken away from filled boards."""
        if type(self).clues is Task.clues:
            return None
        from erm.rulebook.clued import generator_of

        return generator_of(type(self))

    def count_solutions(self, puzzles: Sequence[Puzzle]) -> Iterator[int | None]:
        """Of each puzzle 0, 1 or 2 for more, unless told otherwise by complete search; None where
        that gives up."""
        from erm.rulebook.clued import count_answers

        return (count_answers(self, puzzle) for puzzle in puzzles)

    def answer_fault(self, puzzle: Puzzle, answer: np.ndarray) -> str | None:
        """What is wrong with an answer as the label of a data set; None if nothing is."""
        names = sorted({violation.rule for violation in self.violations(puzzle, answer)})
        return f"breaks {', '.join(names)}" if names else None

    def rules(self, puzzle: Puzzle) -> Rules:
        return Rules(
            self.domain(puzzle),
            self.factors(puzzle),
            self.potentials(puzzle),
            self.printed,
            partial(self.implied, puzzle),
            self.preferences(puzzle),
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

    def cost(self, puzzle: Puzzle, answer: np.ndarray | Sequence[int]) -> float:
        """What the preferences that one answer breaks cost together."""
        return float(self.rules(puzzle).costs(self.to_states(puzzle, answer)))


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
