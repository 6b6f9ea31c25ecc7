"""Parallel tempering over any state: replicas at a ladder of temperatures that swap (Eqs. 4, 5).

A sampler is `init` and `step(state) -> (state, info)`. What a replica is and how it moves is the
kernel's business: latent states of a reasoner in `erm.search.temper`, integers in the tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.errors import InputError

State = TypeVar("State")


@runtime_checkable
class Kernel(Protocol[State]):
    """How replicas move; replica r of ladder l is number l * R + r."""

    def move(
        self, state: State, temperatures: Float[np.ndarray, " K"]
    ) -> tuple[State, Float[np.ndarray, " K"]]:
        """Every replica's next (or proposed) state, with its energy."""
        ...

    def take(self, state: State, order: Int[np.ndarray, " K"]) -> State:
        """The replicas in another order."""
        ...

    def merge(self, accepted: Bool[np.ndarray, " K"], new: State, old: State) -> State:
        """The new state of each accepted replica, the old one of the others."""
        ...


@dataclass(frozen=True, eq=False)
class Tempered(Generic[State]):
    """Where a tempering run stands."""

    replicas: State
    energies: Float[np.ndarray, " K"]
    temperatures: Float[np.ndarray, " R"]
    """T_1 < ... < T_R, the same for every ladder."""
    steps: int


class Info(NamedTuple):
    """What happened in one step."""

    proposed: Int[np.ndarray, " pairs"]
    """Swaps proposed between temperatures r and r + 1, over all ladders."""
    swapped: Int[np.ndarray, " pairs"]
    """Swaps accepted."""
    accepted: float
    """Share of the moves accepted; 1 without Metropolis."""
    order: Int[np.ndarray, " K"]
    """Which replica each place holds after the swaps."""


def geometric_ladder(rungs: int, coldest: float, hottest: float) -> Float[np.ndarray, " R"]:
    """R temperatures, each the same factor above the one before."""
    if rungs < 1 or not 0 < coldest <= hottest < float("inf"):
        raise InputError(
            f"a ladder needs a rung or more and 0 < coldest <= hottest, got {rungs} rungs, "
            f"{coldest} to {hottest}"
        )
    return np.geomspace(coldest, hottest, rungs)


def swap_probability(
    cold: Float[np.ndarray, "*#s"],
    hot: Float[np.ndarray, "*#s"],
    cold_energy: Float[np.ndarray, "*#s"],
    hot_energy: Float[np.ndarray, "*#s"],
) -> Float[np.ndarray, "*s"]:
    """a of Eq. 5: min(1, exp[(1/T_rho - 1/T_eta) (E_rho - E_eta)])."""
    exponent = (1.0 / cold - 1.0 / hot) * (cold_energy - hot_energy)
    return np.exp(np.minimum(exponent, 0.0))


@dataclass(frozen=True)
class Tempering(Generic[State]):
    """`init`, then `step` again and again: all replicas move, then neighbours may swap."""

    kernel: Kernel[State]
    ladders: int
    metropolis: bool = False
    """Accept a move with min(1, exp(-(E' - E) / T)) instead of always."""
    swaps: bool = True

    def init(
        self,
        replicas: State,
        energies: Float[np.ndarray, " K"],
        temperatures: Float[np.ndarray, " R"],
    ) -> Tempered[State]:
        if len(energies) != self.ladders * len(temperatures):
            raise InputError(
                f"{self.ladders} ladders of {len(temperatures)} temperatures hold "
                f"{self.ladders * len(temperatures)} replicas, not {len(energies)}"
            )
        return Tempered(replicas, np.asarray(energies, np.float64), temperatures, 0)

    def step(
        self, state: Tempered[State], draw: np.random.Generator
    ) -> tuple[Tempered[State], Info]:
        """Every replica moves; then pairs (1, 2), (3, 4), ... or (2, 3), ... may swap, in turn."""
        temperatures = np.tile(state.temperatures, self.ladders)
        replicas, energies = self.kernel.move(state.replicas, temperatures)
        energies = np.asarray(energies, np.float64)
        share = 1.0
        if self.metropolis:
            rise = np.maximum(energies - state.energies, 0.0)
            accepted = draw.random(len(energies)) < np.exp(-rise / temperatures)
            replicas = self.kernel.merge(accepted, replicas, state.replicas)
            energies = np.where(accepted, energies, state.energies)
            share = float(accepted.mean())
        order, proposed, swapped = self._swap(energies, state, draw)
        if swapped.any():
            replicas = self.kernel.take(replicas, order)
        moved = Tempered(replicas, energies[order], state.temperatures, state.steps + 1)
        return moved, Info(proposed, swapped, share, order)

    def _swap(
        self, energies: np.ndarray, state: Tempered[State], draw: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rungs = len(state.temperatures)
        order = np.arange(len(energies)).reshape(self.ladders, rungs)
        proposed, swapped = np.zeros(rungs - 1, np.int64), np.zeros(rungs - 1, np.int64)
        cold = np.arange(state.steps % 2, rungs - 1, 2)
        if self.swaps and len(cold):
            table = energies.reshape(self.ladders, rungs)
            chance = swap_probability(
                state.temperatures[cold],
                state.temperatures[cold + 1],
                table[:, cold],
                table[:, cold + 1],
            )
            ladder, pair = np.nonzero(draw.random(chance.shape) < chance)
            low = cold[pair]
            order[ladder, low], order[ladder, low + 1] = (
                order[ladder, low + 1],
                order[ladder, low].copy(),
            )
            proposed[cold] = self.ladders
            np.add.at(swapped, low, 1)
        return order.reshape(-1), proposed, swapped
