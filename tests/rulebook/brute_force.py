"""What memories are held against: every pattern listed, one log-sum-exp."""

from __future__ import annotations

from collections.abc import Callable

import torch
from hypothesis import strategies as st
from torch import Tensor

from erm.rulebook.memory import Memory

taus = st.sampled_from([0.01, 0.02, 0.1, 1.0, 7.0])
scales = st.sampled_from([0.1, 1.0, 30.0, 1e3])


def free_energy(memory: Memory, cost: Tensor, tau: float) -> Tensor:
    patterns = torch.from_numpy(memory.patterns())
    total = cost[..., torch.arange(cost.shape[-2]), patterns].sum(-1)
    return -tau * torch.logsumexp(-total / tau, -1)


def gradient(function: Callable[[Tensor, float], Tensor], cost: Tensor, tau: float) -> Tensor:
    cost = cost.clone().requires_grad_()
    return torch.autograd.grad(function(cost, tau).sum(), cost)[0]


def random_costs(seed: int, *shape: int, scale: float) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.rand(shape, dtype=torch.float64, generator=generator)
