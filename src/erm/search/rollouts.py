"""Candidates in flight: rows that share the network's calls and nothing else."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from erm.errors import InputError
from erm.model.codec import Prediction
from erm.model.decode import Decoded, Decoding, Probabilities, decode, default_decoding
from erm.model.device import Precision, in_precision
from erm.model.inputs import Inputs, collate
from erm.model.noise import Stream
from erm.model.reasoner import Carry, Reasoner
from erm.search.deadline import NEVER, Deadline
from erm.search.guidance import Guide
from erm.search.problem import Problem

WINDOWS = "changes", "turns", "local_energies"
WINDOW = 3
"""EqR's convergence: changes are averaged over so many steps (`convergence_window`)."""


class Capacity(NamedTuple):
    """What one call of the network holds best, and how many candidates keep a device busy."""

    numbers: int
    """Latent numbers in one call."""
    chunk: int
    """Most rows in one call."""
    rows: int
    """Candidates in flight below which a search starts more."""


CPU = Capacity(numbers=300_000, chunk=16, rows=16)
"""What a core's cache holds; larger calls are not faster."""
ACCELERATOR = Capacity(numbers=1 << 26, chunk=1024, rows=1024)
"""Several puzzles at the paper's K = 128 at a time."""


def capacity(device: torch.device) -> Capacity:
    return CPU if device.type == "cpu" else ACCELERATOR


@dataclass(eq=False)
class Candidate:
    """The k-th rollout of one problem."""

    problem: Problem
    k: int
    draw: Stream
    """Its own randomness, addressed by (seed, puzzle, k) and the step."""
    depth: int = 0
    changes: deque[float] = field(default_factory=lambda: deque(maxlen=WINDOW))
    """Of z_H, in the last steps."""
    turns: deque[float] = field(default_factory=lambda: deque(maxlen=WINDOW))
    """Of the logits, in the last steps."""
    logits: Float[Tensor, "n V"] | None = None
    """Of the last step."""
    local_energies: deque[float] = field(default_factory=lambda: deque(maxlen=1))
    """Where guidance waits for it to stop falling: the local energy of the last step."""

    def copy(self) -> Candidate:
        """The same candidate with windows of its own; the random stream is shared."""
        windows = {name: getattr(self, name).copy() for name in WINDOWS}
        return replace(self, **windows)

    @property
    def residual(self) -> float:
        """Mean change of z_H over the last steps; small where the rollout has converged."""
        return sum(self.changes) / len(self.changes) if self.changes else float("inf")

    @property
    def convergence(self) -> float:
        """The same of the logits, by which EqR's evaluation selects."""
        return sum(self.turns) / len(self.turns) if self.turns else float("inf")


Help = Callable[[Callable[[], bool]], Future[None] | None]
"""Starts a second thread that calls the given function until it returns False; None where no core
is free."""


