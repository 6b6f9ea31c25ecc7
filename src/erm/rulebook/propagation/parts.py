"""What a rule can ask of the compiled propagation, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, no_type_check, runtime_checkable

import numpy as np
from jaxtyping import Int

from erm.rulebook.kernel import inner_kernel

COUNT, SINGLES, PATTERNS, MATCHING, TALLY = 0, 1, 2, 3, 4
"""Kinds of scopes; those before PATTERNS are cheap and go first."""

MAX_STATES = 63
"""A cell's states are the bits of a signed word."""

ANY_SIZE = -1


def cells_a_word(states: int) -> int:
    """How many cells' states stand side by side in one word of a table of patterns."""
    return MAX_STATES // states


@inner_kernel
@no_type_check
def deal_stride(rows):
    """A stride that visits all rows of a table far from each other.

    Neighbours in a list of patterns differ little; dealt out, few rows show what is possible.
    """
    stride = max(1, int(0.618 * rows))
    while np.gcd(stride, rows) > 1:
        stride += 1
    return stride


@dataclass(frozen=True, eq=False)
class Table:
    """Patterns over a scope's cells as bits: cell after cell, one bit per state.

    A pattern is possible where all of its `required` bits are; the states that it then leaves
    to the cells are its `allowed` bits. Where each cell says one state, the two are the same.
    """

    required: Int[np.ndarray, "m w"]
    allowed: Int[np.ndarray, "m w"]

    @classmethod
    def of(cls, patterns: Int[np.ndarray, "m s"], states: int) -> Table:
        """The table of listed patterns, one state per cell."""
        return cls.of_bits(np.left_shift(1, patterns.astype(np.int64)), states)

    @classmethod
    def of_bits(
        cls,
        required: Int[np.ndarray, "m s"],
        states: int,
        allowed: Int[np.ndarray, "m s"] | None = None,
    ) -> Table:
        packed = _pack(required, states)
        return cls(packed, packed if allowed is None else _pack(allowed, states))

    @cached_property
    def flat(self) -> Int[np.ndarray, " t"]:
        return np.concatenate([self.required, self.allowed], 1).ravel()


def _pack(bits: Int[np.ndarray, "m s"], states: int) -> Int[np.ndarray, "m w"]:
    rows, cells = bits.shape
    side_by_side = cells_a_word(states)
    words = max(1, -(-cells // side_by_side))
    padded = np.zeros((rows, words * side_by_side), np.int64)
    padded[:, :cells] = bits
    shifts = np.arange(side_by_side) * states
    return np.bitwise_or.reduce(padded.reshape(rows, words, side_by_side) << shifts, axis=2)


@dataclass(frozen=True, eq=False)
class Scopes:
    """Scopes of cells with what each asks: a count of ones, a listed pattern, a permutation."""

    kind: Int[np.ndarray, " j"]
    lengths: Int[np.ndarray, " j"]
    cells: Int[np.ndarray, " c"]
    """The cells of all scopes, one scope after the other."""
    low: Int[np.ndarray, " j"]
    """Fewest ones; for patterns and tallies, where in `table` they begin."""
    high: Int[np.ndarray, " j"]
    """Most ones; for patterns, how many there are."""
    table: Int[np.ndarray, " t"] = field(default_factory=lambda: np.zeros(0, np.int64))
    """The patterns' rows: first the required, then the allowed words of each. A tally's row:
    the states that count, as bits, the fewest and the most cells in one of them."""
    covers: int = 0
    """States that a cell can take only where some possible pattern requires them, as bits."""

    @classmethod
    def alike(
        cls,
        kind: int,
        scopes: Int[np.ndarray, "j s"],
        low: int = 0,
        high: int = 0,
        table: Int[np.ndarray, " t"] | None = None,
    ) -> Scopes:
        """Scopes of one length that all ask the same."""
        count, size = scopes.shape
        return cls(
            np.full(count, kind),
            np.full(count, size),
            scopes.ravel(),
            np.full(count, low),
            np.full(count, high),
            np.zeros(0, np.int64) if table is None else table,
        )


def counts(scopes: Int[np.ndarray, "j s"], low: int, high: int) -> Scopes:
    """At least `low` and at most `high` cells of each scope in state 1, the others in 0."""
    return Scopes.alike(COUNT, scopes, low, high)


def tallies(scopes: Int[np.ndarray, "j s"], counted: int, low: int, high: int) -> Scopes:
    """At least `low` and at most `high` cells of each scope in one of the states that count."""
    return Scopes.alike(TALLY, scopes, table=np.array([counted, low, high], np.int64))


def patterns(scopes: Int[np.ndarray, "j s"], table: Table) -> Scopes:
    """Each scope shows one of the listed patterns."""
    return Scopes.alike(PATTERNS, scopes, 0, len(table.required), table.flat)


@dataclass(frozen=True, eq=False)
class Permuted:
    """Each scope holds every state once."""

    scopes: Int[np.ndarray, "j s"]


@dataclass(frozen=True, eq=False)
class Connected:
    """The cells whose state is one of their `members` hang together along `around`."""

    members: Int[np.ndarray, " n"]
    """For each cell the states, as bits, by which it belongs to the area."""
    around: Int[np.ndarray, "n d"]
    """Neighbours of each cell, -1 for none."""
    needed: bool = False
    """Whether there must be such a cell at all."""


@dataclass(frozen=True, eq=False)
class SeededAreas:
    """Each area of cells in `state` holds one seed, and has as many cells as the seed says."""

    state: int
    seeds: Int[np.ndarray, " c"]
    sizes: Int[np.ndarray, " c"]
    """Cells of each seed's area; -1 for any number."""
    around: Int[np.ndarray, "n d"]


Part = Scopes | Permuted | Connected | SeededAreas


@runtime_checkable
class Compilable(Protocol):
    """A rule that compiled propagation can do all of; its own `prune` is then never called."""

    def parts(self) -> tuple[Part, ...] | None:
        """What the rule asks; None where only `prune` knows."""
        ...
