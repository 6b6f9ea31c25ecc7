"""The token-MLP mixer of TRM and EqR: one SwiGLU across positions, one across channels."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor, nn

from erm.model.config import ReasonerConfig
from erm.model.inputs import Inputs
from erm.model.layers import SwiGLU, rms_norm


class TokenMLPBlock(nn.Module):
    """Mixes positions, then channels; each is residual and normed after the sum."""

    def __init__(self, config: ReasonerConfig) -> None:
        super().__init__()
        self.prefix = config.prefix
        self.positions = SwiGLU(config.prefix + config.length, config.expansion)
        self.channels = SwiGLU(config.hidden, config.expansion)

    def forward(self, z: Float[Tensor, "B m h"], inputs: Inputs) -> Float[Tensor, "B m h"]:
        # The official code norms the transposed state, so this norm runs over positions.
        across, mask = z.transpose(1, 2), inputs.mask(self.prefix)
        if mask is not None:
            mask = mask[:, None]
            across = across * mask
        z = rms_norm(across + self.positions(across), mask=mask).transpose(1, 2)
        return rms_norm(z + self.channels(z))
