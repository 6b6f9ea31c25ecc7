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

WINDOW = [(row, column) for row in range(3) for column in range(3)]
NEIGHBOURS = [place for place in WINDOW if place != (1, 1)]


class StructuredBlock(nn.Module):
    """One MLP a variable over itself, the means of its groups, messages along the scopes of its
    rules and its 3x3 neighbourhood.

    The MLP's first layer is linear, so a group's share of it is computed once a group and then
    spread over the cells, which costs a third of concatenating the means. A cell either sees
    its neighbours whole or gets a short message from each, which costs a quarter of it.
    """

    def __init__(self, config: ReasonerConfig) -> None:
        super().__init__()
        hidden, inner = config.hidden, config.inner
        kinds = len(config.kinds)
        sources = 1 + config.partitions + config.interchangeable + config.lattice + kinds
        scale = 1 / math.sqrt(sources)
        self.own = linear(hidden, inner, bias=True, scale=scale)
        self.groups = nn.ParameterList(
            linear(hidden, inner, scale=scale).weight for _ in range(config.partitions)
        )
        self.states = linear(hidden, inner, scale=scale) if config.interchangeable else None
        self.ask = nn.ParameterList(linear(hidden, hidden).weight for _ in range(kinds))
        self.tell = nn.ParameterList(
            linear(hidden, inner, scale=scale).weight for _ in range(kinds)
        )
        self.say = self.around = None
        if config.lattice:
            seen = len(WINDOW) * hidden
            messages = len(NEIGHBOURS) * config.messages
            self.say = linear(hidden, messages) if messages else None
            self.around = linear(messages or seen, inner, scale=scale)
        self.out = linear(inner, hidden, scale=0.3)

    def forward(self, z: Float[Tensor, "B n V h"], inputs: Inputs) -> Float[Tensor, "B n V h"]:
        inner = self.own(z)
        if len(self.groups):
            inner = inner + self._from_groups(z, inputs)
        if self.states is not None:
            inner = inner + self.states(z.mean(2, keepdim=True))
        if len(self.ask):
            inner = inner + self._along_scopes(z, inputs)
        if self.around is not None:
            inner = inner + self.around(self._from_neighbours(z, inputs.shape))
        return rms_norm(z + self.out(F.silu(inner)))

    def _from_groups(self, z: Float[Tensor, "B n V h"], inputs: Inputs) -> Float[Tensor, "B n V m"]:
        batch, cells, variables, hidden = z.shape
        means = torch.bmm(inputs.gather.to(z.dtype), z.reshape(batch, cells, variables * hidden))
        means = means.reshape(batch, len(self.groups), -1, hidden)
        shares = [F.linear(means[:, p], weight) for p, weight in enumerate(self.groups)]
        shares = torch.cat(shares, 1).reshape(batch, -1, variables * shares[0].shape[-1])
        return torch.bmm(inputs.spread.to(z.dtype), shares).reshape(batch, cells, variables, -1)

    def _along_scopes(
        self, z: Float[Tensor, "B n V h"], inputs: Inputs
    ) -> Float[Tensor, "B n V m"]:
        """Cells to scopes to cells: a scope makes something of the mean of its cells, and each
        of them gets it; weights are those of the kind of rule."""
        if inputs.exchange is None:
            raise ValueError("cells exchange messages along scopes only inside of a step")
        batch, cells, variables, hidden = z.shape
        flat = z.reshape(batch, cells, variables * hidden)
        total = z.new_zeros(())
        exchange = zip(*inputs.exchange, self.ask, self.tell, strict=True)
        for gather, spread, ask, tell in exchange:
            means = torch.bmm(gather.to(z.dtype), flat).reshape(batch, -1, variables, hidden)
            sent = F.linear(F.silu(F.linear(means, ask)), tell).flatten(2)
            total = total + torch.bmm(spread.to(z.dtype), sent)
        return total.reshape(batch, cells, variables, -1)

    def _from_neighbours(
        self, z: Float[Tensor, "B n V h"], shape: tuple[int, int]
    ) -> Float[Tensor, "B n V around"]:
        if self.say is None:
            return side_by_side(z, shape, dict.fromkeys(WINDOW, slice(None)))
        said = self.say(z)
        width = said.shape[-1] // len(NEIGHBOURS)
        parts = {
            place: slice(number * width, (number + 1) * width)
            for number, place in enumerate(NEIGHBOURS)
        }
        return side_by_side(said, shape, parts)


def side_by_side(
    values: Float[Tensor, "B n V c"], shape: tuple[int, int], parts: dict[tuple[int, int], slice]
) -> Float[Tensor, "B n V around"]:
    """For each cell the named parts of its neighbours' values, zero beyond the edge.

    A place (1, 1) is the cell itself, (0, 1) the one above. A matrix product follows instead of
    a convolution, whose compiled gradient is wrong on the CPU with torch 2.13.
    """
    batch, cells, variables, _ = values.shape
    height, width = shape
    board = F.pad(values.reshape(batch, height, width, variables, -1), (0, 0, 0, 0, 1, 1, 1, 1))
    shifted = [
        board[:, row : row + height, column : column + width, :, part]
        for (row, column), part in parts.items()
    ]
    return torch.cat(shifted, -1).reshape(batch, cells, variables, -1)
