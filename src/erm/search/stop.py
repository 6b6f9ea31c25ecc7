"""Energy stopping: a puzzle is done when the lowest energy of its pool stops changing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from erm.errors import InputError

TINY = 1e-12


@dataclass(frozen=True)
class StoppingRule:
    """The paper's rule: relative change below 0.01 in two checks in a row, from step 5 on."""

    tolerance: float = 0.01
    """Relative change of the lowest energy below which it counts as unchanged."""
    checks: int = 2
    """Checks in a row that must find it unchanged."""
    minimum: int = 4
    """Steps before the first check."""

    def __post_init__(self) -> None:
        if self.tolerance < 0 or self.checks < 1 or self.minimum < 1:
            raise InputError(
                "energy stopping needs a tolerance of at least 0, one check or more and a "
                f"minimum of one step or more, got {self}"
            )

    def stops(self, energies: Sequence[float]) -> bool:
        """Whether to stop after the last of these best energies, one per step."""
        depth = len(energies)
        if depth < self.minimum + self.checks:
            return False
        recent = energies[-self.checks - 1 :]
        return all(
            abs(after - before) < self.tolerance * max(abs(before), TINY)
            for before, after in pairwise(recent)
        )

    def depth(self, energies: Sequence[float]) -> int:
        """The depth at which the rule stops along a whole curve of best energies."""
        for depth in range(1, len(energies) + 1):
            if self.stops(energies[:depth]):
                return depth
        return len(energies)
