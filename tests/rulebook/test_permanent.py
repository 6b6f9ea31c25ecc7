"""The permutation memory against all permutations listed."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from brute_force import free_energy as brute_force
from brute_force import gradient, random_costs, scales, taus
from hypothesis import given, settings
from hypothesis import strategies as st

from erm.rulebook.memory import CLAMPED
from erm.rulebook.permanent import Permutations, _assignment_prices


@settings(max_examples=60, deadline=None)
@given(size=st.integers(1, 6), tau=taus, scale=scales, seed=st.integers(0, 2**32 - 1))
def test_equals_the_sum_over_all_permutations(size, tau, scale, seed):
    cost = random_costs(seed, 5, size, size, scale=scale)
    memory = Permutations(size)
    expected = brute_force(memory, cost, tau)
    torch.testing.assert_close(memory.free_energy(cost, tau), expected, rtol=1e-12, atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(size=st.integers(1, 5), tau=taus, scale=scales, seed=st.integers(0, 2**32 - 1))
def test_gradient_is_that_of_the_sum(size, tau, scale, seed):
    cost = random_costs(seed, 3, size, size, scale=scale)
    memory = Permutations(size)
    ours = gradient(memory.free_energy, cost, tau)
    listed = gradient(lambda cost, tau: brute_force(memory, cost, tau), cost, tau)
    torch.testing.assert_close(ours, listed, rtol=0, atol=1e-9)


def test_gradient_against_finite_differences():
    cost = random_costs(0, 2, 3, 4, 4, scale=3.0).requires_grad_()
    assert torch.autograd.gradcheck(lambda cost: Permutations(4).free_energy(cost, 0.7), cost)


def test_nine_by_nine_against_all_permutations():
    memory = Permutations(9)
    for tau, scale in ((1.0, 5.0), (0.01, 1e3)):
        cost = random_costs(1, 2, 9, 9, scale=scale)
        expected = brute_force(memory, cost, tau)
        torch.testing.assert_close(memory.free_energy(cost, tau), expected, rtol=1e-12, atol=1e-9)


def test_more_units_than_lanes_give_the_same_as_one_at_a_time():
    cost = random_costs(2, 150, 5, 5, scale=4.0)
    memory = Permutations(5)
    alone = torch.stack([memory.free_energy(unit, 0.3) for unit in cost])
    assert torch.equal(memory.free_energy(cost, 0.3), alone)


@settings(max_examples=40, deadline=None)
@given(tau=taus, seed=st.integers(0, 2**32 - 1))
def test_clamped_cells_and_clashes(tau, seed):
    """Two cells that are both given one state: the only ways out cost CLAMPED."""
    cost = random_costs(seed, 5, 5, scale=30.0)
    cost[0], cost[3] = CLAMPED, CLAMPED
    cost[0, 2], cost[3, 2] = 0.0, 0.0
    memory = Permutations(5)
    value = memory.free_energy(cost, tau)
    assert value > 0.9 * CLAMPED
    torch.testing.assert_close(value, brute_force(memory, cost, tau), rtol=1e-12, atol=1e-9)


def test_sixteen_equal_states_count_sixteen_factorial():
    cost = torch.full((3, 16, 16), 2.5, dtype=torch.float64, requires_grad=True)
    value = Permutations(16).free_energy(cost, 0.5)
    expected = 16 * 2.5 - 0.5 * torch.lgamma(torch.tensor(17.0, dtype=torch.float64))
    torch.testing.assert_close(value, expected.expand(3), rtol=1e-13, atol=0)
    (shares,) = torch.autograd.grad(value.sum(), cost)
    torch.testing.assert_close(shares, torch.full_like(cost, 1 / 16).detach())


def test_prices_are_dual_to_the_cheapest_assignment():
    from scipy.optimize import linear_sum_assignment

    costs = random_costs(3, 50, 7, 7, scale=1e3).numpy()
    rows, columns = _assignment_prices(costs)
    assert (costs - rows[:, :, None] - columns[:, None, :]).min() > -1e-9
    cheapest = [cost[linear_sum_assignment(cost)].sum() for cost in costs]
    np.testing.assert_allclose(rows.sum(1) + columns.sum(1), cheapest)


def test_accepts_exactly_its_patterns():
    memory = Permutations(4)
    every = np.stack(np.meshgrid(*[np.arange(4)] * 4, indexing="ij"), -1).reshape(-1, 4)
    accepted = every[memory.accepts(every)]
    assert {tuple(row) for row in accepted} == {tuple(row) for row in memory.patterns()}
    assert len(memory.patterns()) == 24


def test_float32_costs_come_back_as_float32():
    cost = torch.rand(2, 9, 9)
    value = Permutations(9).free_energy(cost, 1.0)
    assert value.dtype == torch.float32
    torch.testing.assert_close(value, Permutations(9).free_energy(cost.double(), 1.0).float())


def test_impossible_requests_are_refused():
    with pytest.raises(ValueError, match="1 to 16"):
        Permutations(17)
    with pytest.raises(ValueError, match="need costs"):
        Permutations(4).free_energy(torch.zeros(3, 4, 5), 1.0)
    with pytest.raises(ValueError, match="finite"):
        Permutations(2).free_energy(torch.tensor([[torch.inf, 0.0], [torch.inf, 0.0]]), 1.0)
    with pytest.raises(ValueError, match="too many"):
        Permutations(12).patterns()
