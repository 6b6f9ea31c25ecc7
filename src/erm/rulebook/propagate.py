"""Propagation: what the rules together leave of a domain, pruned and probed."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from erm.rulebook.rules import Rules


def prune(rules: Rules, domain: Bool[np.ndarray, "b n S"]) -> Bool[np.ndarray, "b n S"]:
    """What is left of each domain once no rule finds anything more to rule out.

    No answer is lost. A row in which some cell has no state left holds none; such a row
    comes back all empty.
    """
    domain = domain & rules.domain
    going = np.arange(len(domain))
    while len(going):
        before = after = domain[going]
        for rule in rules.pruners:
            after = rule.prune(after)
        alive = np.logical_and.reduce(np.logical_or.reduce(after, axis=2), axis=1)
        after = after & alive[:, None, None]
        domain[going] = after
        going = going[(after != before).any((1, 2)) & after.any((1, 2))]
    return domain


def prune_tensors(rules: Rules, domain: Bool[Tensor, "b n S"]) -> Bool[Tensor, "b n S"]:
    """`prune` for domains that live on a device."""
    return torch.from_numpy(prune(rules, domain.cpu().numpy())).to(domain.device)


def probe(
    rules: Rules,
    domain: Bool[Tensor, "n S"],
    cells: Int[Tensor, " p"],
    states: Int[Tensor, " p"],
) -> Bool[Tensor, "n S"] | None:
    """The domain without those of the states that leave no answer when tried, each by itself.

    It comes back pruned, all empty where nothing is left; None where no state is refuted.
    """
    tried = domain.repeat(len(cells), 1, 1)
    rows = torch.arange(len(cells))
    tried[rows, cells] = False
    tried[rows, cells, states] = True
    refuted = ~prune_tensors(rules, tried).flatten(1).any(1)
    if not refuted.any():
        return None
    rest = domain.clone()
    rest[cells[refuted], states[refuted]] = False
    return prune_tensors(rules, rest[None])[0]
