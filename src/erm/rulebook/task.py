"""A task: a rulebook, and parts with defaults for networks, text, drawing and data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int, Integer
from torch import Tensor

from erm.errors import InputError
from erm.grid import Borders, area_borders
from erm.look import Look
from erm.rulebook.answers import format_answer, parse_answer
from erm.rulebook.energy import EnergySettings, EnergyTerms, pool_energy, rules_energy
from erm.rulebook.generator import Generator
from erm.rulebook.rulebook import Rulebook
from erm.rulebook.symmetry import Symmetry
from erm.rulebook.text import format_puzzle, parse_puzzle
from erm.types import DIGITS, Encoding, Puzzle

VARIABLES_A_ROW = 16
"""Variables that are drawn side by side where a task names no places for them."""


class NetworkInput(Rulebook):
    """What a network sees of a puzzle."""

    vocabulary: ClassVar[int]
    """Number of tokens that token-based reasoners see; by default those of `tokens` below."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "states" in vars(cls) and "vocabulary" not in vars(cls):
            cls.vocabulary = cls.states + 2

    def features(self, puzzle: Puzzle) -> Float[np.ndarray, "n F"]:
        """What is printed on each cell, one-hot; F does not depend on the board. By default a
        constant, whose zero padding shows the edge: the domain is seen anyway."""
        return np.ones((puzzle.cells, 1), np.float32)

    def partitions(self, puzzle: Puzzle) -> Int[np.ndarray, "P n"]:
        """The ways in which the rules group all cells; P does not depend on the board. By default
        the rules of which each cell has exactly one scope, such as rows and columns."""
        scopes: dict[str, list[np.ndarray]] = {}
        for factor in self.factors(puzzle):
            scopes.setdefault(factor.name, []).extend(factor.scopes)
        found = np.zeros((0, puzzle.cells), np.int64)
        for rows in scopes.values():
            ids = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
            order = np.argsort(np.concatenate([np.zeros(0, np.int64), *rows]), kind="stable")
            if np.array_equal(np.concatenate(rows)[order], np.arange(puzzle.cells)):
                found = np.concatenate([found, ids[order][None]])
        return found

    def tokens(self, puzzle: Puzzle) -> Int[np.ndarray, " n"]:
        """The board in the vocabulary of token-based reasoners, 0 for padding. By default 1 for
        an open cell and 2 + s for one with the state s."""
        domain = self.domain(puzzle)
        return np.where(domain.sum(1) == 1, 2 + domain.argmax(1), 1)

    def answer_tokens(self, puzzle: Puzzle) -> Int[np.ndarray, "n S"]:
        """The token by which each state of each cell is written in an answer, by default 2 + s."""
        return np.tile(np.arange(2, self.states_of(puzzle) + 2), (puzzle.cells, 1))

    def encode(self, puzzle: Puzzle) -> Encoding:
        """All of this for one puzzle."""
        return Encoding(
            puzzle.shape,
            self.domain(puzzle),
            self.features(puzzle),
            self.partitions(puzzle),
            self.tokens(puzzle),
            self.answer_tokens(puzzle),
        )


class TextFormat(Rulebook):
    """Puzzles and answers as text, as rows of a table and as token arrays."""

    text_format: ClassVar[str] = "a text of its own"
    """What its text looks like, for the message about a text that no task can read."""
    multiline: ClassVar[bool] = False
    """Whether its text is a drawing of several lines, with the answer drawn into it."""

    state_symbols: ClassVar[str] = DIGITS
    """The character of each state in a drawn board."""

    def parse(self, text: str) -> Puzzle:
        """A puzzle from any text of this task; an InputError names what is wrong and where. By
        default NAME: and rows where only states are printed, else JSON."""
        return parse_puzzle(self, text, self.state_symbols)

    def format(self, puzzle: Puzzle) -> str:
        """The puzzle as its canonical text: `parse(format(p))` is p again."""
        return format_puzzle(self, puzzle, self.state_symbols)

    def recognises(self, text: str) -> bool:
        """Whether a text is one of this task's, so that it need not be named."""
        try:
            self.parse(text)
        except InputError:
            return False
        return True

    def resembles(self, text: str) -> bool:
        """Whether a text that no task recognises was likely meant for this one, whose `parse`
        then raises the message."""
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


