"""Candidates in flight: rows that share the network's calls and nothing else."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from erm.model.decode import Decoded, Probabilities, decode
from erm.model.inputs import Inputs, collate
from erm.model.reasoner import Carry, Reasoner
from erm.model.surface import Prediction
from erm.search.deadline import NEVER, Deadline
from erm.search.problem import Problem
from erm.search.tree import Tree

RESIDUAL_STEPS = 3
"""EqR's convergence: the change of z is averaged over so many steps."""
CHUNK_NUMBERS = 300_000
"""Latent numbers in one call of the network: what a CPU core's cache holds best."""
MAX_CHUNK = 16
"""Rows in one call: on a CPU larger calls are not faster."""


@dataclass
class Patience:
    """Steps that a guided candidate takes between two decisions."""

    wanted: int = 0
    waited: int = 0


@dataclass(eq=False)
class Candidate:
    """The k-th rollout of one problem."""

    problem: Problem
    k: int
    draw: torch.Generator
    """Its own randomness, seeded from (seed, puzzle, k)."""
    tree: Tree | None = None
    """The guesses of all candidates of the puzzle, where the search is guided."""
    patience: Patience | None = None
    """Where the search is guided: when this candidate decides next."""
    depth: int = 0
    changes: deque[float] = field(default_factory=lambda: deque(maxlen=RESIDUAL_STEPS))

    def copy(self) -> Candidate:
        """The same candidate with a patience of its own; random stream and tree are shared."""
        own = None if self.patience is None else replace(self.patience)
        return replace(self, patience=own, changes=self.changes.copy())

    @property
    def residual(self) -> float:
        """Mean change of z over the last steps; small where the rollout has settled."""
        return sum(self.changes) / len(self.changes) if self.changes else float("inf")


class View(NamedTuple):
    """What a proposal sees after a step, one row a candidate; there are no labels here."""

    candidates: Sequence[Candidate]
    domain: Bool[Tensor, "B n S"]
    """The states left to each cell: the clues, minus what the proposal has ruled out so far."""
    decoded: Decoded
    prediction: Prediction
    carry: Carry
    """The latent states; to be read, not changed."""
    temperatures: Float[np.ndarray, " B"] | None = None
    """Of each row, where the candidates are replicas of a tempering run."""
    deadline: Deadline = NEVER
    """To be asked inside long work; what it raises ends the search."""


class Edits(NamedTuple):
    """What a proposal changes before the next step."""

    domain: Bool[Tensor, "B n S"]
    """Guesses (one state left), eliminations, or their undoing."""
    restart: Bool[Tensor, " B"]
    """Rows whose latent states are drawn afresh."""
    carry: Carry | None = None
    """Latent states to go on from, where they change otherwise."""


Proposal = Callable[[View], Edits | None]
"""Guides candidates between steps; randomness comes from each candidate's own `draw`."""


