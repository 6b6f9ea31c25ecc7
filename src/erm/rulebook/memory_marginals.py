"""Scopes of many boards side by side: one call of a kernel serves all memories of a kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from jaxtyping import Float, Int

from erm.rulebook.among import Among
from erm.rulebook.counting import Between
from erm.rulebook.exact_marginals import (
    FLOOR,
    LEAST,
    add_retrieval,
    count_marginals,
    pattern_marginals,
    permutation_marginals,
    subset_tables,
)
from erm.rulebook.memory import Enumerated, Memory
from erm.rulebook.permanent import Permutations
from erm.rulebook.rules import Rules


@dataclass(frozen=True, eq=False)
class Block:
    """Scopes of one length: cells [j, s], the kind of rule of each, and its memory."""

    cells: Int[np.ndarray, "j s"]
    kinds: Int[np.ndarray, " j"]
    memory: Memory

    def at(self, offset: int) -> Block:
        """The same scopes on the board whose cells count from `offset`."""
        return Block(self.cells + offset, self.kinds, self.memory)


@dataclass(frozen=True, eq=False)
class ScopeTable:
    """The scopes of one board by the kind of its memories."""

    sizes: Int[np.ndarray, " j"]
    """Cells of each counting scope; its cells lie one after the other in `counted`."""
    counted: Int[np.ndarray, " c"]
    bounds: Int[np.ndarray, "j 4"]
    """Kind, lowest and highest count of each counting scope, and the states that count as bits."""
    listed: tuple[Block, ...]
    permuted: tuple[Block, ...]
    others: tuple[Block, ...]
    """Memories of a task author: their retrieval is the gradient of their free energy."""


_tables: WeakKeyDictionary[Rules, dict[tuple[str, ...] | None, ScopeTable]] = WeakKeyDictionary()


def scope_table(rules: Rules, names: tuple[str, ...] | None = None) -> ScopeTable:
    """A board's scopes, worked out once; rules of other names are left out. Without names, all
    factors are of one kind."""
    known = _tables.setdefault(rules, {})
    if names not in known:
        known[names] = _make(rules, names)
    return known[names]


def _make(rules: Rules, names: tuple[str, ...] | None) -> ScopeTable:
    if names is None:
        number = {factor.name: 0 for factor in rules.factors}
    else:
        number = {name: kind for kind, name in enumerate(names)}
    sizes, counted, bounds = [], [], []
    listed, permuted, others = [], [], []
    for factor in (*rules.factors, *rules.preferences):
        kind = number.get(factor.name)
        if kind is None or not factor.scopes.size:
            continue
        memory, (count, size) = factor.memory, factor.scopes.shape
        tally = Among(memory, (1,), 2) if isinstance(memory, Between) else memory
        if isinstance(tally, Among):
            sizes.append(np.full(count, size))
            counted.append(factor.scopes.ravel())
            row = kind, tally.count.low, tally.count.high, tally.bits
            bounds.append(np.tile(row, (count, 1)))
            continue
        home = {Enumerated: listed, Permutations: permuted}.get(type(memory), others)
        home.append(Block(factor.scopes, np.full(count, kind), memory))
    return ScopeTable(
        np.concatenate([np.zeros(0, np.int64), *sizes]),
        np.concatenate([np.zeros(0, np.int64), *counted]),
        np.concatenate([np.zeros((0, 4), np.int64), *bounds]),
        tuple(listed),
        tuple(permuted),
        tuple(others),
    )


def memory_marginals(
    tables: Sequence[ScopeTable],
    marginals: Float[np.ndarray, "B n S"],
    odds: Float[np.ndarray, "B n S K"],
    misfit: Float[np.ndarray, "B n K"],
) -> None:
    """Add the log-odds of all memories of all boards, and keep the misfit of their scopes."""
    _add_all(tables, marginals, odds, misfit, FLOOR, False)


def retrievals(
    rules: Sequence[Rules], marginals: Float[np.ndarray, "B n S"]
) -> Float[np.ndarray, "B n S"]:
    """The retrievals of all factors of each row's rulebook, summed over the scopes of a cell."""
    sums = np.zeros((*marginals.shape, 1))
    misfit = np.zeros((*marginals.shape[:2], 1), np.float32)
    marginals = np.ascontiguousarray(marginals, np.float64)
    _add_all([scope_table(one) for one in rules], marginals, sums, misfit, LEAST, True)
    return sums[..., 0]


