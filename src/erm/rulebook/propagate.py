"""Propagation: what the rules together leave of a domain, pruned and probed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from erm.rulebook.check import check_pruned
from erm.rulebook.propagation.engine import prune_rows
from erm.rulebook.propagation.search import probe_states
from erm.rulebook.rules import Rules


def prune(rules: Rules, domain: Bool[np.ndarray, "b n S"]) -> Bool[np.ndarray, "b n S"]:
    """What is left of each domain once no rule finds anything more to rule out.

    No answer is lost. A row in which some cell has no state left holds none; such a row
    comes back all empty.
    """
    program, others = rules.pruning
    pruned = prune_rows(program, np.ascontiguousarray(domain))
    going = np.arange(len(pruned)) if others else ()
    while len(going):
        before = after = pruned[going]
        for rule in others:
            after = check_pruned(rule, after, rule.prune(after))
        changed = (after != before).any((1, 2))
        going = going[changed]
        pruned[going] = prune_rows(program, after[changed])
    return pruned


def prune_batch(
    rules: Sequence[Rules], domain: Bool[np.ndarray, "b n S"]
) -> Bool[np.ndarray, "b n S"]:
    """`prune` for boards of one size: row i under the i-th rules."""
    if len(rules) != len(domain):
        raise ValueError(f"{len(domain)} domains were given for the rules of {len(rules)} boards")
    pruned = np.empty_like(domain)
    for row, own in enumerate(rules):
        pruned[row] = prune(own, domain[row : row + 1])[0]
    return pruned


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
    program, others = rules.pruning
    if not others:
        arrays = (array.cpu().numpy() for array in (domain, cells, states))
        refuted, pruned = probe_states(program, *map(np.ascontiguousarray, arrays))
        return torch.from_numpy(pruned).to(domain.device) if refuted else None
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
