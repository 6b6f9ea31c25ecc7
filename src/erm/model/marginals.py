"""Reading a network's marginals: where to branch when nothing more follows."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

PLAUSIBLE = 0.03
"""States below this probability count as refuted when cells are compared."""
SETTLED = 0.98
"""A cell whose best state is above this probability is not worth a guess."""


def branching_cells(
    marginals: Float[Tensor, "B n S"],
    domain: Bool[Tensor, "B n S"],
    chance: Float[Tensor, "B n"],
) -> tuple[Int[Tensor, " B"], Bool[Tensor, " B"]]:
    """The open cell with the fewest plausible states, ties by chance, and whether there is one.

    Cells that the network is sure of come last.
    """
    open_cells = domain.sum(-1) > 1
    plausible = ((marginals > PLAUSIBLE) & domain).sum(-1)
    settled = marginals.amax(-1) >= SETTLED
    score = chance - plausible - domain.shape[-1] * settled
    return score.masked_fill(~open_cells, -torch.inf).argmax(-1), open_cells.any(-1)
