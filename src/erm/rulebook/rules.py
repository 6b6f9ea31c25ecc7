"""A rulebook applied to one puzzle: validity, violations, and what can prune."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int

from erm.rulebook.factor import Factor
from erm.rulebook.potential import Potential, Pruner
from erm.rulebook.propagation.parts import Compilable, Part
from erm.rulebook.propagation.program import Program, build

OPEN = -1
"""The state of a cell that an unfinished answer leaves open."""


@dataclass(frozen=True)
class Violation:
    """One broken rule, with the cells to look at."""

    rule: str
    cells: tuple[int, ...]


class Asked(NamedTuple):
    """A rule and what it asks of the compiled propagation."""

    rule: Factor | Potential | Pruner | Compilable
    parts: Sequence[Part] | None
    """None where only the rule's own `prune` knows."""
    implied: bool
    """Whether it follows from several rules at once."""


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
    implied: Callable[[], Sequence[Pruner | Compilable]] = tuple
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
    def asked(self) -> Sequence[Asked]:
        """Every rule that can rule something out, and what it asks of compiled propagation."""
        scored, implied = (*self.factors, *self.potentials), tuple(self.implied())
        found: list[Asked] = []
        for number, rule in enumerate((*scored, *implied)):
            parts = rule.parts() if isinstance(rule, Compilable) else None
            mute = isinstance(rule, Potential) and type(rule).prune is Potential.prune
            if parts is not None or not mute:
                found.append(Asked(rule, parts, number >= len(scored)))
        return found

    @cached_property
    def pruning(self) -> tuple[Program, Sequence[Pruner]]:
        """All that rules out states: what is compiled, and the rules that only Python knows."""
        parts = [part for each in self.asked for part in each.parts or ()]
        others = [each.rule for each in self.asked if each.parts is None]
        return build(self.domain, parts), [rule for rule in others if isinstance(rule, Pruner)]

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
