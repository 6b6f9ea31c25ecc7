"""The result of a search for one puzzle, while it runs or at its end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from jaxtyping import Int

from erm.drawing.words import broken
from erm.rulebook.energy import EnergyTerms, rules_energy
from erm.rulebook.optimum import TOLERANCE
from erm.rulebook.rules import Violation
from erm.search import notebook
from erm.search.contradiction import Contradiction
from erm.search.options import SearchOptions
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.puzzle_search import Ended, Improvement, PuzzleSearch
from erm.search.select import select
from erm.types import Puzzle

Status = Literal["unique", "several", "certified", "no solution", "undecided"]
"""unique: an answer, and proof that there is no other; several: two answers; certified: an answer
that breaks no rule, where it was not decided whether there are others; no solution: proof that
there is none; undecided: the budget is spent."""
By = Literal["rules", "network", "network and rules"]
"""What found the verdict: the rules' own search; candidates of a network; a candidate, proved by
the rules."""


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """One puzzle's verdict, with everything that was found on the way."""

    problem: Problem
    options: SearchOptions
    number: int
    """Its place among the puzzles of the search, from 0."""
    status: Status
    by: By
    answer: Int[np.ndarray, " n"] | None
    """One state per cell, row-major: in mode full what the selector chose, in mode adaptive what
    breaks no rule, or else the candidate of lowest energy. None where there is none."""
    energy: EnergyTerms | None
    """The answer's energy, term by term."""
    certified: bool
    """Whether the answer breaks no rule."""
    index: int | None
    """Which of the candidates is the answer; None where it is none of them."""
    candidates: CandidatePool
    """The network's candidates so far, with their scores and energy terms."""
    other: Int[np.ndarray, " n"] | None
    """A second answer, where the search has found one."""
    contradiction: Contradiction | None
    """Which clues contradict each other, where that is seen without a search."""
    evaluations: int
    """Model evaluations: one candidate through one step."""
    guesses: int
    """Guesses of the rules' search, or branches of a search for the cheapest."""
    wave: int
    """How often the search has widened."""
    depth: int
    """Steps that the present wave, or the one with the answer, has taken."""
    seconds: float
    ended: Ended | None
    """Why the search ended; None while it runs."""
    bound: float | None = None
    """No answer costs less, where answers have prices and something has proved it."""
    improvements: tuple[Improvement, ...] = ()
    """Answers with prices, each cheaper than the one before: when, and for how much."""

    @property
    def cost(self) -> float | None:
        """What the answer costs by the preferences that it breaks, whether certified or not;
        None where answers have no prices."""
        rules = self.problem.rules
        if self.answer is None or not rules.preferences:
            return None
        return float(rules.costs(self.problem.task.to_states(self.puzzle, self.answer)))

    @property
    def optimal(self) -> bool:
        """Whether it is proved that no certified answer costs less; false where answers have no
        prices."""
        if not self.certified or self.cost is None or self.bound is None:
            return False
        return self.cost <= self.bound + TOLERANCE

    def __repr__(self) -> str:
        return f"<Result {notebook.result_line(self)}>"

    def _repr_html_(self) -> str:
        return notebook.result_html(self)

    @property
    def done(self) -> bool:
        return self.ended is not None

    @property
    def puzzle(self) -> Puzzle:
        return self.problem.puzzle

    @property
    def differing(self) -> tuple[int, ...]:
        """Cells in which the second answer is another than the first."""
        if self.other is None or self.answer is None:
            return ()
        return tuple(np.flatnonzero(self.other != self.answer).tolist())

    @cached_property
    def violations(self) -> list[Violation]:
        """What the answer breaks, with cells; empty exactly when it is certified. Without an
        answer, the clues that contradict each other."""
        if self.answer is not None:
            return [] if self.certified else self.violations_of(self.answer)
        if self.contradiction is None:
            return []
        return [Violation(self.contradiction.rule, self.contradiction.cells)]

    def violations_of(self, answer: Int[np.ndarray, " n"]) -> list[Violation]:
        """What an answer breaks."""
        return self.problem.rules.violations(self.problem.task.to_states(self.puzzle, answer))

    def in_words(self, violation: Violation) -> str:
        """A broken rule in a sentence; contradictory clues have one of their own."""
        if self.answer is None and self.contradiction is not None:
            return self.contradiction.sentence
        return broken(self.problem.task, self.puzzle, violation)

    @classmethod
    def of(cls, search: PuzzleSearch, selector: str = "energy") -> Result:
        """The verdict on a search as it stands; `selector` chooses among the candidates of a full
        search."""
        problem, options, pool = search.problem, search.options, search.pool()
        rules = search.rules if search.rules_ran else None
        answer, index, certified, energy = None, None, False, None
        if search.found_by == "rules" and rules is not None:
            answer, certified = problem.task.to_answer(rules.answers[0]), True
            settings = problem.task.settings
            energy = rules_energy(problem.rules, rules.answers[0][None], settings)[0]
        elif len(pool):
            choice = select(pool, selector if options.mode == "full" else "certified")
            answer, index = choice.answer, choice.index
            states = problem.task.to_states(problem.puzzle, answer)[None]
            certified = bool(problem.rules.is_valid(states)[0])
            settings = problem.task.settings
            chosen = None if index is None else pool.energy[index]
            energy = chosen or rules_energy(problem.rules, states, settings)[0]
        status = _status(search, certified)
        if status == "no solution":
            answer, index, energy = None, None, None
        found = [] if rules is None else [problem.task.to_answer(one) for one in rules.answers]
        others = [one for one in found if answer is not None and (one != answer).any()]
        return cls(
            problem=problem,
            options=options,
            number=search.number,
            status=status,
            by=_by(search, status),
            answer=answer,
            energy=energy,
            certified=certified,
            index=index,
            candidates=pool,
            other=others[0] if others else None,
            contradiction=None if rules is None else rules.contradiction,
            evaluations=search.evaluations,
            guesses=search.rules_nodes,
            wave=max(search.wave, 0),
            depth=search.depth,
            seconds=search.seconds,
            ended=search.ended,
            bound=_bound(search, status),
            improvements=tuple(search.improvements),
        )


def _status(search: PuzzleSearch, certified: bool) -> Status:
    rules = search.rules if search.rules_ran else None
    if rules is not None and rules.exhausted and not rules.answers and not certified:
        return "no solution"
    if not certified:
        return "undecided"
    if rules is None or (search.priced and not search.options.unique):
        return "certified"
    if len(rules.answers) > 1:
        return "several"
    return "unique" if rules.exhausted else "certified"


def _by(search: PuzzleSearch, status: Status) -> By:
    if search.found_by == "rules" or not search.network or status == "no solution":
        return "rules"
    return "network and rules" if search.proved else "network"


def _bound(search: PuzzleSearch, status: Status) -> float | None:
    """What is proved about the cost of any answer."""
    if not search.priced or status == "no solution" or not search.rules_ran:
        return None
    if search.rules.bound is not None:
        return search.rules.bound
    return search.improvements[-1].cost if status == "unique" else None
