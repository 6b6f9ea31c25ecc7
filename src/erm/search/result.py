"""What a search says about one puzzle, while it runs or at its end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from jaxtyping import Int

from erm.drawing.words import broken
from erm.rulebook.energy import EnergyTerms
from erm.rulebook.optimum import TOLERANCE
from erm.rulebook.rules import Violation
from erm.search import notebook
from erm.search.attempt import Attempt, Ended, Improvement
from erm.search.contradiction import Contradiction
from erm.search.options import SearchOptions
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.select import select
from erm.types import Puzzle

Status = Literal["unique", "certified", "no solution", "undecided"]
"""unique: an answer, and proof that there is no other; certified: an answer that breaks no rule;
no solution: proof that there is none; undecided: the budget is spent."""
By = Literal["rules alone", "network and rules", "network"]
"""Who found it: propagation and guesses without a network's part in it (one may have been asked in
vain: see `evaluations`), both together, the network's word."""


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """One puzzle's verdict, with everything that was found on the way."""

    problem: Problem
    options: SearchOptions
    number: int
    """Its place among the puzzles of the search, from 0."""
    status: Status
    by: By
    index: int | None
    """Which of the candidates is the answer; None where there is none to show."""
    candidates: CandidatePool
    """Every candidate so far, with its scores and energy terms."""
    other: Int[np.ndarray, " n"] | None
    """A second answer, where the search has found one; asked for uniqueness, it looks for one."""
    contradiction: Contradiction | None
    """Which clues contradict each other, where that is seen without a search."""
    evaluations: int
    """Model evaluations: one candidate through one step."""
    guesses: int
    """Guesses that the tree of a guided search holds, or branches of a search for the cheapest."""
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
        """Whether it is proved that no certified answer costs less; said apart from `certified`,
        and never of answers without prices."""
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
    def answer(self) -> Int[np.ndarray, " n"] | None:
        """One state per cell, row-major: the certificate if there is one, else the lowest energy;
        None where it is proved that there is no answer."""
        return None if self.index is None else self.candidates.answers[self.index]

    @property
    def certified(self) -> bool:
        """Whether the answer breaks no rule."""
        return self.index is not None and bool(self.candidates.valid[self.index])

    @property
    def energy(self) -> EnergyTerms | None:
        """The answer's energy, term by term."""
        return None if self.index is None else self.candidates.energy[self.index]

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
        if self.index is not None:
            return [] if self.certified else self.violations_of(self.index)
        if self.contradiction is None:
            return []
        return [Violation(self.contradiction.rule, self.contradiction.cells)]

    def violations_of(self, index: int) -> list[Violation]:
        """What one of the candidates breaks."""
        task = self.problem.task
        return self.problem.rules.violations(
            task.to_states(self.puzzle, self.candidates.answers[index])
        )

    def in_words(self, violation: Violation) -> str:
        """A broken rule as everybody says it; contradictory clues have a sentence of their own."""
        if self.index is None and self.contradiction is not None:
            return self.contradiction.sentence
        return broken(self.problem.task, self.puzzle, violation)

    @classmethod
    def of(cls, attempt: Attempt, by_network: By) -> Result:
        """The verdict on an attempt as it stands; `by_network` says how a network would be used."""
        pool = attempt.pool()
        status = _status(attempt)
        index = None if status == "no solution" or not len(pool) else _chosen(pool)
        others = [one for one in attempt.answers if (one != pool.answers[index]).any()]
        tree, optimum = attempt.tree, attempt.optimum
        guesses = 0 if tree is None else tree.guesses
        return cls(
            problem=attempt.problem,
            options=attempt.options,
            number=attempt.number,
            status=status,
            by=by_network if attempt.evaluations and not attempt.by_rules_alone else "rules alone",
            index=index,
            candidates=pool,
            other=others[0] if others else None,
            contradiction=attempt.contradiction,
            evaluations=attempt.evaluations,
            guesses=guesses if optimum is None else optimum.branches,
            wave=max(attempt.wave, 0),
            depth=attempt.depth,
            seconds=attempt.seconds,
            ended=attempt.ended,
            bound=_bound(attempt, status),
            improvements=tuple(attempt.improvements),
        )


def _chosen(pool: CandidatePool) -> int:
    """The certificate where there is one, else the candidate of lowest energy."""
    index = select(pool, "certified").index
    assert index is not None
    return index


def _bound(attempt: Attempt, status: Status) -> float | None:
    """What is proved about the cost of any answer."""
    if not attempt.priced or status == "no solution":
        return None
    if attempt.optimum is not None:
        return attempt.optimum.bound
    if status == "unique":
        return attempt.improvements[-1].cost
    return None


def _status(attempt: Attempt) -> Status:
    if attempt.exhausted and not attempt.certified:
        return "no solution"
    if not attempt.certified and not attempt.records.check().any():
        return "undecided"
    # A certificate that the tree did not find itself may be one of many.
    proved = attempt.exhausted and len(attempt.answers) == 1
    return "unique" if proved else "certified"
