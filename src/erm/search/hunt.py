"""The hunt for one puzzle's answer: its waves of candidates, its bill, what it has found."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

from erm.errors import InputError
from erm.model.config import MAX_NOISE
from erm.search.batch import Candidate
from erm.search.pool import CandidatePool, stack_pools
from erm.search.problem import Problem
from erm.search.records import Records
from erm.search.select import Choice, select
from erm.search.stop import StoppingRule

Mode = Literal["full", "adaptive"]
MAX_DEPTH = MAX_WIDTH = 1 << 16
WIDENING = 4
"""After a wave without a certificate, an adaptive search has so many times the candidates."""
ROWS = 16
"""Candidates in flight below which a search starts more: enough to fill the network's calls."""


@dataclass(frozen=True)
class SearchOptions:
    """How far a search goes; the paper's D = 64 and K = 128 by default."""

    depth: int = 64
    """D, steps of a candidate."""
    width: int = 128
    """K, candidates of a puzzle."""
    mode: Mode = "adaptive"
    """full: every candidate to depth D; adaptive: stop at the first certificate."""
    seed: int = 0
    """Every draw follows from (seed, puzzle, candidate)."""
    sigma: float | None = None
    """Noise on z before each step (PTRM); the checkpoint's own where not given."""
    trace: bool = False
    """Keep the pool after every step (full mode)."""
    stopping: StoppingRule | None = None
    """Stop a puzzle when its best energy rests (full mode)."""
    chunk: int | None = None
    """Rows in one call of the network; chosen by the size of the latent states if not given."""
    rows: int = ROWS
    """Candidates in flight below which the next wave or puzzle starts."""
    keep_log_probs: bool = False
    """Keep the model's log-probabilities in the pool."""

    def __post_init__(self) -> None:
        for name, most in (("depth", MAX_DEPTH), ("width", MAX_WIDTH), ("rows", MAX_WIDTH)):
            if not 1 <= getattr(self, name) <= most:
                raise InputError(f"{name} must be 1 to {most}, got {getattr(self, name)}")
        if self.chunk is not None and self.chunk < 1:
            raise InputError(f"chunk must be at least 1, got {self.chunk}")
        if self.sigma is not None and not 0 <= self.sigma <= MAX_NOISE:
            raise InputError(f"sigma must be 0 to {MAX_NOISE}, got {self.sigma}")
        if self.mode not in ("full", "adaptive"):
            raise InputError(f"mode must be full or adaptive, got {self.mode!r}")
        if self.mode == "adaptive" and (self.trace or self.stopping):
            raise InputError("a trace and energy stopping need --mode full")

    @cached_property
    def waves(self) -> list[range]:
        """The candidates that start together; a full search has one wave of K."""
        if self.mode == "full":
            return [range(self.width)]
        ends = [1]
        while ends[-1] < self.width:
            ends.append(min(ends[-1] * WIDENING, self.width))
        return [range(first, last) for first, last in pairwise([0, *ends])]


class Hunt:
    """One puzzle's search. The candidates of a wave start together and stay equally deep, so
    that what is found and what it costs do not depend on the puzzles that run beside it."""

    def __init__(self, problem: Problem, options: SearchOptions, tag: Any = None) -> None:
        self.problem = problem
        self.options = options
        self.tag = tag
        """The caller's name for the puzzle."""
        self.records = Records(problem, options.width)
        self.evaluations = 0
        """Model evaluations so far: one candidate through one step."""
        self.wave = -1
        self.depth = 0
        """Steps that the present wave has taken."""
        self.certified = False
        """Whether some candidate breaks no rule."""
        self.done = False
        self.best_energies: list[float] = []
        self.seconds = 0.0
        """Wall time so far, shared with the puzzles that ran beside it."""
        self._began = time.perf_counter()
        self._snapshots: list[CandidatePool] = []
        self._shared: dict[str, Any] = {}

    def next_wave(self) -> list[Candidate]:
        """The candidates to start now; none when all K have run."""
        if self.wave + 1 == len(self.options.waves):
            return []
        self.wave += 1
        self.depth = 0
        return [
            Candidate(self.problem, k, self.problem.draw(self.options.seed, k), self._shared)
            for k in self.options.waves[self.wave]
        ]

    @property
    def reads_every_step(self) -> bool:
        """Whether the search must know what the candidates say before depth D."""
        return (
            self.options.mode == "adaptive"
            or self.options.trace
            or self.options.stopping is not None
        )

    def after_step(self) -> bool:
        """Take stock once the records are written; returns whether the wave is over."""
        options = self.options
        self.seconds = time.perf_counter() - self._began
        if options.mode == "adaptive" and self.records.check().any():
            self.certified = self.done = True
        if options.trace:
            self._snapshots.append(self.records.pool())
        if options.stopping is not None:
            self.best_energies.append(float(self.records.energies().min()))
            self.done |= options.stopping.stops(self.best_energies)
        if self.depth == options.depth and self.wave + 1 == len(options.waves):
            self.done = True
        if self.done:
            self.certified = bool(self.records.check().any())
        return self.done or self.depth == options.depth

    def pool(self) -> CandidatePool:
        """The candidates as they stand, with the pool after every step where that was kept."""
        pool = self.records.pool(self.options.keep_log_probs)
        return replace(pool, trace=stack_pools(self._snapshots)) if self._snapshots else pool

    def choice(self) -> Choice:
        """The certificate where there is one, else the candidate of lowest energy."""
        return select(self.records.pool(), "certified")
