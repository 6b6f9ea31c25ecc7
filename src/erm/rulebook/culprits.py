"""Which cells of a scope are to blame where no pattern of its memory fits."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool

from erm.rulebook.memory import Memory


@runtime_checkable
class BlamingMemory(Memory, Protocol):
    """A memory that knows by itself whom to blame."""

    def culprits(self, domain: Bool[np.ndarray, "s S"]) -> Bool[np.ndarray, " s"]:
        """Cells whose states alone no pattern allows, where none lies within the domain."""
        ...


def culprits(memory: Memory, domain: Bool[np.ndarray, "s S"]) -> Bool[np.ndarray, " s"]:
    """The cells to point at in a scope of which the domain leaves no pattern: what they say rules
    every pattern out, whatever the others become. Of a memory without any pattern, all."""
    if isinstance(memory, BlamingMemory):
        found = memory.culprits(domain)
    else:
        found = irreducible(memory, domain)
    return found if found.any() else np.ones(len(domain), bool)


def irreducible(memory: Memory, domain: Bool[np.ndarray, "s S"]) -> Bool[np.ndarray, " s"]:
    """Cells of which none can be spared; for any memory, since only `supported` is asked."""
    relaxed, kept = domain.copy(), np.asarray(~domain.all(-1))
    for cell in np.flatnonzero(kept):
        relaxed[cell] = True
        if memory.supported(relaxed[None])[0].any():
            relaxed[cell] = domain[cell]
        else:
            kept[cell] = False
    return kept
