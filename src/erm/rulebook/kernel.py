"""How kernels are compiled, and how the free energies that one works out get a gradient."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import torch
from jaxtyping import Float
from numba import njit
from torch import Tensor
from torch.autograd.function import once_differentiable

import erm.rulebook.compiling  # noqa: F401 (says so while kernels are compiled)

kernel = njit(cache=True, nogil=True, error_model="numpy")
"""Compiles a function to machine code and keeps it. Kernels also carry `no_type_check`, or the
tests' shape checker would wrap what is to be compiled."""

_NO_WAY_IN: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inner_kernel = njit(cache=True, nogil=True, error_model="numpy", **_NO_WAY_IN)
"""A kernel that only other kernels call: without the way in from Python it compiles faster."""

thin_kernel = njit(inline="always", nogil=True, error_model="numpy", **_NO_WAY_IN)
"""A few lines that become part of the kernels that call them. Every kernel between a caller and a
called one is made into machine code together with all that it calls, so that a long chain of
them costs a second each; many lines inlined cost even more."""

FreeEnergies = Callable[
    [Float[Tensor, "b s S"], bool], tuple[Float[Tensor, " b"], Float[Tensor, "b s S"] | None]
]
"""From costs in float64 on the CPU to free energies and, if asked for, retrievals."""


class _KernelFreeEnergy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, cost: Tensor, solve: FreeEnergies) -> Tensor:
        batch = cost.shape[:-2]
        flat = cost.detach().cpu().double().reshape(prod(batch), *cost.shape[-2:])
        energies, retrieval = solve(flat, ctx.needs_input_grad[0])
        if retrieval is not None:
            ctx.save_for_backward(retrieval.reshape(cost.shape).to(cost))
        return energies.reshape(batch).to(cost)

    @staticmethod
    @once_differentiable
    def backward(ctx, *upstream: Tensor):
        # The gradient of a free energy in its costs is the retrieval: how often each cell says
        # each state among the memories, weighted as the log-sum-exp weighs them.
        (retrieval,) = ctx.saved_tensors
        return upstream[0][..., None, None] * retrieval, None


def kernel_free_energy(
    cost: Float[Tensor, "*batch s S"], solve: FreeEnergies
) -> Float[Tensor, "*batch"]:
    """Free energies by a kernel that also knows its retrieval, on the costs' device and dtype.

    The work itself is done in float64 on the CPU, wherever the costs live: they are small, and
    some devices have no float64.
    """
    result = _KernelFreeEnergy.apply(cost, solve)
    assert isinstance(result, Tensor)
    return result
