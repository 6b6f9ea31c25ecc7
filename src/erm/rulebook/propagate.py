"""Propagation: what the rules together leave of a domain, pruned."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool

from erm.rulebook.check import check_pruned
from erm.rulebook.propagation.engine import prune_rows
from erm.rulebook.rules import Rules


@dataclass
class Tally:
    """How much the rules propagated in this process: accounting, never read by a search."""

    boards: int = 0
    """Domains that were propagated to the fixed point; a guess of a complete search is one."""
    seconds: float = 0.0

    def add(self, boards: int, began: float) -> None:
        self.boards += boards
        self.seconds += time.perf_counter() - began


tally = Tally()


def prune(rules: Rules, domain: Bool[np.ndarray, "b n S"]) -> Bool[np.ndarray, "b n S"]:
    """What is left of each domain once no rule finds anything more to rule out.

    No answer is lost. A row in which some cell has no state left holds none; such a row
    comes back all empty.
    """
    began = time.perf_counter()
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
    tally.add(len(domain), began)
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
