"""Global potentials: rules that no small memory can hold (the G of Eq. 3)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float, Int

from erm.rulebook.propagation.parts import Part


@runtime_checkable
class Pruner(Protocol):
    """Anything that knows what the rules forbid."""

    def prune(self, domain: Bool[np.ndarray, "b n S"]) -> Bool[np.ndarray, "b n S"]:
        """The domains without states that are surely forbidden; no answer may be lost."""
        ...


class Potential(ABC):
    """A count of violations, zero exactly where the rule is satisfied."""

    name: str
    """The rule in words."""

    @abstractmethod
    def violation(self, states: Int[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        """How badly each of k candidates breaks the rule; 0 exactly when it does not."""

    @abstractmethod
    def blame(self, states: Int[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """The cells to point at when one candidate breaks the rule."""

    def fault(self, states: Int[np.ndarray, " n"]) -> str:
        """What the blamed cells are, to be said after "is" or "are", as "cut off"; their states
        where that is empty."""
        return ""

    @classmethod
    def blame_all(
        cls, potentials: Sequence[Any], states: Int[np.ndarray, "b n"]
    ) -> Bool[np.ndarray, "b n"]:
        """`blame` for candidates of boards of one size, each under its own potential of this class:
        the cells to point at, none where the rule is kept. For rules that can tell all at once."""
        blamed = np.zeros(states.shape, bool)
        for row, (potential, own) in enumerate(zip(potentials, states, strict=True)):
            if potential.violation(own[None])[0]:
                blamed[row] = potential.blame(own)
        return blamed

    def parts(self) -> tuple[Part, ...] | None:
        """What the rule asks, in the words of the compiled propagation (propagation/parts.py).

        It must hold for every answer that keeps the rule. None, as for any rule unless it says
        otherwise: ask `prune`.
        """
        return None

    def prune(self, domain: Bool[np.ndarray, "b n S"]) -> Bool[np.ndarray, "b n S"]:
        """The domains without states that the rule surely forbids, given what else is left;
        called only for rules without `parts`.

        No answer within the domain that keeps the rule may be lost. A rule that cannot tell, as
        any rule unless it says otherwise, leaves the domain as it is.
        """
        return domain