class Batch:
    """Rows of candidates that step together, in calls of `chunk` rows."""

    def __init__(
        self,
        reasoner: Reasoner,
        chunk: int | None = None,
        probabilities: Probabilities = "softmax",
    ) -> None:
        self.reasoner = reasoner
        self.probabilities: Probabilities = probabilities
        self.candidates: list[Candidate] = []
        self.evaluations = 0
        """Model evaluations so far: one row through one step."""
        self._chunk = chunk
        self._carry: Carry | None = None
        self._domain: Bool[Tensor, "B n S"] | None = None
        self._boards: dict[tuple[Problem, ...], Inputs] = {}

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def device(self) -> torch.device:
        return next(self.reasoner.parameters()).device

    @property
    def carry(self) -> Carry:
        assert self._carry is not None, "an empty batch has no latent states"
        return self._carry

    @property
    def domain(self) -> Bool[Tensor, "B n S"]:
        assert self._domain is not None, "an empty batch has no domains"
        return self._domain

    def admit(self, newcomers: Sequence[Candidate]) -> None:
        """Start candidates; all rows of a batch are of one kind of problem."""
        domain = torch.cat([one.problem.inputs.domain for one in newcomers]).to(self.device)
        carry = self._start(newcomers, domain)
        if self._carry is not None and self._domain is not None:
            carry = Carry.cat([self._carry, carry])
            domain = torch.cat([self._domain, domain])
        self.candidates = [*self.candidates, *newcomers]
        self._set(carry, domain)

    def keep(self, rows: Sequence[int]) -> None:
        """Only these rows, in this order."""
        self.candidates = [self.candidates[row] for row in rows]
        if rows:
            index = torch.tensor(rows, device=self.device)
            self._set(self.carry[index], self.domain[index])
        else:
            self._carry = self._domain = None
            self._boards = {}

    def restore(
        self, candidates: list[Candidate], carry: Carry, domain: Bool[Tensor, "B n S"]
    ) -> None:
        """Other rows altogether, as a tempering ladder orders them."""
        self.candidates = candidates
        self._set(carry, domain)

    def step(self, sigma: float | Tensor | None = None, deadline: Deadline = NEVER) -> Prediction:
        """One step of every row; `sigma` overrides the reasoner's noise, a number or one a row.

        Where the deadline comes, no row has taken the step.
        """
        carries, predictions = [], []
        for rows, inputs in self._calls():
            deadline.check()
            draws = [candidate.draw for candidate in self.candidates[rows]]
            noise = sigma[rows] if isinstance(sigma, Tensor) else sigma
            carry, prediction = self.reasoner.step(self.carry[rows], inputs, draws, noise)
            carries.append(carry)
            predictions.append(prediction)
        new = Carry.cat(carries)
        changes = (new.z_H - self.carry.z_H).flatten(1).float().square().mean(-1).sqrt()
        for candidate, change in zip(self.candidates, changes.tolist(), strict=True):
            candidate.depth += 1
            candidate.changes.append(change)
        self.evaluations += len(self.candidates)
        self._carry = new
        return Prediction(*(torch.cat(parts) for parts in zip(*predictions, strict=True)))

    def decode(self, prediction: Prediction, rows: Sequence[int]) -> Decoded:
        """What these rows say."""
        problems = [self.candidates[row].problem for row in rows]
        index = torch.tensor(rows, device=self.device)
        tokens = None
        if not self.reasoner.config.structured:
            tokens = torch.cat([one.inputs.answer_tokens for one in problems]).to(self.device)
        given = torch.cat([one.given for one in problems]).to(self.device)
        logits, domain = prediction.logits[index], self.domain[index]
        return decode(logits, domain, tokens, given, self.probabilities)

    def architectural_energy(self) -> Float[Tensor, " B"] | None:
        """The network's own energy of each row, where its blocks have one (EqR+ET)."""
        parts = [
            energy
            for rows, inputs in self._calls()
            if (energy := self.reasoner.energy(self.carry[rows], inputs)) is not None
        ]
        return torch.cat(parts) if parts else None

    def edit(self, edits: Edits) -> None:
        """Apply a proposal: new domains, fresh latent states where it asks for them."""
        self._domain = edits.domain
        if edits.carry is not None:
            self._carry = edits.carry
        rows = edits.restart.nonzero().flatten().tolist()
        if rows:
            fresh = self._start([self.candidates[row] for row in rows], edits.domain[rows])
            self.carry[rows] = fresh
            for row in rows:
                self.candidates[row].changes.clear()

    def _start(self, candidates: Sequence[Candidate], domain: Tensor) -> Carry:
        inputs = _board([one.problem for one in candidates]).to(self.device).with_domain(domain)
        return self.reasoner.start(inputs, [candidate.draw for candidate in candidates])

    def _set(self, carry: Carry, domain: Bool[Tensor, "B n S"]) -> None:
        self._carry, self._domain = carry, domain
        old = self._boards
        self._boards = {}
        for rows in self._chunks():
            problems = tuple(candidate.problem for candidate in self.candidates[rows])
            if problems not in self._boards:
                self._boards[problems] = old.get(problems) or _board(problems).to(self.device)

    def _calls(self) -> Iterator[tuple[slice, Inputs]]:
        """The rows of each call of the network, with their boards."""
        for rows in self._chunks():
            problems = tuple(candidate.problem for candidate in self.candidates[rows])
            yield rows, self._boards[problems].with_domain(self.domain[rows])

    def _chunks(self) -> list[slice]:
        numbers = self.carry.z_H[0].numel()
        size = self._chunk or max(1, min(MAX_CHUNK, CHUNK_NUMBERS // numbers))
        return [slice(first, first + size) for first in range(0, len(self), size)]


def _board(problems: Sequence[Problem]) -> Inputs:
    """The rows' boards; candidates of one puzzle share its tensors instead of copying them."""
    first = problems[0]
    if all(problem is first for problem in problems):
        return first.inputs.expand(len(problems))
    rules = [problem.rules for problem in problems]
    return collate([problem.encoding for problem in problems], first.groups, rules, first.padding)


def rollout(
    reasoner: Reasoner, problems: Sequence[Problem], draws: Sequence[torch.Generator], depth: int
) -> Decoded:
    """What one candidate of each problem says after `depth` steps, in one call of the network."""
    batch = Batch(reasoner, len(problems))
    batch.admit([Candidate(one, 0, draw) for one, draw in zip(problems, draws, strict=True)])
    prediction = batch.step()
    for _ in range(depth - 1):
        prediction = batch.step()
    return batch.decode(prediction, range(len(problems)))
