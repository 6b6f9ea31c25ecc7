"""Counting memories against all patterns listed, and against binomials where those are too many."""

from __future__ import annotations

from itertools import product
from math import lgamma

import numpy as np
import pytest
import torch
from brute_force import free_energy as brute_force
from brute_force import gradient, random_costs, scales, taus
from hypothesis import given, settings
from hypothesis import strategies as st

from erm.rulebook.counting import AtLeast, AtMost, Between, Exactly
from erm.rulebook.memory import CLAMPED


@st.composite
def counts(draw: st.DrawFn, largest: int = 10) -> Between:
    size = draw(st.integers(1, largest))
    count = draw(st.integers(0, size))
    kind = draw(st.sampled_from([Exactly, AtMost, AtLeast, Between]))
    if kind is Between:
        return Between(count, draw(st.integers(count, size)), size)
    return kind(count, size)


@settings(max_examples=150, deadline=None)
@given(memory=counts(), tau=taus, scale=scales, seed=st.integers(0, 2**32 - 1))
def test_equals_the_sum_over_all_patterns(memory, tau, scale, seed):
    cost = random_costs(seed, 4, memory.size, 2, scale=scale)
    expected = brute_force(memory, cost, tau)
    torch.testing.assert_close(memory.free_energy(cost, tau), expected, rtol=1e-12, atol=1e-9)


@settings(max_examples=80, deadline=None)
@given(memory=counts(8), tau=taus, scale=scales, seed=st.integers(0, 2**32 - 1))
def test_gradient_is_that_of_the_sum(memory, tau, scale, seed):
    cost = random_costs(seed, 3, memory.size, 2, scale=scale)
    ours = gradient(memory.free_energy, cost, tau)
    listed = gradient(lambda cost, tau: brute_force(memory, cost, tau), cost, tau)
    torch.testing.assert_close(ours, listed, rtol=0, atol=1e-9)


@pytest.mark.parametrize("memory", [Exactly(2, 6), AtMost(2, 6), AtLeast(4, 6), Between(1, 3, 6)])
def test_gradient_against_finite_differences(memory):
    cost = random_costs(0, 3, 6, 2, scale=2.0).requires_grad_()
    assert torch.autograd.gradcheck(lambda cost: memory.free_energy(cost, 0.5), cost)


@settings(max_examples=40, deadline=None)
@given(memory=counts())
def test_accepts_exactly_its_patterns(memory):
    every = np.array(list(product((0, 1), repeat=memory.size)))
    verdicts = [memory.low <= sum(pattern) <= memory.high for pattern in every.tolist()]
    assert memory.accepts(every).tolist() == verdicts
    assert len(memory.patterns()) == sum(verdicts)


def _log_binomial(size: int, count: int) -> float:
    return lgamma(size + 1) - lgamma(count + 1) - lgamma(size - count + 1)


@pytest.mark.parametrize("tau", [0.01, 1.0])
@pytest.mark.parametrize(
    ("size", "count"), [(36, 1), (60, 0), (60, 23), (60, 60), (700, 350), (4096, 500), (4096, 4000)]
)
def test_long_scopes_of_equal_cells_are_binomials(size, count, tau):
    cost = torch.zeros(1, size, 2, dtype=torch.float64)
    cost[..., 1] = 3.0
    expected = 3.0 * count - tau * _log_binomial(size, count)
    cost.requires_grad_()
    value = Exactly(count, size).free_energy(cost, tau)
    assert value.item() == pytest.approx(expected, rel=1e-12, abs=1e-9)
    (shares,) = torch.autograd.grad(value.sum(), cost)
    torch.testing.assert_close(shares[0, :, 1], torch.full((size,), count / size).double())


@settings(max_examples=30, deadline=None)
@given(
    size=st.integers(20, 600),
    share=st.floats(0, 1),
    tau=taus,
    scale=scales,
    seed=st.integers(0, 2**32 - 1),
)
def test_exactly_adds_up_to_at_most_and_at_least(size, share, tau, scale, seed):
    """Too long to list: the counts from 0 to size together are all patterns, cell by cell."""
    count = int(share * size)
    cost = random_costs(seed, 2, size, 2, scale=scale)
    everything = -tau * torch.logsumexp(-cost / tau, -1).sum(-1)
    parts = torch.stack(
        [memory.free_energy(cost, tau) for memory in (AtMost(count, size), AtLeast(count, size))]
    )
    # At most n and at least n share the patterns of exactly n.
    both = -tau * torch.logsumexp(-parts / tau, 0)
    exactly = Exactly(count, size).free_energy(cost, tau)
    overlap = -tau * torch.logaddexp(-everything / tau, -exactly / tau)
    torch.testing.assert_close(both, overlap, rtol=1e-12, atol=1e-8)


def test_a_tie_that_outweighs_the_best_set_a_googol_times():
    """Half of the cells do not care: sums in the middle of a row dwarf those that count."""
    size, forced, count = 4096, 500, 520
    cost = torch.zeros(1, size, 2, dtype=torch.float64)
    cost[:, 2048 : 2048 + forced, 0] = 1e3
    cost[:, 2048 + forced :, 1] = 1e3
    value = Exactly(count, size).free_energy(cost, 1.0)
    assert value.item() == pytest.approx(-_log_binomial(2048, count - forced), abs=1e-9)


@pytest.mark.parametrize("memory", [Exactly(4, 2), AtLeast(3, 2), AtMost(-1, 2), Exactly(-1, 2)])
def test_a_count_out_of_reach_accepts_nothing(memory):
    every = np.array(list(product((0, 1), repeat=2)))
    assert not memory.accepts(every).any()
    assert not len(memory.patterns())
    assert memory.free_energy(torch.zeros(3, 2, 2), 0.1).tolist() == [CLAMPED] * 3


def test_counts_beyond_the_scope_bind_nothing():
    cost = random_costs(5, 3, 4, 2, scale=2.0)
    free = -0.3 * torch.logsumexp(-cost / 0.3, -1).sum(-1)
    torch.testing.assert_close(AtMost(9, 4).free_energy(cost, 0.3), free)


def test_costs_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="needs costs"):
        Exactly(1, 4).free_energy(torch.zeros(3, 4, 3), 1.0)
    with pytest.raises(ValueError, match="too many"):
        Exactly(1, 40).patterns()
