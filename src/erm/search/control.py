"""The control without a network: K rollouts of D steps that propagate, guess and backtrack.

A network whose rollouts have the rules' propagation inside must beat this at equal D x K.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Bool

from erm.model.codec import Prediction
from erm.model.decode import Decoded
from erm.rulebook.propagate import prune
from erm.search.options import SearchOptions
from erm.search.problem import Problem
from erm.search.puzzle_search import PuzzleSearch
from erm.search.rollouts import Candidate

Literals = list[tuple[int, int]]
"""Cells, each with a state."""


@dataclass(eq=False)
class Rollout:
    """Guesses that hold, and what was ruled out under each of them."""

    domain: Bool[np.ndarray, "n S"]
    rng: np.random.Generator
    left: Bool[np.ndarray, "n S"]
    """What propagation left at the last step."""
    guesses: Literals = field(default_factory=list)
    ruled_out: list[Literals] = field(default_factory=lambda: [[]])
    """By the number of guesses that held."""
    decided: bool = False

    def assumed(self) -> Bool[np.ndarray, "n S"]:
        """The domain under the guesses; all empty where they leave a cell without a state."""
        domain = self.domain.copy()
        for cell, state in (one for level in self.ruled_out for one in level):
            domain[cell, state] = False
        for cell, state in self.guesses:
            domain[cell] &= np.arange(domain.shape[1]) == state
        return domain & domain.any(-1).all()

    def step(self, left: Bool[np.ndarray, "n S"]) -> None:
        """One decision: undo the last guess, end, or guess a random state of a smallest cell."""
        if not left.any():
            if self.guesses:
                self.ruled_out.pop()
                self.ruled_out[-1].append(self.guesses.pop())
            return
        self.left = left
        counts = left.sum(-1)
        if (counts == 1).all():
            self.decided = True
            return
        smallest = np.flatnonzero(counts == counts[counts > 1].min())
        cell = int(self.rng.choice(smallest))
        self.guesses.append((cell, int(self.rng.choice(np.flatnonzero(left[cell])))))
        self.ruled_out.append([])


def run_control(problem: Problem, options: SearchOptions, number: int = 0) -> PuzzleSearch:
    """A finished search whose candidates come from the rules alone, `options.cadence` steps a
    decision. What is undecided after D steps has equally likely states."""
    search = PuzzleSearch(problem, options, number, network=False)
    digest = hashlib.blake2b(problem.key + f" {options.seed} control".encode(), digest_size=8)
    seed = int.from_bytes(digest.digest(), "little")
    domain = problem.rules.domain
    rollouts = [
        Rollout(domain, np.random.default_rng([seed, k]), domain) for k in range(options.width)
    ]
    for _ in range(options.cadence, options.depth + 1, options.cadence):
        running = [one for one in rollouts if not one.decided]
        if not running:
            break
        search.deadline.check()
        left = prune(problem.rules, np.stack([one.assumed() for one in running]))
        for one, own in zip(running, left, strict=True):
            one.step(own)
    left = torch.from_numpy(np.stack([one.left for one in rollouts]))
    log_probs = torch.where(left, 0.0, -torch.inf).log_softmax(-1)
    free = ~problem.given
    likeliest = (log_probs.amax(-1) * free).double().sum(-1) / free.sum(-1).clamp(min=1)
    finite = log_probs.clamp(min=-1e4)
    candidates = [
        Candidate(problem, k, problem.draw(options.seed, k), options.depth)
        for k in range(options.width)
    ]
    search.records.write(
        range(options.width),
        candidates,
        Decoded(left.int().argmax(-1), finite, likeliest),
        Prediction(finite, torch.zeros(options.width)),
    )
    search.depth = options.depth
    search.end("budget")
    return search
