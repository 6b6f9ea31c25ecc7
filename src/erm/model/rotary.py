"""Rotary positions: each head's query and key turn by angles that grow with the position."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from erm.model.config import ReasonerConfig

BASE = 10_000.0


class Rotary(nn.Module):
    """Turns the last dimension of [.., m, d]; one share of it for each axis of the board.

    Within a share the first half is paired with the second half, as the official code does:
    1-D has one axis, the position in the sequence; 2-D has the row and then the column.
    """

    cos: Tensor
    sin: Tensor

    def __init__(self, coordinates: Float[Tensor, "m axes"], width: int) -> None:
        super().__init__()
        share = width // coordinates.shape[1]
        frequencies = BASE ** -(_count(share, 2) / share)
        device = torch.get_default_device()
        if device.type == "meta":  # Only shapes are wanted, of whatever size a stranger asks for.
            coordinates, frequencies = coordinates.to(device), frequencies.to(device)
        angles = coordinates[..., None] * frequencies
        # Tables are rebuilt from the config, so checkpoints do not hold them.
        self.register_buffer("cos", angles.cos().to(device), persistent=False)
        self.register_buffer("sin", angles.sin().to(device), persistent=False)

    @classmethod
    def of(cls, config: ReasonerConfig) -> Rotary | None:
        """The configured rotation, or None for no positions at all."""
        if config.rope == "none":
            return None
        width = config.hidden // config.heads
        if config.rope == "1d":
            return cls(_count(config.prefix + config.length)[:, None], width)
        assert config.board is not None
        return cls(torch.cartesian_prod(*map(_count, config.board)), width)

    def forward(self, vectors: Float[Tensor, "*b m d"]) -> Float[Tensor, "*b m d"]:
        return self._turn(vectors, self.sin)

    def back(self, vectors: Float[Tensor, "*b m d"]) -> Float[Tensor, "*b m d"]:
        """The inverse rotation, which is also the transpose."""
        return self._turn(vectors, -self.sin)

    def _turn(self, vectors: Tensor, sin: Tensor) -> Tensor:
        axes = self.cos.shape[1]
        first, second = vectors.unflatten(-1, (axes, 2, -1)).unbind(-2)
        cos, sin = self.cos.to(vectors), sin.to(vectors)
        turned = torch.stack([first * cos - second * sin, second * cos + first * sin], -2)
        return turned.flatten(-3)


def _count(end: int, step: int = 1) -> Float[Tensor, " m"]:
    """0, step, ... below `end`; always computed by the CPU, so tables agree on every device."""
    return torch.arange(0, end, step, device="cpu").float()
