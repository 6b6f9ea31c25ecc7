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
from erm.model.layers import linear, rms_norm


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
        self.around = linear(9 * hidden, inner, scale=scale) if config.lattice else None
        self.out = linear(inner, hidden, scale=0.3)

    def forward(self, z: Float[Tensor, "B n V h"], inputs: Inputs) -> Float[Tensor, "B n V h"]:
        inner = self.own(z)
        if len(self.groups):
            inner = inner + self._from_groups(z, inputs)
        if self.states is not None:
            inner = inner + self.states(z.mean(2, keepdim=True))
        if self.around is not None:
            inner = inner + self.around(_neighbourhoods(z, inputs.shape))
        return rms_norm(z + self.out(F.silu(inner)))

    def _from_groups(self, z: Float[Tensor, "B n V h"], inputs: Inputs) -> Float[Tensor, "B n V m"]:
        batch, cells, variables, hidden = z.shape
        means = torch.bmm(inputs.gather.to(z.dtype), z.reshape(batch, cells, variables * hidden))
        means = means.reshape(batch, len(self.groups), -1, hidden)
        shares = [F.linear(means[:, p], weight) for p, weight in enumerate(self.groups)]
        shares = torch.cat(shares, 1).reshape(batch, -1, variables * shares[0].shape[-1])
        return torch.bmm(inputs.spread.to(z.dtype), shares).reshape(batch, cells, variables, -1)


def _neighbourhoods(
    z: Float[Tensor, "B n V h"], shape: tuple[int, int]
) -> Float[Tensor, "B n V 9h"]:
    """Each cell's 3x3 neighbourhood side by side, zero beyond the edge.

    A matrix product follows instead of a convolution, whose compiled gradient is wrong on the
    CPU with torch 2.13.
    """
    batch, _, variables, hidden = z.shape
    height, width = shape
    board = F.pad(z.reshape(batch, height, width, variables, hidden), (0, 0, 0, 0, 1, 1, 1, 1))
    shifted = [
        board[:, row : row + height, column : column + width]
        for row in range(3)
        for column in range(3)
    ]
    return torch.cat(shifted, -1).reshape(batch, height * width, variables, 9 * hidden)