class Presentation(NetworkInput, TextFormat):
    """What is shown on a board; `erm.drawing` draws it."""

    look: ClassVar[Look] = Look()
    marks: ClassVar[bool] = False
    """Whether an answer marks some cells and leaves the others alone, as shading does."""
    state_words: ClassVar[Sequence[str]] = ()
    """What a cell in each state is called, as "land" and "sea"; the number where left out."""

    def state_word(self, state: int) -> str:
        """A state, counted from 0, in words."""
        return self.state_words[state] if self.state_words else str(state + self.first_state)

    def cell_name(self, puzzle: Puzzle, cell: int) -> str:
        """Row and column from 1, as r3c5; the number of a variable where there is no lattice."""
        row, column = divmod(cell, puzzle.width)
        return f"r{row + 1}c{column + 1}" if self.lattice else f"cell {cell}"

    def labels(self, puzzle: Puzzle) -> Sequence[str]:
        """What is printed on each cell. By default the state where the domain leaves one."""
        domain = self.domain(puzzle)
        fixed = (domain.sum(-1) == 1) & (not self.marks)
        states = domain.argmax(-1) + self.first_state
        symbols = self.state_symbols
        return [symbols[at] if known else "" for at, known in zip(states, fixed, strict=True)]

    def borders(self, puzzle: Puzzle) -> Borders:
        """The lines inside the board. By default around the areas of the partitions."""
        partitions = self.partitions(puzzle)
        return area_borders(partitions if self.lattice else partitions[:0], puzzle.shape)

    def signs(self, puzzle: Puzzle) -> Mapping[tuple[int, int], str]:
        """What is printed between two neighbouring cells, the upper or left one named first."""
        return {}

    def places(self, puzzle: Puzzle) -> Int[np.ndarray, "n 2"]:
        """Row and column at which each variable of a board that is no lattice is drawn."""
        return np.stack(np.divmod(np.arange(puzzle.cells), VARIABLES_A_ROW), 1)

    def drawing(
        self,
        puzzle: Puzzle,
        answer: Int[np.ndarray, "H W"] | None,
        marked: Bool[np.ndarray, "H W"],
    ) -> Any:
        """A `Lattice` of `erm.drawing` with the marked cells highlighted; None for the usual
        drawing of labels, borders and signs."""
        return None

    def normalised(self, puzzle: Puzzle) -> Puzzle:
        """An edited board, with everything where it is usually printed."""
        return puzzle


class Data(TextFormat):
    """How puzzles are made, compared and checked."""

    symmetry: Symmetry = Symmetry()
    """Which forms of a puzzle are the same puzzle; by default only itself."""
    sides: ClassVar[Sequence[int]] = ()
    """The sides of its boards where they are square and only some are possible."""

    def blank(self, height: int, width: int, rng: np.random.Generator) -> Puzzle:
        """A board of that size with no clue on it. What else is printed, such as rooms, is drawn
        with `rng`. By default every array of `givens` is blank."""
        if not self.givens:
            raise InputError(f"the task {self.name} names no givens, so no board of it is blank")
        shape = (height, width)
        arrays = {name: given.empty(shape) for name, given in self.givens.items()}
        return Puzzle(self.name, height, width, arrays)

    def clues(
        self, puzzle: Puzzle, answer: Int[np.ndarray, " n"]
    ) -> Mapping[str, np.ndarray] | None:
        """All that may be printed on a blank board for an answer, as the arrays of `givens`. With
        it, boards are made from the rules alone. By default the states, where those are printed;
        None where boards cannot be made."""
        name, given = self.printed_states()
        if name is None or given is None:
            return None
        states = np.asarray(answer) - self.first_state
        return {name: states.reshape(puzzle.shape).astype(given.dtype)}

    def generator(self) -> type[Generator] | None:
        """What makes puzzles; import it here, since most commands do without. By default `clues`
        are taken away from filled boards."""
        if type(self).clues is Data.clues and self.printed_states()[0] is None:
            return None
        from erm.rulebook.clued import generator_of

        return generator_of(type(self))

    def count_solutions(self, puzzles: Sequence[Puzzle]) -> Iterator[int | None]:
        """Of each puzzle 0, 1 or 2 for more, by default by complete search; None where that gives
        up."""
        from erm.rulebook.clued import count_answers

        return (count_answers(self, puzzle) for puzzle in puzzles)

    def answer_fault(self, puzzle: Puzzle, answer: np.ndarray) -> str | None:
        """What is wrong with an answer as the label of a data set; None if nothing is."""
        names = sorted({violation.rule for violation in self.violations(puzzle, answer)})
        return f"breaks {', '.join(names)}" if names else None


class Task(Presentation, Data):
    """One kind of puzzle. A subclass writes the rulebook; the other parts have defaults."""

    def with_settings(self, settings: EnergySettings) -> Task:
        """The same rulebook under other constants of its energy."""
        other = copy(self)
        other.settings = settings
        return other


def energy(
    task: Rulebook,
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
    task: Rulebook, puzzle: Puzzle, states: np.ndarray, log_probs: Tensor | None
) -> None:
    expected = (*states.shape, task.states_of(puzzle))
    if log_probs is not None and tuple(log_probs.shape) != expected:
        raise InputError(
            f"log-probabilities of these {task.name} answers have shape {expected}, "
            f"got {tuple(log_probs.shape)}"
        )
