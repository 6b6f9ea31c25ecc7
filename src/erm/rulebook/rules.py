"""A rulebook applied to one puzzle: validity, violations, and what can prune."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int

from erm.rulebook.bounds import Bounds
from erm.rulebook.factor import Factor
from erm.rulebook.potential import Potential, Pruner

OPEN = -1
"""The state of a cell that an unfinished answer leaves open."""


@dataclass(frozen=True)
class Violation:
    """One broken rule, with the cells to look at."""

    rule: str
    cells: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Rules:
    """A rulebook applied to one puzzle: what energy, violations and validity are derived from.

    States here count from 0; `Task` translates the answers' own states.
    """

    domain: Bool[np.ndarray, "n S"]
    factors: Sequence[Factor]
    potentials: Sequence[Potential]
    printed: str = "clue"
    """Name of the rule that each cell keeps to its domain, a memory of one cell's states."""
    implied: Callable[[], Sequence[Pruner]] = tuple
    """What follows from several rules at once, made only where something is pruned."""

    def in_domain(self, states: Int[np.ndarray, "*k n"]) -> Bool[np.ndarray, "*k n"]:
        """Which cells keep to what is printed."""
        return self.domain[np.arange(states.shape[-1]), states]

    def is_valid(self, states: Int[np.ndarray, "k n"]) -> Bool[np.ndarray, " k"]:
        """Zero violations of every clue, factor and potential: the certificate."""
        valid = np.asarray(self.in_domain(states).all(-1))
        for factor in self.factors:
            if not valid.any():
                return valid
            valid[valid] = ~factor.violated(states[valid]).any(-1)
        for potential in self.potentials:
            if not valid.any():
                return valid
            valid[valid] = potential.violation(states[valid]) == 0
        return valid

    @cached_property
    def pruners(self) -> list[Pruner]:
        counts = Bounds(self.factors, len(self.domain))
        return [
            *([counts] if counts.factors else []),
            *(one for one in self.factors if one not in counts.factors),
            *self.implied(),
            *self.potentials,
        ]

    def impossible(self, states: Int[np.ndarray, " n"]) -> list[Violation]:
        """What is broken however the OPEN cells are filled in: no memory of the scope fits.

        Global rules wait until the board is full.
        """
        known = states != OPEN
        domain = self.domain.copy()
        domain[known] = states[known, None] == np.arange(domain.shape[1])
        off = np.flatnonzero(known & ~self.in_domain(np.maximum(states, 0)))
        found = [Violation(self.printed, tuple(off.tolist()))] if len(off) else []
        for factor in self.factors:
            fits = factor.memory.supported(domain[factor.scopes]).any((-1, -2))
            found += [
                Violation(factor.name, tuple(scope.tolist())) for scope in factor.scopes[~fits]
            ]
        return found

    def violations(self, states: Int[np.ndarray, " n"]) -> list[Violation]:
        """Every broken rule of one candidate, with its cells."""
        off = np.flatnonzero(~self.in_domain(states))
        found = [Violation(self.printed, tuple(off.tolist()))] if len(off) else []
        for factor in self.factors:
            found += [
                Violation(factor.name, tuple(scope.tolist()))
                for scope in factor.scopes[factor.violated(states)]
            ]
        for potential in self.potentials:
            if potential.violation(states[None])[0]:
                cells = np.flatnonzero(potential.blame(states))
                found.append(Violation(potential.name, tuple(cells.tolist())))
        return found
