"""The plain modern Hopfield network (Eq. 2)."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from erm.rulebook.hopfield import Hopfield


@settings(max_examples=50, deadline=None)
@given(
    count=st.integers(1, 12),
    width=st.integers(1, 10),
    tau=st.sampled_from([0.01, 0.2, 1.0, 5.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_retrieval_never_raises_the_energy(count, width, tau, seed):
    generator = torch.Generator().manual_seed(seed)
    memories = torch.randn(count, width, dtype=torch.float64, generator=generator)
    network = Hopfield(memories, tau)
    query = 3 * torch.randn(6, width, dtype=torch.float64, generator=generator)
    energy = network.energy(query)
    for _ in range(10):
        query = network.retrieve(query)
        lower = network.energy(query)
        assert (lower <= energy + 1e-12 * (1 + energy.abs())).all()
        energy = lower


def test_energy_is_the_equation():
    network = Hopfield(torch.tensor([[1.0, 0.0], [0.0, 2.0]], dtype=torch.float64), tau=0.5)
    query = torch.tensor([1.0, 1.0], dtype=torch.float64)
    expected = 1.0 - 0.5 * torch.log(torch.exp(torch.tensor([2.0, 4.0]).double()).sum())
    torch.testing.assert_close(network.energy(query), expected)


def test_the_step_is_the_gradient_step_of_length_one():
    """q - dE/dq is the retrieval, so its fixed points are where the energy is stationary."""
    generator = torch.Generator().manual_seed(0)
    network = Hopfield(torch.randn(5, 4, dtype=torch.float64, generator=generator), 0.7)
    query = torch.randn(3, 4, dtype=torch.float64, generator=generator).requires_grad_()
    (slope,) = torch.autograd.grad(network.energy(query).sum(), query)
    torch.testing.assert_close(query - slope, network.retrieve(query))


def test_a_noisy_pattern_is_completed():
    memories = torch.eye(6, dtype=torch.float64)
    query = memories[2] + 0.2
    retrieved = Hopfield(memories, tau=0.05).retrieve(query)
    torch.testing.assert_close(retrieved, memories[2], atol=1e-6, rtol=0)


def test_wrong_memories_are_refused():
    with pytest.raises(ValueError, match=r"\[m, d\]"):
        Hopfield(torch.zeros(0, 3))
    with pytest.raises(ValueError, match="tau"):
        Hopfield(torch.zeros(1, 3), tau=0.0)
