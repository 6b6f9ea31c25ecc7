"""Reading a network's marginals: where to branch when nothing more follows."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

PLAUSIBLE = 0.03
"""States below this probability count as refuted when cells are compared."""
SETTLED = 0.98
"""A cell whose best state is above this probability is not worth a guess."""
FLATTENING = 0.7
"""Guesses follow marginals to this power: a little bolder than the network is."""


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


def guessed_states(
    marginals: Float[Tensor, "B S"], domain: Bool[Tensor, "B S"], chance: Float[Tensor, "B 1"]
) -> Int[Tensor, " B"]:
    """A state of one cell a row, drawn from its flattened marginals by a uniform number."""
    likely = marginals.clamp(min=1e-6) ** FLATTENING * domain
    ladder = likely.cumsum(-1)
    return (ladder < chance * ladder[:, -1:]).sum(-1).clamp(max=domain.shape[-1] - 1)
