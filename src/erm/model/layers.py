"""What every network is made of: norms, linear layers, SwiGLU, and noise of a tensor's shape."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from erm.model.noise import Draws, Purpose

Draw = torch.Generator | Draws
"""Randomness: one generator for a batch, or numbers by address, by which rows do not depend on the
batch that they are drawn in."""


def rms_norm(z: Tensor, epsilon: float = 1e-5, mask: Tensor | None = None) -> Tensor:
    """Root-mean-square norm without a gain, in float32 or wider as the official code does.

    With a mask, the others of the last dimension are zero and do not count.
    """
    wide = z if z.dtype == torch.float64 else z.float()
    if mask is None:
        square = wide.square().mean(-1, keepdim=True)
    else:
        wide = wide * mask
        square = wide.square().sum(-1, keepdim=True) / mask.sum(-1, keepdim=True)
    return (wide * torch.rsqrt(square + epsilon)).to(z.dtype)


def normal_like(z: Tensor, draw: Draw, purpose: int) -> Tensor:
    """Standard normal noise of z's shape, drawn where the generator or the addresses are."""
    if isinstance(draw, Draws):
        return draw.normal(tuple(z.shape[1:]), purpose).to(z)
    return torch.randn(z.shape, generator=draw, device=draw.device, dtype=torch.float32).to(z)


def path_noise_like(z: Tensor, draw: Draw, updates: int) -> Tensor:
    """The same for each of so many updates of z, in one call; updates come first."""
    if isinstance(draw, Draws):
        return draw.normal((updates, *z.shape[1:]), Purpose.PATH).transpose(0, 1).to(z)
    return torch.stack([normal_like(z, draw, Purpose.PATH) for _ in range(updates)])


def truncated_normal_like(z: Tensor, draw: Draw, purpose: Purpose) -> Tensor:
    """Normal noise cut at two deviations and scaled to a standard deviation of 1 (EqR's start)."""
    if isinstance(draw, Draws):
        return draw.truncated_normal(tuple(z.shape[1:]), purpose).to(z)
    deviation_of_cut = 0.8796256610342398
    low = 0.5 * math.erfc(2.0 / math.sqrt(2.0))
    uniform = torch.rand(z.shape, generator=draw, device=draw.device)
    cut = torch.special.ndtri((low + (1 - 2 * low) * uniform).double())
    return (cut / deviation_of_cut).to(z)


def initialise(weight: Tensor, deviation: float, cut: bool = True) -> None:
    """Normal weights, cut at two deviations."""
    # On the meta device there is nothing to fill, yet filling would import torch's compiler.
    if weight.is_meta:
        return
    if cut:
        nn.init.trunc_normal_(weight, std=deviation, a=-2 * deviation, b=2 * deviation)
    else:
        nn.init.normal_(weight, std=deviation)


def linear(inputs: int, outputs: int, bias: bool = False, scale: float = 1.0) -> nn.Linear:
    """A linear layer with LeCun-normal weights, as the official code initialises them."""
    layer = nn.Linear(inputs, outputs, bias=bias)
    initialise(layer.weight, scale / math.sqrt(inputs))
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def swiglu_width(width: int, expansion: float) -> int:
    """Two thirds of the expansion, rounded up to a multiple of 256, as the official code does."""
    return -(-round(expansion * width * 2 / 3) // 256) * 256


class SwiGLU(nn.Module):
    """A gated MLP without biases over the last dimension.

    Where that is shorter than the layer, what is missing counts as zero and is not given back.
    """

    def __init__(self, width: int, expansion: float) -> None:
        super().__init__()
        inner = swiglu_width(width, expansion)
        self.gate_up = linear(width, 2 * inner)
        self.down = linear(inner, width)

    def forward(self, z: Tensor) -> Tensor:
        width = z.shape[-1]
        gate, up = F.linear(z, self.gate_up.weight[:, :width]).chunk(2, -1)
        return F.linear(F.silu(gate) * up, self.down.weight[:width])
