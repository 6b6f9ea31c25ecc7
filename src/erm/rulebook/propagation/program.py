"""The rules of one puzzle as flat arrays: what the compiled propagation runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int

from erm.rulebook.propagation.parts import (
    COUNT,
    MATCHING,
    MAX_STATES,
    SINGLES,
    Connected,
    Part,
    Permuted,
    Scopes,
    SeededAreas,
    cells_a_word,
)


class Program(NamedTuple):
    """Scopes one after the other, the scopes of each cell, and rules about the whole board."""

    printed: Int[np.ndarray, " n"]
    """States that the clues leave to each cell, as bits."""
    states: int
    packed: int
    """Cells whose states stand side by side in one word of a pattern."""
    kind: Int[np.ndarray, " j"]
    start: Int[np.ndarray, " j1"]
    cells: Int[np.ndarray, " c"]
    low: Int[np.ndarray, " j"]
    high: Int[np.ndarray, " j"]
    table: Int[np.ndarray, " t"]
    counts_from: Int[np.ndarray, " n1"]
    counts_of: Int[np.ndarray, " a"]
    """The counting scopes of each cell."""
    scopes_from: Int[np.ndarray, " n1"]
    scopes_of: Int[np.ndarray, " b"]
    """All other scopes of each cell."""
    covered: Int[np.ndarray, "v 3"]
    """First scope, scope after the last, and the states that only their patterns give a cell."""
    members: Int[np.ndarray, "g n"]
    needed: Bool[np.ndarray, " g"]
    area_around: Int[np.ndarray, "g n d"]
    seeded: Int[np.ndarray, "h 3"]
    """First seed, seed after the last, and the state's bit."""
    seeds: Int[np.ndarray, " c"]
    sizes: Int[np.ndarray, " c"]
    seeded_around: Int[np.ndarray, "h n e"]


def build(domain: Bool[np.ndarray, "n S"], parts: Sequence[Part]) -> Program:
    """The parts of all rules, laid out for the kernels."""
    cells, states = domain.shape
    if states > MAX_STATES:
        raise ValueError(f"propagation knows cells of at most {MAX_STATES} states, got {states}")
    scopes: list[Scopes] = []
    for part in parts:
        if isinstance(part, Scopes):
            scopes.append(part)
        elif isinstance(part, Permuted):
            scopes += [Scopes.alike(kind, part.scopes) for kind in (SINGLES, MATCHING)]
    kind, start, flat, low, high, table = _lay_out(scopes)
    if states != 2 and (kind == COUNT).any():
        raise ValueError(f"a count is about cells of two states, not of {states}")
    scope_of = np.repeat(np.arange(len(kind)), np.diff(start))
    counted = kind[scope_of] == COUNT
    counts_from, counts_of = _by_cell(flat[counted], scope_of[counted], cells)
    scopes_from, scopes_of = _by_cell(flat[~counted], scope_of[~counted], cells)
    connected = [part for part in parts if isinstance(part, Connected)]
    seeded = [part for part in parts if isinstance(part, SeededAreas)]
    return Program(
        printed=np.left_shift(domain.astype(np.int64), np.arange(states)).sum(1),
        states=states,
        packed=cells_a_word(states),
        kind=kind,
        start=start,
        cells=flat,
        low=low,
        high=high,
        table=table,
        counts_from=counts_from,
        counts_of=counts_of,
        scopes_from=scopes_from,
        scopes_of=scopes_of,
        covered=_covered(scopes),
        members=_stack([part.members for part in connected], (cells,)),
        needed=np.array([part.needed for part in connected], bool),
        area_around=_stack([part.around for part in connected], (cells, 0)),
        seeded=_seeded(seeded),
        seeds=_join([part.seeds for part in seeded]),
        sizes=_join([part.sizes for part in seeded]),
        seeded_around=_stack([part.around for part in seeded], (cells, 0)),
    )


def _lay_out(scopes: Sequence[Scopes]) -> tuple[np.ndarray, ...]:
    """Scopes of all parts side by side; patterns that several share stand in the table once."""
    tables: list[np.ndarray] = []
    place: dict[int, int] = {}
    size = 0
    lows: list[np.ndarray] = []
    for part in scopes:
        if len(part.table) and id(part.table) not in place:
            place[id(part.table)] = size
            tables.append(part.table)
            size += len(part.table)
        lows.append(part.low + place[id(part.table)] if len(part.table) else part.low)
    return (
        _join([part.kind for part in scopes]),
        _starts(_join([part.lengths for part in scopes])),
        _join([part.cells for part in scopes]),
        _join(lows),
        _join([part.high for part in scopes]),
        _join(tables),
    )


def _by_cell(
    cells: Int[np.ndarray, " c"], scopes: Int[np.ndarray, " c"], count: int
) -> tuple[Int[np.ndarray, " n1"], Int[np.ndarray, " c"]]:
    """The scopes of each cell one after the other, and where each cell's begin."""
    order = np.argsort(cells, kind="stable")
    return _starts(np.bincount(cells, minlength=count)), scopes[order]


def _starts(lengths: Int[np.ndarray, " j"]) -> Int[np.ndarray, " j1"]:
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def _join(arrays: Sequence[np.ndarray]) -> Int[np.ndarray, " c"]:
    if not arrays:
        return np.zeros(0, np.int64)
    return np.concatenate(arrays).astype(np.int64, copy=False)


def _stack(arrays: Sequence[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    if not arrays:
        return np.zeros((0, *shape), np.int64)
    return np.stack(arrays).astype(np.int64, copy=False)


def _covered(scopes: Sequence[Scopes]) -> Int[np.ndarray, "v 3"]:
    rows: list[tuple[int, int, int]] = []
    first = 0
    for part in scopes:
        if part.covers:
            rows.append((first, first + len(part.kind), part.covers))
        first += len(part.kind)
    return np.array(rows, np.int64).reshape(-1, 3)


def _seeded(parts: Sequence[SeededAreas]) -> Int[np.ndarray, "h 3"]:
    rows: list[tuple[int, int, int]] = []
    first = 0
    for part in parts:
        rows.append((first, first + len(part.seeds), 1 << part.state))
        first += len(part.seeds)
    return np.array(rows, np.int64).reshape(-1, 3)
