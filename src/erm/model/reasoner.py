"""The recursion: one small network applied again and again to two latent states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor, nn

from erm.model.codec import Prediction, TokenCodec, VariableCodec, advice_channels
from erm.model.config import ReasonerConfig
from erm.model.device import compiled
from erm.model.exchange import Exchange, exchange_of
from erm.model.inputs import Inputs
from erm.model.layers import Draw, normal_like, path_noise_like, truncated_normal_like
from erm.model.mixers import make_block
from erm.model.mixers.energy_transformer import EnergyTransformerBlock
from erm.model.noise import Purpose
from erm.rulebook.retrieve import advise


@dataclass(frozen=True, eq=False)
class Carry:
    """The latent states between steps."""

    z_H: Float[Tensor, "B *m h"]
    z_L: Float[Tensor, "B *m h"]
    more: tuple[Tensor, ...] = ()
    """Further states, of networks that are not ours (`own`)."""

    def _map(self, change) -> Carry:
        return Carry(change(self.z_H), change(self.z_L), tuple(map(change, self.more)))

    def detach(self) -> Carry:
        return self._map(lambda tensor: tensor.detach())

    def clone(self) -> Carry:
        return self._map(lambda tensor: tensor.clone())

    def __getitem__(self, rows) -> Carry:
        return self._map(lambda tensor: tensor[rows])

    def __setitem__(self, rows, other: Carry) -> None:
        """Overwrite some rows in place."""
        self.z_H[rows] = other.z_H.to(self.z_H)
        self.z_L[rows] = other.z_L.to(self.z_L)
        for own, given in zip(self.more, other.more, strict=True):
            own[rows] = given.to(own)

    @staticmethod
    def cat(parts: Sequence[Carry]) -> Carry:
        return Carry(
            torch.cat([part.z_H for part in parts]),
            torch.cat([part.z_L for part in parts]),
            tuple(map(torch.cat, zip(*(part.more for part in parts), strict=True))),
        )


class Reasoner(nn.Module):
    """`start` a carry, then `step` it: each step refines the states and predicts an answer.

    Every random draw comes from the given generator, or from addresses (`noise.Draws`), in which
    case a candidate does not depend on the batch it is computed in.
    """

    H_init: Tensor
    L_init: Tensor

    def __init__(self, config: ReasonerConfig) -> None:
        super().__init__()
        self.config = config
        self.codec = VariableCodec(config) if config.structured else TokenCodec(config)
        self.blocks = nn.ModuleList(make_block(config) for _ in range(config.layers))
        self.h_blocks = nn.ModuleList(make_block(config) for _ in range(config.h_layers))
        if not config.random_start:
            for name in ("H_init", "L_init"):
                empty, draw = torch.empty(config.hidden), torch.default_generator
                drawn = truncated_normal_like(empty, draw, Purpose.START_H)
                self.register_buffer(name, drawn)
        self._advance = self.advance

    def compile_step(self, rows: int | None = None, backend: str = "inductor") -> Reasoner:
        """Compile the inside of a step; draws stay outside, so compiled runs repeat too.

        With `rows`, calls of any other number of rows stay as they are: a shape is compiled once.
        """
        fast = compiled(self.advance, backend)

        def advance(z_H: Tensor, *others):
            return (fast if rows in (None, len(z_H)) else self.advance)(z_H, *others)

        self._advance = advance
        return self

    def start(self, inputs: Inputs, draw: Draw) -> Carry:
        """The states before the first step: EqR's random draw, or TRM's learned one."""
        self.codec.check(inputs)
        weight = self.codec.write.weight
        empty = weight.new_empty(self.codec.latent_shape(inputs))
        if self.config.random_start:
            z_H = truncated_normal_like(empty, draw, Purpose.START_H)
            z_L = truncated_normal_like(empty, draw, Purpose.START_L)
            return Carry(z_H, z_L)
        return Carry(self.H_init.expand_as(empty).clone(), self.L_init.expand_as(empty).clone())

    def step(
        self,
        carry: Carry,
        inputs: Inputs,
        draw: Draw,
        sigma: float | Tensor | None = None,
        path_noise: float | None = None,
    ) -> tuple[Carry, Prediction]:
        """One outer step; `sigma` overrides the config's noise on z before it (PTRM), `path_noise`
        that at every update (beta of EqR).

        A tensor of sigmas [B] gives each row its own, as a tempering ladder does.
        """
        z_H, z_L = carry.z_H, carry.z_L
        sigma = self.config.step_noise if sigma is None else sigma
        if isinstance(sigma, Tensor):
            sigma = sigma.to(z_H).reshape(-1, *[1] * (z_H.dim() - 1))
        if isinstance(sigma, Tensor) or sigma:
            z_H = z_H + sigma * normal_like(z_H, draw, Purpose.STEP_H)
            z_L = z_L + sigma * normal_like(z_L, draw, Purpose.STEP_L)
        noise, beta = None, self.config.path_noise if path_noise is None else path_noise
        if beta:
            updates = self.config.h_cycles * (self.config.l_cycles + 1)
            noise = beta * path_noise_like(z_H, draw, updates)
        advice = self.advice(z_H, inputs)
        tensors = replace(inputs.without_rules(), exchange=self.exchange(inputs))
        z_H, z_L, prediction = self._advance(z_H, z_L, tensors, noise, advice)
        return Carry(z_H, z_L), prediction

    def exchange(self, inputs: Inputs) -> Exchange | None:
        """The scopes along which cells exchange messages, where the reasoner does."""
        if not self.config.kinds:
            return None
        if inputs.rules is None:
            raise ValueError("a reasoner that mixes along scopes needs inputs with rules")
        return exchange_of(inputs.rules, self.config.kinds, inputs.domain.device)

    @torch.no_grad()
    def advice(self, z_H: Tensor, inputs: Inputs) -> Float[Tensor, "B n S M"] | None:
        """The rulebook's answer to the marginals of z_H, an input of the next step; None where the
        reasoner takes no advice."""
        channels = advice_channels(self.config)
        if channels is None:
            return None
        if inputs.rules is None or not isinstance(self.codec, VariableCodec):
            raise ValueError("a reasoner with advice needs inputs with rules")
        marginals = self.codec.marginals(z_H, inputs)
        return torch.from_numpy(advise(inputs.rules, marginals.cpu().numpy(), channels)).to(
            z_H.device
        )

    def advance(
        self,
        z_H: Tensor,
        z_L: Tensor,
        inputs: Inputs,
        noise: Tensor | None,
        advice: Tensor | None = None,
    ) -> tuple[Tensor, Tensor, Prediction]:
        """The deterministic inside of a step: H_cycles - 1 rounds without gradient, one with.

        With separate networks only the last update of each state has a gradient.
        """
        x = self.codec.embed(inputs, advice)
        updates = iter(noise) if noise is not None else None
        cycles = self.config.l_cycles
        last = 1 if self.config.h_layers else cycles
        with torch.no_grad():
            for _ in range(self.config.h_cycles - 1):
                z_L = self._update_L(z_H, z_L, x, inputs, updates, cycles)
                z_H = self._update(self._H_blocks, z_H, z_L, inputs, updates)
            z_L = self._update_L(z_H, z_L, x, inputs, updates, cycles - last)
        z_L = self._update_L(z_H, z_L, x, inputs, updates, last)
        z_H = self._update(self._H_blocks, z_H, z_L, inputs, updates)
        return z_H, z_L, self.codec.answer(z_H, inputs)

    @property
    def _H_blocks(self) -> nn.ModuleList:
        """The network that updates z_H."""
        return self.h_blocks if self.config.h_layers else self.blocks

    def _update_L(self, z_H, z_L, x, inputs, updates, cycles: int) -> Tensor:
        for _ in range(cycles):
            z_L = self._update(self.blocks, z_L, z_H + x, inputs, updates)
        return z_L

    def _update(
        self, blocks: nn.ModuleList, z: Tensor, injection: Tensor, inputs: Inputs, updates
    ) -> Tensor:
        """z' = (1 - lambda) z + lambda f(z + injection) + beta eps."""
        new = z + injection
        for block in blocks:
            new = block(new, inputs)
        damping = self.config.damping
        if damping != 1:
            new = (1 - damping) * z + damping * new
        if updates is not None:
            new = new + next(updates)
        return new

    def energy(self, carry: Carry, inputs: Inputs) -> Float[Tensor, " B"] | None:
        """The network's own energy of a row, summed over the blocks that descend one each; lower
        is better. None where the mixer has none (the paper's EqR+ET has)."""
        blocks = [block for block in self._H_blocks if isinstance(block, EnergyTransformerBlock)]
        if not blocks:
            return None
        return torch.stack([block.energy(carry.z_H, inputs) for block in blocks]).sum(0)

    @property
    def kind(self) -> str:
        """What it is called in a line of text."""
        return self.config.mixer

    @property
    def parameter_count(self) -> int:
        return sum(parameter.numel() for parameter in self.parameters())
