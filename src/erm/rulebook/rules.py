"""A rulebook applied to one puzzle: validity, violations, and what can prune."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.rulebook.check import check_domain, check_factors, check_part, check_potentials, named
from erm.rulebook.culprits import culprits
from erm.rulebook.factor import Factor
from erm.rulebook.permanent import Permutations
from erm.rulebook.potential import Potential, Pruner
from erm.rulebook.preference import Preference
from erm.rulebook.propagation.parts import Compilable, Part
from erm.rulebook.propagation.program import Program, build

OPEN = -1
"""The state of a cell that an unfinished answer leaves open."""


@dataclass(frozen=True)
class Violation:
    """One broken rule, with the cells to look at."""

    rule: str
    cells: tuple[int, ...]
    """The culprits: what stands there is enough to break the rule."""
    states: tuple[int, ...] = ()
    """What stands there, counted from 0; empty where `fault` says it better."""
    fault: str = ""
    """What the cells are that breaks the rule, as "cut off"."""
    unit: str = ""
    """The place by its name, as "row 3"."""
    clue: int | None = None
    """The cell on which the rule is printed here."""
    scope: tuple[int, ...] = ()
    """All cells that the rule is about here; empty for the whole board."""


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
    preferences: Sequence[Preference] = ()
    """What may be broken at a price; neither certificate nor pruning asks for it."""
    task: str = "a task"
    """Whose rules these are, for messages."""

    def __post_init__(self) -> None:
        check_domain(self.domain)
        check_factors(self.factors, self.preferences, *self.domain.shape)
        check_potentials(self.potentials)

    def costs(self, states: Int[np.ndarray, "*k n"]) -> Float[np.ndarray, "*k"]:
        """What the preferences that answers break cost together; 0 where there are none."""
        total = np.zeros(states.shape[:-1])
        for preference in self.preferences:
            total += preference.costs(states, self.domain.shape[1]).sum(-1)
        return total

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
            for part in parts or ():
                name = getattr(rule, "name", type(rule).__name__)
                with named(f"the rulebook of {self.task}: rule {name!r}"):
                    check_part(part, *self.domain.shape)
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

    @property
    def compiled(self) -> bool:
        """Whether every rule that can rule something out is compiled."""
        return not self.pruning[1]

    def impossible(self, states: Int[np.ndarray, " n"]) -> list[Violation]:
        """What is broken however the OPEN cells are filled in: no memory of the scope fits.

        Global rules wait until the board is full.
        """
        known = states != OPEN
        domain = self.domain.copy()
        domain[known] = states[known, None] == np.arange(domain.shape[1])
        found = self._off_print(np.where(known, states, self.domain.argmax(-1)))
        for factor in self.factors:
            fits = factor.memory.supported(domain[factor.scopes]).any((-1, -2))
            found += violations_in(factor, np.flatnonzero(~fits).tolist(), domain)
        return found

    def violations(self, states: Int[np.ndarray, " n"]) -> list[Violation]:
        """Every broken rule of one candidate, with its culprits."""
        domain = states[:, None] == np.arange(self.domain.shape[1])
        found = self._off_print(states)
        for factor in self.factors:
            broken = np.flatnonzero(factor.violated(states)).tolist()
            found += violations_in(factor, broken, domain)
        for potential in self.potentials:
            if potential.violation(states[None])[0]:
                cells = np.flatnonzero(potential.blame(states))
                fault = potential.fault(states)
                stand = () if fault else tuple(states[cells].tolist())
                found.append(Violation(potential.name, tuple(cells.tolist()), stand, fault))
        return found

    def _off_print(self, states: Int[np.ndarray, " n"]) -> list[Violation]:
        """Cells that do not keep to what is printed, as one violation."""
        off = np.flatnonzero(~self.in_domain(states))
        if not len(off):
            return []
        return [Violation(self.printed, tuple(off.tolist()), tuple(states[off].tolist()))]


def violations_in(
    factor: Factor, places: list[int], domain: Bool[np.ndarray, "n S"]
) -> list[Violation]:
    """A rule that the domain leaves no way to keep in these of its places."""
    # Thousands of places may be broken in a few ways: whom to blame is worked out once for each.
    blamed: dict[bytes, list[int]] = {}
    # Units of permutations have names that count, such as Sudoku's rows.
    named = isinstance(factor.memory, Permutations)
    found = []
    for place in places:
        scope = factor.scopes[place]
        left = domain[scope]
        key = left.tobytes()
        if key not in blamed:
            blamed[key] = np.flatnonzero(culprits(factor.memory, left)).tolist()
        cells = tuple(sorted(scope[blamed[key]].tolist()))
        said = domain[list(cells)]
        settled = (said.sum(-1) == 1).all()
        found.append(
            Violation(
                factor.name,
                cells,
                tuple(said.argmax(-1).tolist()) if settled else (),
                unit=f"{factor.name} {place + 1}" if named else "",
                clue=None if factor.clues is None else int(factor.clues[place]),
                scope=tuple(scope.tolist()),
            )
        )
    return found
