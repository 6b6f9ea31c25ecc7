"""Parallel tempering of a reasoner: hot replicas get noise to explore, cold ones keep what is good.

A replica is a candidate: its latent states (z_H, z_L) and its random stream. A move is
one step of the reasoner with noise that grows with the temperature; neighbours on a ladder swap by
the energies of their answers. The budget is that of a plain search, D x K model evaluations.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.errors import InputError
from erm.model.decode import Decoding, Probabilities
from erm.model.device import Precision
from erm.model.reasoner import Carry, Reasoner
from erm.search.deadline import NEVER, Deadline
from erm.search.guidance import Guidance, Guide
from erm.search.ladder import Tempering, geometric_ladder
from erm.search.pool import CandidatePool, concatenate_pools
from erm.search.problem import Problem
from erm.search.records import Records
from erm.search.rollouts import Batch, Candidate
from erm.search.select import Choice, Selector, load_selector


@dataclass(frozen=True)
class TemperOptions:
    """128 = 8 ladders x 16 temperatures by default, the paper's K."""

    depth: int = 64
    """D, steps of a replica."""
    ladders: int = 8
    """Independent ladders of replicas."""
    rungs: int = 16
    """R, temperatures of a ladder."""
    energy: str = "energy"
    """The score that is tempered: energy, qhead, confidence or any other selector's."""
    span: float = 1000.0
    """T_R / T_1, the hottest over the coldest temperature."""
    heat: float = 1.0
    """T_R over the spread (standard deviation) of the energy in the first pool."""
    temperatures: tuple[float, float] | None = None
    """T_1 and T_R as they are, as the appendix prints 0.001 and 1.0; instead of `span` and `heat`,
    which follow the energy's own scale."""
    noise: float = 0.1
    """sigma at the hottest temperature; sigma grows with the square root of T."""
    metropolis: bool = False
    """Undo steps that raise the energy too much for the replica's temperature."""
    swaps: bool = True
    """Let neighbours swap; off for ablation."""
    guidance: float | Guidance = 0.0
    """eta, how far the energy's gradient moves z_H between two steps; 0 is off. A `Guidance` also
    has a schedule, and Langevin noise at the replica's temperature."""
    seed: int = 0
    """Every draw follows from (seed, puzzle, replica)."""
    chunk: int | None = None
    """Rows in one call of the network; chosen by the size of the latent states if not given."""
    decoding: Decoding | None = None
    """raw (official) or clamped to the clues; raw for token-based networks if not given."""
    probabilities: Probabilities | None = None
    """softmax or stablemax, for confidence and Eq. 6; what the checkpoint was trained with if not
    given."""
    precision: Precision = "float32"
    """What the network computes in."""

    def __post_init__(self) -> None:
        for name in ("depth", "ladders", "rungs"):
            if not 1 <= getattr(self, name) <= 1 << 16:
                raise InputError(f"{name} must be 1 to {1 << 16}, got {getattr(self, name)}")
        if self.chunk is not None and self.chunk < 1:
            raise InputError(f"chunk must be at least 1, got {self.chunk}")
        Guidance.of(self.guidance)
        if not (self.span >= 1 and self.heat > 0 and self.noise >= 0):
            raise InputError(
                "tempering needs span >= 1, heat > 0 and noise >= 0, got "
                f"{self.span}, {self.heat} and {self.noise}"
            )
        if self.temperatures is not None:
            coldest, hottest = self.temperatures
            if not 0 < coldest <= hottest < float("inf"):
                raise InputError(
                    "temperatures are the coldest and the hottest, both above 0, got "
                    f"{coldest:g} {hottest:g}"
                )

    @property
    def width(self) -> int:
        """K, the number of replicas."""
        return self.ladders * self.rungs


@dataclass(frozen=True, eq=False)
class TemperResult:
    """What a tempering run of one puzzle found and how it went."""

    pool: CandidatePool
    """The final replicas, coldest first within each ladder."""
    replicas: Int[np.ndarray, " K"]
    """Which replica each row of the pool is, by the number it started with."""
    selected: Choice
    """The lowest score of the final pool."""
    best: Choice
    """The lowest score of all that was visited."""
    visited: Int[np.ndarray, "V n"]
    """Every different answer that any replica ever gave."""
    swap_rates: Float[np.ndarray, " pairs"]
    """Accepted over proposed swaps of each pair of neighbours."""
    acceptance: float
    """Share of the moves that Metropolis accepted; 1 without it."""
    temperatures: Float[np.ndarray, " R"]
    evaluations: int
    seconds: float

    @property
    def swap_rate(self) -> float:
        return float(np.nanmean(self.swap_rates)) if len(self.swap_rates) else 0.0


@dataclass(frozen=True, eq=False)
class Replicas:
    """The state that the ladder orders: one row a replica."""

    candidates: tuple[Candidate, ...]
    carry: Carry
    pool: CandidatePool


