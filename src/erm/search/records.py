"""What is known of a puzzle's candidates while they run; becomes the pool."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from erm.model.codec import Prediction
from erm.model.decode import Decoded
from erm.rulebook.energy import EnergyTerms, rules_energy
from erm.search.deadline import NEVER, Deadline, OutOfTime
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.rollouts import Candidate

PIECE = 1 << 17
"""Candidates x cells x states whose energies are worked out between two looks at the deadline: a
pool of 128 for a 9x9 Sudoku at once, a quarter of a second for a 16x16."""


class Records:
    """The last answer of each of K candidates; validity and energies are computed on demand."""

    def __init__(self, problem: Problem, width: int) -> None:
        cells, states = problem.rules.domain.shape
        self.problem = problem
        self.states = np.zeros((width, cells), np.int64)
        self.log_probs = np.zeros((width, cells, states), np.float32)
        self.numbers = {name: np.zeros(width) for name in ("q", "confidence", "residual", "energy")}
        self.steps = np.zeros(width, np.int64)
        self.valid = np.zeros(width, bool)
        self.known = np.zeros(width, bool)
        """Which candidates have an answer."""
        self._factors: dict[str, np.ndarray] = {}
        self._potentials: dict[str, np.ndarray] = {}
        self._preferences: dict[str, np.ndarray] = {}
        self._scores: dict[str, np.ndarray] = {"convergence": np.zeros(width)}
        self._unchecked = np.zeros(width, bool)
        self._unscored = np.zeros(width, bool)

    def write(
        self,
        places: Sequence[int],
        candidates: Sequence[Candidate],
        decoded: Decoded,
        prediction: Prediction,
        architectural: Float[Tensor, " B"] | None = None,
    ) -> None:
        """Keep the answers of candidates after a step, at their places in the pool."""
        ks = np.array(places)
        states = decoded.states.cpu().numpy()
        # The same answer needs no second check.
        fresh = (self.states[ks] != states).any(-1) | ~self.known[ks]
        self.known[ks] = True
        self._unchecked[ks] |= fresh
        self._unscored[ks] = True
        self.states[ks] = states
        self.log_probs[ks] = decoded.log_probs.cpu().float().numpy()
        self.steps[ks] = [candidate.depth for candidate in candidates]
        self.numbers["q"][ks] = prediction.q.cpu().numpy()
        self.numbers["confidence"][ks] = decoded.confidence.cpu().numpy()
        self.numbers["residual"][ks] = [candidate.residual for candidate in candidates]
        self._put(self._scores, "convergence", ks, [one.convergence for one in candidates])
        if architectural is not None:
            self._put(self._scores, "et", ks, architectural.cpu().numpy())

    def check(self) -> np.ndarray:
        """Which candidates break no rule."""
        ks = np.flatnonzero(self._unchecked)
        if len(ks):
            self.valid[ks] = self.problem.rules.is_valid(self.states[ks])
            self._unchecked[ks] = False
        return self.valid

    def energies(self, deadline: Deadline = NEVER) -> Float[np.ndarray, " K"]:
        """E(y_k; x) of every candidate with an answer. Where the deadline comes, at least some have
        one, valid candidates first."""
        self.check()
        ks = np.flatnonzero(self._unscored)
        ks = ks[np.argsort(~self.valid[ks], kind="stable")]
        size = max(1, PIECE // self.problem.rules.domain.size)
        for first in range(0, len(ks), size):
            if first:
                deadline.check()
            self._score(ks[first : first + size])
        return self.numbers["energy"]

    def _score(self, ks: np.ndarray) -> None:
        problem, log_probs = self.problem, torch.from_numpy(self.log_probs[ks])
        terms = rules_energy(problem.rules, self.states[ks], problem.task.settings, log_probs)
        self.numbers["energy"][ks] = terms.total
        for name, value in terms.factors.items():
            self._put(self._factors, name, ks, value)
        for name, value in terms.potentials.items():
            self._put(self._potentials, name, ks, value)
        for name, value in terms.preferences.items():
            self._put(self._preferences, name, ks, value)
        self._unscored[ks] = False

    def pool(self, log_probs: bool = False, deadline: Deadline = NEVER) -> CandidatePool:
        """A copy, of the candidates with an answer; where the deadline comes, of those with an
        energy."""
        with suppress(OutOfTime):
            self.energies(deadline)
        ran = np.flatnonzero(self.known & ~self._unscored)
        return CandidatePool(
            task=self.problem.task.name,
            answers=self.problem.task.to_answer(self.states[ran]),
            q=self.numbers["q"][ran],
            confidence=self.numbers["confidence"][ran],
            residual=self.numbers["residual"][ran],
            valid=self.valid[ran],
            steps=self.steps[ran],
            energy=EnergyTerms(
                self.numbers["energy"][ran],
                {name: value[ran] for name, value in self._factors.items()},
                {name: value[ran] for name, value in self._potentials.items()},
                preferences={name: value[ran] for name, value in self._preferences.items()},
            ),
            scores={name: value[ran] for name, value in self._scores.items()},
            log_probs=self.log_probs[ran] if log_probs else None,
            problem=self.problem,
        )

    def _put(self, table: dict[str, np.ndarray], name: str, ks: np.ndarray, value) -> None:
        table.setdefault(name, np.zeros(len(self.steps)))[ks] = value
