"""The structured mixer: information flows along the groups and neighbourhoods of the rulebook.

No absolute positions, so one set of weights serves every board size.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from erm.model.config import ReasonerConfig
from erm.model.inputs import Inputs
from erm.model.layers import initialise, linear, rms_norm


class StructuredBlock(nn.Module):
    """One MLP a variable over itself, the means of its groups and its 3x3 neighbourhood.

    The MLP's first layer is linear, so a group's share of it is computed once a group and then
    spread over the cells, which costs a third of concatenating the means.
    """

    def __init__(self, config: ReasonerConfig) -> None:
        super().__init__()
        hidden, inner = config.hidden, config.inner
        sources = 1 + config.partitions + config.interchangeable + config.lattice
        scale = 1 / math.sqrt(sources)
        self.own = linear(hidden, inner, bias=True, scale=scale)
        self.groups = nn.ParameterList(
            linear(hidden, inner, scale=scale).weight for _ in range(config.partitions)
        )
        self.states = linear(hidden, inner, scale=scale) if config.interchangeable else None
        self.around = nn.Conv2d(hidden, inner, 3, padding=1, bias=False) if config.lattice else None
        if self.around is not None:
            initialise(self.around.weight, scale / math.sqrt(9 * hidden), cut=False)
        self.out = linear(inner, hidden)

    def forward(self, z: Float[Tensor, "B n V h"], inputs: Inputs) -> Float[Tensor, "B n V h"]:
        batch, cells, variables, hidden = z.shape
        inner = self.own(z)
        if len(self.groups):
            inner = inner + self._from_groups(z, inputs)
        if self.states is not None:
            inner = inner + self.states(z.mean(2, keepdim=True))
        if self.around is not None:
            board = z.permute(0, 2, 3, 1).reshape(batch * variables, hidden, *inputs.shape)
            around = self.around(board.contiguous(memory_format=torch.channels_last))
            inner = inner + around.reshape(batch, variables, -1, cells).permute(0, 3, 1, 2)
        return rms_norm(z + self.out(F.silu(inner)))

    def _from_groups(self, z: Float[Tensor, "B n V h"], inputs: Inputs) -> Float[Tensor, "B n V m"]:
        batch, cells, variables, hidden = z.shape
        means = torch.bmm(inputs.gather.to(z.dtype), z.reshape(batch, cells, variables * hidden))
        means = means.reshape(batch, len(self.groups), -1, hidden)
        shares = [F.linear(means[:, p], weight) for p, weight in enumerate(self.groups)]
        shares = torch.cat(shares, 1).reshape(batch, -1, variables * shares[0].shape[-1])
        return torch.bmm(inputs.spread.to(z.dtype), shares).reshape(batch, cells, variables, -1)