class ReasonerKernel:
    """A move is one step of the reasoner, with sigma in proportion to the square root of T."""

    def __init__(
        self,
        problem: Problem,
        reasoner: Reasoner,
        options: TemperOptions,
        probabilities: Probabilities = "softmax",
        deadline: Deadline = NEVER,
    ) -> None:
        self.problem, self.options, self.deadline = problem, options, deadline
        self.selector: Selector = load_selector(options.energy)
        probabilities = options.probabilities or probabilities
        self.batch = Batch(
            reasoner,
            options.chunk,
            probabilities,
            options.decoding,
            options.precision,
            guide=Guide.of(options.guidance, reasoner, options.depth, probabilities),
        )
        self.visited: dict[bytes, None] = {}
        self.best: Choice | None = None

    def start(self) -> tuple[Replicas, Float[np.ndarray, " K"]]:
        """The first pool: K candidates after one step without noise."""
        options = self.options
        self.batch.admit(
            [
                Candidate(self.problem, k, self.problem.draw(options.seed, k))
                for k in range(options.width)
            ]
        )
        return self._step(0.0)

    def move(
        self, state: Replicas, temperatures: Float[np.ndarray, " K"]
    ) -> tuple[Replicas, Float[np.ndarray, " K"]]:
        # Copies, so that a move that Metropolis undoes leaves nothing behind.
        candidates = [candidate.copy() for candidate in state.candidates]
        self.batch.restore(candidates, state.carry)
        heat = torch.from_numpy(temperatures)
        if self.options.noise == 0:
            # No noise is drawn at all, so that the random streams stay those of a plain rollout.
            return self._step(0.0, heat)
        sigma = self.options.noise * np.sqrt(temperatures / temperatures.max())
        return self._step(torch.from_numpy(sigma), heat)

    def _step(
        self, sigma: float | Tensor, temperature: Float[Tensor, " K"] | None = None
    ) -> tuple[Replicas, Float[np.ndarray, " K"]]:
        batch = self.batch
        prediction = batch.step(sigma, self.deadline, temperature)
        rows = list(range(len(batch)))
        decoded = batch.decode(prediction, rows)
        records = Records(self.problem, len(batch))
        architectural = batch.architectural_energy()
        records.write(rows, batch.candidates, decoded, prediction, architectural)
        self.deadline.check()
        records.energies(self.deadline)
        pool = records.pool()
        scores = self.selector.scores(pool)
        self._remember(pool)
        return Replicas(tuple(batch.candidates), batch.carry, pool), scores

    def _remember(self, pool: CandidatePool) -> None:
        for answer in pool.answers:
            self.visited.setdefault(answer.tobytes())
        choice = self.selector.choose(pool)
        if self.best is None or choice.score < self.best.score:
            self.best = choice

    def take(self, state: Replicas, order: Int[np.ndarray, " K"]) -> Replicas:
        index = torch.from_numpy(order).to(state.carry.z_H.device)
        return Replicas(
            tuple(state.candidates[row] for row in order),
            state.carry[index],
            state.pool[order],
        )

    def merge(self, accepted: Bool[np.ndarray, " K"], new: Replicas, old: Replicas) -> Replicas:
        # Rows of the two stacked: the new ones first, then the old.
        size = len(accepted)
        rows = np.where(accepted, np.arange(size), np.arange(size) + size)
        index = torch.from_numpy(rows).to(new.carry.z_H.device)
        return Replicas(
            tuple((new.candidates + old.candidates)[row] for row in rows),
            Carry.cat([new.carry, old.carry])[index],
            concatenate_pools([new.pool, old.pool])[rows],
        )


def _temperatures(
    options: TemperOptions, energies: Float[np.ndarray, " K"]
) -> Float[np.ndarray, " R"]:
    """The ladder: as it is given, or scaled to how much the first candidates' energies differ."""
    if options.temperatures is not None:
        return geometric_ladder(options.rungs, *options.temperatures)
    spread = float(np.std(energies))
    hottest = options.heat * (spread if 0 < spread < float("inf") else 1.0)
    return geometric_ladder(options.rungs, hottest / options.span, hottest)


@torch.inference_mode()
def temper(
    reasoner: Reasoner,
    problem: Problem,
    options: TemperOptions | None = None,
    probabilities: Probabilities = "softmax",
    watch: Callable[[CandidatePool], None] | None = None,
    deadline: Deadline = NEVER,
) -> TemperResult:
    """Parallel tempering of one puzzle on a budget of D x K model evaluations.

    `watch` sees the replicas after every step; what it or the deadline raises ends the run.
    """
    began = time.perf_counter()
    options = options or TemperOptions()
    kernel = ReasonerKernel(problem, reasoner, options, probabilities, deadline)
    replicas, energies = kernel.start()
    temperatures = _temperatures(options, energies)
    sampler = Tempering(kernel, options.ladders, options.metropolis, options.swaps)
    digest = hashlib.blake2b(problem.key + f" {options.seed} swaps".encode(), digest_size=8)
    draw = np.random.default_rng(int.from_bytes(digest.digest(), "little"))
    state = sampler.init(replicas, energies, temperatures)
    proposed, swapped, accepted = np.zeros(options.rungs - 1), np.zeros(options.rungs - 1), []
    if watch is not None:
        watch(replicas.pool)
    for _ in range(options.depth - 1):
        state, info = sampler.step(state, draw)
        proposed += info.proposed
        swapped += info.swapped
        accepted.append(info.accepted)
        if watch is not None:
            watch(state.replicas.pool)
    assert kernel.best is not None
    rates = np.divide(swapped, proposed, np.full_like(swapped, np.nan), where=proposed > 0)
    pool = state.replicas.pool
    answers = [np.frombuffer(answer, pool.answers.dtype) for answer in kernel.visited]
    return TemperResult(
        pool=replace(pool, steps=np.full(len(pool), options.depth)),
        replicas=np.array([candidate.k for candidate in state.replicas.candidates]),
        selected=kernel.selector.choose(pool),
        best=kernel.best,
        visited=np.stack(answers),
        swap_rates=rates,
        acceptance=float(np.mean(accepted)) if accepted else 1.0,
        temperatures=temperatures,
        evaluations=kernel.batch.evaluations,
        seconds=time.perf_counter() - began,
    )
