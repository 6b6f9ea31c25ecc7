"""The tempering core on energies small enough to know everything about."""

import math

import numpy as np
import pytest

from erm.errors import InputError
from erm.search.ladder import Tempering, geometric_ladder, swap_probability


class RingWalk:
    """Integers on a ring that step left or right with equal chance: a symmetric proposal."""

    def __init__(self, energies, draw):
        self.energies, self.draw = np.asarray(energies, float), draw

    def move(self, state, temperatures):
        new = (state + self.draw.choice([-1, 1], len(state))) % len(self.energies)
        return new, self.energies[new]

    def take(self, state, order):
        return state[order]

    def merge(self, accepted, new, old):
        return np.where(accepted, new, old)


@pytest.mark.parametrize("cold_energy, hot_energy", [(3.0, 1.0), (1.0, 3.0), (2.0, 2.0), (-5, 4)])
def test_swap_rule_is_equation_5(cold_energy, hot_energy):
    cold, hot = 0.5, 2.0
    expected = min(1.0, math.exp((1 / cold - 1 / hot) * (cold_energy - hot_energy)))
    values = np.array([cold, hot, cold_energy, hot_energy], float)
    found = swap_probability(*values[:, None])
    assert found == pytest.approx(np.array([expected]), rel=1e-12)


def test_swaps_happen_as_often_as_the_rule_says():
    kernel = RingWalk([1.0, 0.0], np.random.default_rng(0))
    kernel.move = lambda state, temperatures: (state, kernel.energies[state])
    sampler = Tempering(kernel, ladders=4000)
    temperatures = np.array([1.0, 2.0])
    # The cold replica holds the lower energy: accepted with exp(-(1 - 1/2) * 1).
    state = sampler.init(np.tile([1, 0], 4000), np.tile([0.0, 1.0], 4000), temperatures)
    after, info = sampler.step(state, np.random.default_rng(1))
    assert info.proposed.tolist() == [4000]
    assert info.swapped[0] / 4000 == pytest.approx(math.exp(-0.5), abs=0.03)
    assert (after.replicas.reshape(-1, 2)[:, 0] == 0).sum() == info.swapped[0]
    np.testing.assert_array_equal(after.energies, kernel.energies[after.replicas])


def test_pairs_take_turns_and_every_replica_is_kept():
    kernel = RingWalk(np.zeros(50), np.random.default_rng(0))
    kernel.move = lambda state, temperatures: (state, np.zeros(len(state)))
    sampler = Tempering(kernel, ladders=2)
    state = sampler.init(np.arange(10), np.zeros(10), geometric_ladder(5, 1, 16))
    state, first = sampler.step(state, np.random.default_rng(0))
    state, second = sampler.step(state, np.random.default_rng(0))
    # Equal energies always swap.
    assert first.swapped.tolist() == [2, 0, 2, 0]
    assert second.swapped.tolist() == [0, 2, 0, 2]
    assert sorted(state.replicas) == list(range(10))
    assert sorted(state.replicas[:5]) == list(range(5))


def test_detailed_balance_at_every_temperature():
    energies = np.array([0.0, 1.5, 0.3, 2.5, 1.0, 3.0])
    kernel = RingWalk(energies, np.random.default_rng(0))
    temperatures = geometric_ladder(4, 0.3, 3.0)
    ladders, steps, burn_in = 400, 400, 50
    sampler = Tempering(kernel, ladders, metropolis=True)
    start = np.zeros(ladders * 4, int)
    state = sampler.init(start, energies[start], temperatures)
    draw = np.random.default_rng(7)
    counts = np.zeros((4, len(energies)))
    for step in range(steps):
        state, info = sampler.step(state, draw)
        assert 0 < info.accepted < 1
        if step >= burn_in:
            for rung, column in enumerate(state.replicas.reshape(ladders, 4).T):
                counts[rung] += np.bincount(column, minlength=len(energies))
    for rung, temperature in enumerate(temperatures):
        expected = np.exp(-energies / temperature)
        expected /= expected.sum()
        np.testing.assert_allclose(counts[rung] / counts[rung].sum(), expected, atol=0.01)


def test_without_swaps_nobody_moves():
    kernel = RingWalk(np.zeros(9), np.random.default_rng(0))
    sampler = Tempering(kernel, 1, swaps=False)
    state = sampler.init(np.zeros(3, int), np.zeros(3), geometric_ladder(3, 1, 4))
    _, info = sampler.step(state, np.random.default_rng(0))
    assert info.order.tolist() == [0, 1, 2]
    assert info.proposed.sum() == 0


def test_ladders_are_geometric_and_checked():
    ladder = geometric_ladder(16, 0.001, 1.0)
    np.testing.assert_allclose(ladder[1:] / ladder[:-1], 1000 ** (1 / 15))
    with pytest.raises(InputError):
        geometric_ladder(3, 0.0, 1.0)
    with pytest.raises(InputError, match="hold 6 replicas, not 5"):
        Tempering(RingWalk([0.0], None), 2).init(
            np.zeros(5), np.zeros(5), geometric_ladder(3, 1, 2)
        )
