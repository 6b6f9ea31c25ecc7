"""Networks of your own: any module with `start`, `step` and `sizes` as a reasoner."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from erm.errors import InputError
from erm.model.codec import Prediction
from erm.model.config import ReasonerConfig
from erm.model.inputs import Inputs
from erm.model.layers import Draw, normal_like
from erm.model.noise import Draws, Purpose
from erm.model.reasoner import Carry, Reasoner
from erm.plugins import somebodys
from erm.types import Encoding

METHODS = "start", "step", "sizes"
FIRST_NOISE, FIRST_DRAW = 1 << 8, 1 << 16
"""Purposes from which the noise on further parts of a carry, and a network's own draws, count."""


Normal = Callable[..., Tensor]
"""`draw(*shape)`: standard normal numbers [B, *shape]; in a search they are each candidate's own,
whatever it runs beside."""


@runtime_checkable
class OwnNetwork(Protocol):
    """What a module needs to be searched, tempered and evaluated.

    A carry is a floating-point tensor, or a tuple of them, with the batch first.
    """

    def sizes(self) -> tuple[int, int]:
        """The most cells of a board, and the number of tokens."""
        ...

    def start(self, tokens: Tensor, draw: Normal) -> Tensor | tuple[Tensor, ...]:
        """The carry before the first step, for boards [B, n] of the task's tokens."""
        ...

    def step(self, carry: Any, tokens: Tensor, draw: Normal) -> tuple:
        """The next carry, logits [B, n, S] of the states, and q [B] where the network has one."""
        ...


class OwnReasoner(Reasoner):
    """A network of your own with the interface of a reasoner."""

    network: Any
    """An `OwnNetwork`, which is a module too."""

    def __init__(self, network: nn.Module) -> None:
        nn.Module.__init__(self)
        name = type(network).__name__
        lacking = [one for one in METHODS if not callable(getattr(network, one, None))]
        if not isinstance(network, nn.Module) or lacking:
            raise InputError(
                f"a network is a torch.nn.Module with the methods {', '.join(METHODS)}; {name} "
                + (f"lacks {', '.join(lacking)}" if lacking else "is no torch.nn.Module")
            )
        self.network, self.name = network, name
        self._is_tuple = False
        self.config = ReasonerConfig()
        """Its logits are those of states, as a structured reasoner's are."""
        if not any(True for _ in network.parameters()):
            raise InputError(f"the network {name} has no parameters")
        with self._guarded():
            self.cells, self.tokens = map(int, self.network.sizes())

    @property
    def kind(self) -> str:
        return self.name

    def refusal(self, encoding: Encoding) -> str | None:
        """Why the network cannot read a board; None where it can."""
        if len(encoding.tokens) > self.cells:
            cells = len(encoding.tokens)
            return f"{self.name} reads boards of up to {self.cells} cells, got {cells}"
        if (largest := int(encoding.tokens.max())) >= self.tokens:
            return f"{self.name} has {self.tokens} tokens, but a board has token {largest}"
        return None

    def compile_step(self, rows: int | None = None, backend: str = "inductor") -> Reasoner:
        raise InputError(f"{self.name} is not compiled here; compile it before it is given")

    def start(self, inputs: Inputs, draw: Draw) -> Carry:
        with self._guarded():
            carry = self.network.start(inputs.tokens, _normal(draw, inputs))
        return self._packed(carry, len(inputs))

    def step(
        self,
        carry: Carry,
        inputs: Inputs,
        draw: Draw,
        sigma: float | Tensor | None = None,
        path_noise: float | None = None,
    ) -> tuple[Carry, Prediction]:
        """One step; `sigma` is noise on every part of the carry before it."""
        if path_noise:
            raise InputError(f"path noise is not for {self.name}; sigma is noise on its carry")
        parts = [carry.z_H, *carry.more]
        if isinstance(sigma, Tensor) or sigma:
            for place, part in enumerate(parts):
                purpose = FIRST_NOISE + place if place else Purpose.STEP_H
                scale = sigma
                if isinstance(sigma, Tensor):
                    scale = sigma.to(part).reshape(-1, *[1] * (part.dim() - 1))
                parts[place] = part + scale * normal_like(part, draw, purpose)
        given = tuple(parts) if self._is_tuple else parts[0]
        with self._guarded():
            new, logits, *q = self.network.step(given, inputs.tokens, _normal(draw, inputs))
        wanted = tuple(inputs.domain.shape)
        if not isinstance(logits, Tensor) or tuple(logits.shape) != wanted:
            got = tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
            raise InputError(
                f"{self.name}.step must give logits {wanted} (batch, cells, states), got {got}"
            )
        halt = q[0] if q and q[0] is not None else logits.new_zeros(len(logits))
        if not isinstance(halt, Tensor) or tuple(halt.shape) != (len(logits),):
            raise InputError(f"{self.name}.step must give one q a board, {len(logits)} of them")
        return self._packed(new, len(inputs)), Prediction(logits.float(), halt.float())

    def energy(self, carry: Carry, inputs: Inputs) -> Float[Tensor, " B"] | None:
        return None

    def _packed(self, carry: Any, batch: int) -> Carry:
        self._is_tuple = isinstance(carry, tuple | list)
        parts = carry if isinstance(carry, tuple | list) else (carry,)
        fits = [
            isinstance(part, Tensor)
            and part.is_floating_point()
            and part.dim() > 1
            and len(part) == batch
            for part in parts
        ]
        if not fits or not all(fits):
            raise InputError(
                f"the carry of {self.name} must be floating-point tensors [{batch}, ...], with the "
                "batch first"
            )
        return Carry(parts[0], parts[0], tuple(parts[1:]))

    def _guarded(self) -> AbstractContextManager[None]:
        return somebodys(f"the network {self.name}")


def as_reasoner(network: nn.Module) -> Reasoner:
    """One of ours as it is, any other wrapped."""
    return network if isinstance(network, Reasoner) else OwnReasoner(network)


def _normal(draw: Draw, inputs: Inputs) -> Normal:
    """The draws of one start or step; each call has numbers of its own."""
    calls = iter(range(FIRST_DRAW, 2 * FIRST_DRAW))
    device = inputs.tokens.device

    def numbers(*shape: int) -> Tensor:
        if isinstance(draw, Draws):
            return draw.normal(shape, next(calls)).to(device)
        return torch.randn(len(inputs), *shape, generator=draw, device=draw.device).to(device)

    return numbers
