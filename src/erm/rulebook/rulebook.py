"""The rulebook of one kind of puzzle: states, domain, factors, potentials, and what follows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

import numpy as np
from jaxtyping import Bool, Int

from erm.errors import InputError
from erm.rulebook.check import check_domain, named
from erm.rulebook.energy import EnergySettings
from erm.rulebook.factor import Factor
from erm.rulebook.given import Given
from erm.rulebook.potential import Potential, Pruner
from erm.rulebook.preference import Preference
from erm.rulebook.propagation.parts import Compilable
from erm.rulebook.rules import Rules, Violation
from erm.types import Puzzle


class Rulebook(ABC):
    """What a task author writes: cells, states and rules. All else of a `Task` has a default."""

    name: ClassVar[str]
    states: ClassVar[int]
    """S, how many states a cell can take on the usual board."""
    first_state: ClassVar[int] = 0
    """How the lowest state is written in answers: 1 for Sudoku's digits, else 0."""
    settings: EnergySettings = EnergySettings(tau=0.02, beta=128.0, mu=64.0)
    """The constants of this task's energy, by default the paper's of Eq. 7. At tau 0.02 the nearest
    memory decides, so that a right answer has the lowest energy."""
    interchangeable: ClassVar[bool] = False
    """Whether renaming the states leaves the rules alone, as it does with Sudoku's digits."""
    printed: ClassVar[str] = "clue"
    """Name of the rule that the cells keep to `domain`: "wall" in the maze."""
    lattice: ClassVar[bool] = True
    """Whether cells lie beside each other on a board. Without it they are variables, 1 x n of
    them, that only scopes connect: a network mixes along those, and `places` are drawn."""
    givens: ClassVar[Mapping[str, Given]] = {}
    """What is printed, array by array, the first with one entry per cell; needed to edit boards."""

    def domain(self, puzzle: Puzzle) -> Bool[np.ndarray, "n S"]:
        """The states that the printed clues leave to each cell. By default the printed states of
        `Given.of_states`; where `givens` have none, a task writes its own."""
        name, given = self.printed_states()
        if name is None or given is None:
            raise InputError(f"the task {self.name} needs domain(puzzle), or a Given.of_states")
        shown = puzzle.givens[name].reshape(-1, 1)
        return (shown == given.blank) | (shown == np.arange(self.states_of(puzzle)))

    def printed_states(self) -> tuple[str, Given] | tuple[None, None]:
        """The one array of `givens` that prints states, where there is nothing else."""
        ((name, given), *others) = self.givens.items() or ((None, None),)
        if others or name is None or given is None or not given.prints_states:
            return None, None
        return name, given

    @abstractmethod
    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        """The local rules with their memories."""

    def potentials(self, puzzle: Puzzle) -> Sequence[Potential]:
        """The global rules that no memory can hold."""
        return ()

    def preferences(self, puzzle: Puzzle) -> Sequence[Preference]:
        """Rules that may be broken at a price. They rank answers; no certificate needs them."""
        return ()

    def implied(self, puzzle: Puzzle) -> Sequence[Pruner | Compilable]:
        """What follows from several rules at once: it helps to prune, and is never scored."""
        return ()

    def scopes(self, puzzle: Puzzle) -> Mapping[str, Int[np.ndarray, "j s"]]:
        """Places by name where `erm mine` looks for rules."""
        return {}

    def states_of(self, puzzle: Puzzle) -> int:
        """S on this board, where it depends on its size, as Sudoku's does."""
        return self.states

    def rules(self, puzzle: Puzzle) -> Rules:
        """The rulebook applied to one puzzle."""
        with named(f"the rulebook of {self.name}"):
            domain = self.domain(puzzle)
            check_domain(domain, (puzzle.cells, self.states_of(puzzle)))
            return Rules(
                domain,
                self.factors(puzzle),
                self.potentials(puzzle),
                self.printed,
                partial(self.implied, puzzle),
                self.preferences(puzzle),
                self.name,
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
        """States that count from 0 as an answer holds them."""
        return (np.asarray(states) + self.first_state).astype(np.int8)

    def is_valid(self, puzzle: Puzzle, answer: np.ndarray | Sequence[int]) -> bool:
        """Whether one answer obeys every rule and clue."""
        return bool(self.rules(puzzle).is_valid(self.to_states(puzzle, answer)[None])[0])

    def violations(self, puzzle: Puzzle, answer: np.ndarray | Sequence[int]) -> list[Violation]:
        """Names and cells of what an answer breaks; empty exactly when it is valid."""
        return self.rules(puzzle).violations(self.to_states(puzzle, answer))

    def cost(self, puzzle: Puzzle, answer: np.ndarray | Sequence[int]) -> float:
        """The price of all preferences that one answer breaks."""
        return float(self.rules(puzzle).costs(self.to_states(puzzle, answer)))
