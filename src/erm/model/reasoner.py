"""The recursion: one small network applied again and again to two latent states."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from erm.model.config import ReasonerConfig
from erm.model.inputs import Inputs
from erm.model.layers import Draw, normal_like, truncated_normal_like
from erm.model.mixers import make_block
from erm.model.mixers.energy_transformer import EnergyTransformerBlock
from erm.model.surface import Prediction, TokenSurface, VariableSurface


@dataclass(frozen=True, eq=False)
class Carry:
    """The latent states between steps."""

    z_H: Float[Tensor, "B *m h"]
    z_L: Float[Tensor, "B *m h"]

    def detach(self) -> Carry:
        return Carry(self.z_H.detach(), self.z_L.detach())

    def __getitem__(self, rows) -> Carry:
        return Carry(self.z_H[rows], self.z_L[rows])


class Reasoner(nn.Module):
    """`start` a carry, then `step` it: each step refines the states and predicts an answer.

    Every random draw comes from the given generator, or from one generator a row, in which
    case a candidate does not depend on the batch it is computed in.
    """

    H_init: Tensor
    L_init: Tensor

    def __init__(self, config: ReasonerConfig) -> None:
        super().__init__()
        self.config = config
        self.surface = VariableSurface(config) if config.structured else TokenSurface(config)
        self.blocks = nn.ModuleList(make_block(config) for _ in range(config.layers))
        if not config.random_start:
            for name in ("H_init", "L_init"):
                drawn = truncated_normal_like(torch.empty(config.hidden), torch.default_generator)
                self.register_buffer(name, drawn)
        self._advance = self.advance

    def compile_step(self, rows: int | None = None, **options) -> Reasoner:
        """Compile the inside of a step; draws stay outside, so compiled runs repeat too.

        With `rows`, calls of any other number of rows stay as they are: a shape is compiled once.
        """
        compiled = torch.compile(self.advance, **options)

        def advance(z_H: Tensor, *others):
            return (compiled if rows in (None, len(z_H)) else self.advance)(z_H, *others)

        self._advance = advance
        return self

    def start(self, inputs: Inputs, draw: Draw) -> Carry:
        """The states before the first step: EqR's random draw, or TRM's learned one."""
        self.surface.check(inputs)
        weight = self.surface.write.weight
        empty = weight.new_empty(self.surface.latent_shape(inputs))
        if self.config.random_start:
            return Carry(truncated_normal_like(empty, draw), truncated_normal_like(empty, draw))
        return Carry(self.H_init.expand_as(empty).clone(), self.L_init.expand_as(empty).clone())

    def step(
        self, carry: Carry, inputs: Inputs, draw: Draw, sigma: float | Tensor | None = None
    ) -> tuple[Carry, Prediction]:
        """One outer step; `sigma` overrides the config's noise on z before it (PTRM).

        A tensor of sigmas [B] gives each row its own, as a tempering ladder does.
        """
        z_H, z_L = carry.z_H, carry.z_L
        sigma = self.config.step_noise if sigma is None else sigma
        if isinstance(sigma, Tensor):
            sigma = sigma.to(z_H).reshape(-1, *[1] * (z_H.dim() - 1))
        if isinstance(sigma, Tensor) or sigma:
            z_H = z_H + sigma * normal_like(z_H, draw)
            z_L = z_L + sigma * normal_like(z_L, draw)
        noise = None
        if self.config.path_noise:
            updates = self.config.h_cycles * (self.config.l_cycles + 1)
            noise = torch.stack([normal_like(z_H, draw) for _ in range(updates)])
        z_H, z_L, prediction = self._advance(z_H, z_L, inputs, noise)
        return Carry(z_H, z_L), prediction

    def advance(
        self, z_H: Tensor, z_L: Tensor, inputs: Inputs, noise: Tensor | None
    ) -> tuple[Tensor, Tensor, Prediction]:
        """The deterministic inside of a step: H_cycles - 1 rounds without gradient, one with."""
        x = self.surface.embed(inputs)
        updates = iter(noise) if noise is not None else None
        with torch.no_grad():
            for _ in range(self.config.h_cycles - 1):
                z_H, z_L = self._round(z_H, z_L, x, inputs, updates)
        z_H, z_L = self._round(z_H, z_L, x, inputs, updates)
        return z_H, z_L, self.surface.answer(z_H, inputs)

    def _round(self, z_H, z_L, x, inputs, updates) -> tuple[Tensor, Tensor]:
        for _ in range(self.config.l_cycles):
            z_L = self._update(z_L, z_H + x, inputs, updates)
        return self._update(z_H, z_L, inputs, updates), z_L

    def _update(self, z: Tensor, injection: Tensor, inputs: Inputs, updates) -> Tensor:
        """z' = (1 - lambda) z + lambda f(z + injection) + beta eps."""
        new = z + injection
        for block in self.blocks:
            new = block(new, inputs)
        damping = self.config.damping
        if damping != 1:
            new = (1 - damping) * z + damping * new
        if updates is not None:
            new = new + self.config.path_noise * next(updates)
        return new

    def energy(self, carry: Carry, inputs: Inputs) -> Float[Tensor, " B"] | None:
        """The network's own energy of a row, summed over the blocks that descend one each; lower
        is better. None where the mixer has none (the paper's EqR+ET has)."""
        blocks = [block for block in self.blocks if isinstance(block, EnergyTransformerBlock)]
        if not blocks:
            return None
        return torch.stack([block.energy(carry.z_H, inputs) for block in blocks]).sum(0)

    @property
    def parameter_count(self) -> int:
        return sum(parameter.numel() for parameter in self.parameters())