class Batch:
    """Rows of candidates that step together, in calls of `chunk` rows."""

    def __init__(
        self,
        reasoner: Reasoner,
        chunk: int | None = None,
        probabilities: Probabilities = "softmax",
        decoding: Decoding | None = None,
        precision: Precision = "float32",
        path_noise: float | None = None,
        help: Help | None = None,
        guide: Guide | None = None,
    ) -> None:
        structured = reasoner.config.structured
        if structured and decoding == "raw":
            raise InputError("raw decoding is for token-based networks; this one is structured")
        self.reasoner = reasoner
        self.probabilities: Probabilities = probabilities
        self.decoding: Decoding = decoding or default_decoding(structured)
        self.precision: Precision = precision
        self.path_noise = path_noise
        """beta of EqR, where it is not to be the network's own."""
        self.guide = guide
        """Moves the latent states before each step but the first."""
        self.candidates: list[Candidate] = []
        self.evaluations = 0
        """Model evaluations so far: one row through one step."""
        self._chunk = chunk
        self._help = help
        self._carry: Carry | None = None
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

    def admit(self, newcomers: Sequence[Candidate]) -> None:
        """Start candidates; all rows of a batch are of one kind of problem."""
        if self.guide is not None:
            for rules in {id(one.problem): one.problem.rules for one in newcomers}.values():
                self.guide.check(rules)
        inputs = _board([one.problem for one in newcomers]).to(self.device)
        draws = Stream.next([one.draw for one in newcomers], self.device)
        carry = self.reasoner.start(inputs, draws)
        if self._carry is not None:
            carry = Carry.cat([self._carry, carry])
        self.restore([*self.candidates, *newcomers], carry)

    def keep(self, rows: Sequence[int]) -> None:
        """Only these rows, in this order."""
        kept = [self.candidates[row] for row in rows]
        if rows:
            self.restore(kept, self.carry[torch.tensor(rows, device=self.device)])
        else:
            self.candidates, self._carry, self._boards = kept, None, {}

    def restore(self, candidates: list[Candidate], carry: Carry) -> None:
        """Other rows, as a tempering ladder orders them."""
        self.candidates, self._carry = candidates, carry
        old = self._boards
        self._boards = {}
        for rows in self._chunks():
            problems = self._problems(rows)
            if problems not in self._boards:
                self._boards[problems] = old.get(problems) or _board(problems).to(self.device)

    def step(
        self,
        sigma: float | Tensor | None = None,
        deadline: Deadline = NEVER,
        temperature: Float[Tensor, " B"] | None = None,
    ) -> Prediction:
        """One step of every row; `sigma` overrides the reasoner's noise, a number or one per row.
        `temperature` is that of each row, for guidance with Langevin noise.

        Where the deadline comes, no row has taken the step.
        """
        carries, predictions = zip(*self._run(sigma, deadline, temperature), strict=True)
        new = Carry.cat(carries)
        changes = _root_mean_square((new.z_H - self.carry.z_H).flatten(1).float())
        for candidate, change in zip(self.candidates, changes.tolist(), strict=True):
            candidate.depth += 1
            candidate.changes.append(change)
        self.evaluations += len(self.candidates)
        self._carry = new
        prediction = Prediction(*(torch.cat(parts) for parts in zip(*predictions, strict=True)))
        self._compare(prediction.logits)
        return prediction

    def _run(
        self, sigma: float | Tensor | None, deadline: Deadline, temperature: Tensor | None
    ) -> list[tuple[Carry, Prediction]]:
        """Every call of the network in one step; they do not depend on each other, so that a second
        core may take some of them."""
        calls = list(self._calls())
        done: list[tuple[Carry, Prediction] | None] = [None] * len(calls)
        coming = deque(range(len(calls)))

        @torch.inference_mode(torch.is_inference_mode_enabled())
        def one() -> bool:
            try:
                number = coming.popleft()
            except IndexError:
                return False
            rows, inputs = calls[number]
            draws = Stream.next(
                [candidate.draw for candidate in self.candidates[rows]], self.device
            )
            noise = sigma[rows] if isinstance(sigma, Tensor) else sigma
            carry = self.carry[rows]
            if self.guide is not None:
                heat = None if temperature is None else temperature[rows]
                carry = self.guide.steer(carry, inputs, self.candidates[rows], draws, heat)
            with in_precision(self.precision, self.device):
                done[number] = self.reasoner.step(carry, inputs, draws, noise, self.path_noise)
            return True

        helper = self._help(one) if self._help is not None and len(calls) > 1 else None
        try:
            while coming:
                deadline.check()
                one()
        finally:
            coming.clear()
            if helper is not None:
                helper.result()
        return [step for step in done if step is not None]

    def _compare(self, logits: Float[Tensor, "B n V"]) -> None:
        """How far each row's logits moved: the norm over a cell's, averaged over cells (EqR)."""
        known = [row for row, one in enumerate(self.candidates) if one.logits is not None]
        if known:
            before = torch.stack([one.logits for one in self.candidates if one.logits is not None])
            moved = (logits[known] - before).float().norm(dim=-1).mean(-1)
            for row, change in zip(known, moved.tolist(), strict=True):
                self.candidates[row].turns.append(change)
        for candidate, own in zip(self.candidates, logits, strict=True):
            candidate.logits = own

    def decode(self, prediction: Prediction, rows: Sequence[int]) -> Decoded:
        """The answers and log-probabilities of these rows."""
        problems = [self.candidates[row].problem for row in rows]
        index = torch.tensor(rows, device=self.device)
        tokens = None
        if not self.reasoner.config.structured:
            tokens = torch.cat([one.inputs.answer_tokens for one in problems]).to(self.device)
        given = torch.cat([one.given for one in problems]).to(self.device)
        domain = torch.cat([one.inputs.domain for one in problems]).to(self.device)
        logits = prediction.logits[index]
        return decode(logits, domain, tokens, given, self.probabilities, self.decoding)

    def architectural_energy(self) -> Float[Tensor, " B"] | None:
        """The network's own energy of each row, where its blocks have one (EqR+ET)."""
        parts = [
            energy
            for rows, inputs in self._calls()
            if (energy := self.reasoner.energy(self.carry[rows], inputs)) is not None
        ]
        return torch.cat(parts) if parts else None

    def _calls(self) -> Iterator[tuple[slice, Inputs]]:
        """The rows of each call of the network, with their boards."""
        for rows in self._chunks():
            yield rows, self._boards[self._problems(rows)]

    def _problems(self, rows: slice) -> tuple[Problem, ...]:
        return tuple(candidate.problem for candidate in self.candidates[rows])

    def _chunks(self) -> list[slice]:
        numbers, fits = self.carry.z_H[0].numel(), capacity(self.device)
        size = self._chunk or max(1, min(fits.chunk, fits.numbers // numbers))
        return [slice(first, first + size) for first in range(0, len(self), size)]


def _root_mean_square(rows: Float[Tensor, "B m"]) -> Float[Tensor, " B"]:
    return torch.linalg.vector_norm(rows, dim=-1) / math.sqrt(rows.shape[-1])


def _board(problems: Sequence[Problem]) -> Inputs:
    """The rows' boards; candidates of one puzzle share its tensors instead of copying them."""
    first = problems[0]
    if all(problem is first for problem in problems):
        return first.inputs.expand(len(problems))
    rules = [problem.rules for problem in problems]
    return collate([problem.encoding for problem in problems], first.groups, rules, first.padding)


def rollout(
    reasoner: Reasoner, problems: Sequence[Problem], draws: Sequence[Stream], depth: int
) -> Decoded:
    """What one candidate of each problem says after `depth` steps, in one call of the network."""
    batch = Batch(reasoner, len(problems))
    batch.admit([Candidate(one, 0, draw) for one, draw in zip(problems, draws, strict=True)])
    prediction = batch.step()
    for _ in range(depth - 1):
        prediction = batch.step()
    return batch.decode(prediction, range(len(problems)))
