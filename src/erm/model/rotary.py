"""Rotary positions: each head's query and key turn by angles that grow with the position."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from erm.model.config import ReasonerConfig
from erm.model.inputs import Inputs

BASE = 10_000.0


class Rotary(nn.Module):
    """Turns the last dimension of [.., m, d]; one share of it for each axis of the board.

    Within a share the first half is paired with the second half, as the official code does:
    1-D has one axis, the position in the sequence; 2-D has the row and then the column of the
    config's board or, for boards of other shapes, of each board itself.
    """

    cos: Tensor
    sin: Tensor

    def __init__(self, config: ReasonerConfig) -> None:
        super().__init__()
        self.flat, self.board = config.rope == "1d", config.board
        self.length = config.length
        reach = config.prefix + config.length if self.flat else max(config.board or (self.length,))
        share = config.hidden // config.heads // (1 if self.flat else 2)
        # As the official programs compute it: float32 rounds other forms otherwise.
        frequencies = 1.0 / BASE ** (_count(share, 2) / share)
        device, places = torch.get_default_device(), _count(reach)
        if device.type == "meta":  # Only shapes are wanted, of whatever size a stranger asks for.
            places, frequencies = places.to(device), frequencies.to(device)
        angles = places[:, None] * frequencies
        # Tables are rebuilt from the config, so checkpoints do not hold them.
        self.register_buffer("cos", angles.cos().to(device), persistent=False)
        self.register_buffer("sin", angles.sin().to(device), persistent=False)

    @classmethod
    def of(cls, config: ReasonerConfig) -> Rotary | None:
        """The configured rotation, or None for no positions at all."""
        return None if config.rope == "none" else cls(config)

    def forward(
        self, vectors: Float[Tensor, "*b m d"], inputs: Inputs | None = None
    ) -> Float[Tensor, "*b m d"]:
        return self._turn(vectors, inputs, 1)

    def back(
        self, vectors: Float[Tensor, "*b m d"], inputs: Inputs | None = None
    ) -> Float[Tensor, "*b m d"]:
        """The inverse rotation, which is also the transpose."""
        return self._turn(vectors, inputs, -1)

    def _turn(self, vectors: Tensor, inputs: Inputs | None, sign: int) -> Tensor:
        cos, sin = (table.to(vectors) for table in self._tables(vectors.shape[-2], inputs))
        first, second = vectors.unflatten(-1, (cos.shape[-2], 2, -1)).unbind(-2)
        sin = sign * sin
        turned = torch.stack([first * cos - second * sin, second * cos + first * sin], -2)
        return turned.flatten(-3)

    def _tables(self, positions: int, inputs: Inputs | None) -> tuple[Tensor, Tensor]:
        if self.flat:
            return self.cos[:positions, None], self.sin[:positions, None]
        places = self._places(positions, inputs)
        return self.cos[places], self.sin[places]

    def _places(self, positions: int, inputs: Inputs | None) -> Int[Tensor, "*b m 2"]:
        """Row and column of each position."""
        count = torch.arange(positions, device=self.cos.device)
        if inputs is None or (self.board and positions == self.length and not inputs.padded):
            assert self.board is not None, "without a board, rows and columns are those of inputs"
            width: int | Tensor = self.board[1]
        elif inputs.padded:
            width = inputs.sides[:, None, 1:]
        else:
            width = inputs.shape[1]
        # Padding may lie below the last row that there are angles for; nothing sees it.
        return torch.stack([count // width, count % width], -1).clamp(max=len(self.cos) - 1)


def _count(end: int, step: int = 1) -> Float[Tensor, " m"]:
    """0, step, ... below `end`; always computed by the CPU, so tables agree on every device."""
    return torch.arange(0, end, step, device="cpu").float()