def _add_all(
    tables: Sequence[ScopeTable],
    marginals: Float[np.ndarray, "B n S"],
    added: Float[np.ndarray, "B n S K"],
    misfit: Float[np.ndarray, "B n K"],
    floor: float,
    plain: bool,
) -> None:
    boards, cells, states = marginals.shape
    flat = marginals.reshape(-1, states)
    own = added.reshape(boards * cells, states, -1), misfit.reshape(boards * cells, -1)
    sums = (*own, floor, plain)
    layout = _layout(tuple(tables), cells)
    _run(count_marginals, flat, layout.counted, sums)
    _run(pattern_marginals, flat, layout.listed, sums)
    for scopes, kinds in layout.permuted:
        room = subset_tables(scopes.shape[1], len(scopes), floor)
        permutation_marginals(flat, scopes, kinds, room, *sums)
    for block in layout.others:
        _add_gradient(flat, block, sums)


Sums = tuple[Float[np.ndarray, "Bn S K"], Float[np.ndarray, "Bn K"], float, bool]
"""What kernels add to, the least probability of a state, and whether marginals stay as they are."""


Arguments = tuple[Any, ...]
"""Of a kernel, behind the marginals; empty where there is nothing to do."""


def _run(kernel: Callable[..., None], flat: np.ndarray, scopes: Arguments, sums: Sums) -> None:
    if scopes:
        kernel(flat, *scopes, *sums)


@dataclass(frozen=True, eq=False)
class Layout:
    """The scopes of a batch of boards as the kernels take them."""

    counted: Arguments
    listed: Arguments
    permuted: tuple[tuple[np.ndarray, np.ndarray], ...]
    others: tuple[Block, ...]


@lru_cache(maxsize=64)
def _layout(tables: tuple[ScopeTable, ...], cells: int) -> Layout:
    """Kept, as the rows of a batch are the same for many steps."""
    placed = list(zip(range(0, len(tables) * cells, cells), tables, strict=True))
    return Layout(
        _counted(tables, cells),
        _listed([block.at(offset) for offset, one in placed for block in one.listed]),
        _permuted([block.at(offset) for offset, one in placed for block in one.permuted]),
        tuple(block.at(offset) for offset, one in placed for block in one.others),
    )


def _starts(sizes: Int[np.ndarray, " j"]) -> Int[np.ndarray, " j1"]:
    return np.concatenate([[0], np.cumsum(sizes)])


def _counted(tables: Sequence[ScopeTable], cells: int) -> Arguments:
    sizes = np.concatenate([one.sizes for one in tables])
    if not len(sizes):
        return ()
    counted = np.concatenate([one.counted for one in tables])
    offsets = range(0, len(tables) * cells, cells)
    counted += np.repeat(offsets, [len(one.counted) for one in tables])
    bounds = np.concatenate([one.bounds for one in tables])
    return _starts(sizes), counted, *bounds.T.copy()


def _listed(blocks: Sequence[Block]) -> Arguments:
    """Patterns of memories that boards share are laid out once."""
    if not blocks:
        return ()
    place: dict[int, tuple[int, int]] = {}
    rows: list[np.ndarray] = []
    end = 0
    for block in blocks:
        if id(block.memory) not in place:
            patterns = block.memory.patterns().ravel()
            place[id(block.memory)] = end, end + len(patterns)
            rows.append(patterns)
            end += len(patterns)
    counts = [len(block.kinds) for block in blocks]
    spans = np.repeat([place[id(block.memory)] for block in blocks], counts, axis=0)
    sizes = np.repeat([block.cells.shape[1] for block in blocks], counts)
    cells = np.concatenate([block.cells.ravel() for block in blocks])
    kinds = np.concatenate([block.kinds for block in blocks])
    return _starts(sizes), cells, kinds, *spans.T.copy(), np.concatenate(rows)


def _permuted(blocks: Sequence[Block]) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    by_size: dict[int, list[Block]] = {}
    for block in blocks:
        by_size.setdefault(block.cells.shape[1], []).append(block)
    return tuple(
        (np.concatenate([b.cells for b in alike]), np.concatenate([b.kinds for b in alike]))
        for alike in by_size.values()
    )


def _add_gradient(flat: np.ndarray, block: Block, sums: Sums) -> None:
    """Any memory: its retrieval is the gradient of its free energy at tau = 1."""
    cells = block.cells
    weights = np.maximum(flat[cells], sums[2]).astype(np.float64)
    weights /= weights.max(-1, keepdims=True)
    with torch.enable_grad(), torch.inference_mode(False):
        cost = torch.from_numpy(-np.log(weights)).requires_grad_()
        energies = block.memory.free_energy(cost, 1.0)
        (retrieval,) = torch.autograd.grad(energies.sum(), cost)
    add_retrieval(
        cells, block.kinds, weights, retrieval.numpy(), energies.detach().double().numpy(), *sums
    )
