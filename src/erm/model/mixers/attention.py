"""The attention mixer of TRM and EqR: every position sees every other, with rotary positions."""

from __future__ import annotations

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from erm.model.config import ReasonerConfig
from erm.model.inputs import Inputs
from erm.model.layers import SwiGLU, linear, rms_norm
from erm.model.rotary import Rotary


class SelfAttention(nn.Module):
    """Multi-head attention without a causal mask; q, k and v come from one projection."""

    def __init__(self, config: ReasonerConfig) -> None:
        super().__init__()
        self.heads, self.prefix = config.heads, config.prefix
        self.qkv = linear(config.hidden, 3 * config.hidden)
        self.out = linear(config.hidden, config.hidden)
        self.rotary = Rotary.of(config)

    def forward(self, z: Float[Tensor, "B m h"], inputs: Inputs) -> Float[Tensor, "B m h"]:
        batch, positions, hidden = z.shape
        qkv = self.qkv(z).view(batch, positions, 3, self.heads, -1)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        if self.rotary is not None:
            query, key = self.rotary(query, inputs), self.rotary(key, inputs)
        mask = inputs.mask(self.prefix)
        seen = None if mask is None else mask[:, None, None]
        mixed = F.scaled_dot_product_attention(query, key, value, seen)
        return self.out(mixed.transpose(1, 2).reshape(batch, positions, hidden))


class AttentionBlock(nn.Module):
    """Attention, then SwiGLU across channels; each is residual and normed after the sum."""

    def __init__(self, config: ReasonerConfig) -> None:
        super().__init__()
        self.attention = SelfAttention(config)
        self.channels = SwiGLU(config.hidden, config.expansion)

    def forward(self, z: Float[Tensor, "B m h"], inputs: Inputs) -> Float[Tensor, "B m h"]:
        z = rms_norm(z + self.attention(z, inputs))
        return rms_norm(z + self.channels(z))
