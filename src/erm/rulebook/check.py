"""Checks of a rulebook before anything compiled reads it: kernels trust the arrays they get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from erm.errors import InputError
from erm.rulebook.among import Among
from erm.rulebook.counting import Between
from erm.rulebook.factor import Factor
from erm.rulebook.memory import Enumerated
from erm.rulebook.permanent import Permutations
from erm.rulebook.potential import Potential
from erm.rulebook.preference import Preference
from erm.rulebook.propagation.parts import (
    COUNT,
    MATCHING,
    MAX_STATES,
    PATTERNS,
    SINGLES,
    TALLY,
    Connected,
    Part,
    Permuted,
    Scopes,
    SeededAreas,
    cells_a_word,
)

_checked: WeakKeyDictionary[Factor, tuple[int, int]] = WeakKeyDictionary()
"""Factors that many boards share, and the cells and states that they were checked for."""


@contextmanager
def named(what: str) -> Iterator[None]:
    """Begin the message of a ValueError within with `what` is wrong."""
    try:
        yield
    except ValueError as error:
        raise InputError(f"{what}: {error}") from error


def check_domain(domain: Any, expected: tuple[int, int] | None = None) -> None:
    """An InputError unless the domain is truth values [cells, states]."""
    if not isinstance(domain, np.ndarray) or domain.ndim != 2 or domain.dtype != bool:
        what = f"{domain.dtype} of shape {domain.shape}" if isinstance(domain, np.ndarray) else ""
        raise InputError(
            f"domain must be an array of bool [cells, states], got {what or type(domain).__name__}"
        )
    if expected is not None and domain.shape != expected:
        raise InputError(
            f"domain must have shape {list(expected)}, a row per cell and a column per state, "
            f"got {list(domain.shape)}"
        )


def check_factors(
    factors: Sequence[Any], preferences: Sequence[Any], cells: int, states: int
) -> None:
    """An InputError unless each factor fits the board, its memory and the states."""
    _check_sequence("factors", factors)
    _check_sequence("preferences", preferences)
    for factor in factors:
        if isinstance(factor, Preference):
            raise InputError(f"preference {factor.name!r} is no factor: no answer must keep it")
        if not isinstance(factor, Factor):
            raise InputError(f"factors must be Factor objects, got {type(factor).__name__}")
    for preference in preferences:
        if not isinstance(preference, Preference):
            raise InputError(
                f"preferences must be Preference objects, got {type(preference).__name__}"
            )
    for factor in (*factors, *preferences):
        if _checked.get(factor) != (cells, states):
            _check_factor(factor, cells, states)
            _checked[factor] = cells, states


def _check_factor(factor: Factor, cells: int, states: int) -> None:
    _check_name(factor)
    rule = f"rule {factor.name!r}"
    _check_cells(rule, "scopes", factor.scopes, 2, cells)
    if len(factor.scopes) and not factor.size:
        raise InputError(f"{rule} has scopes of no cell; leave them out")
    if factor.clues is not None:
        _check_cells(rule, "clues", factor.clues, 1, cells)
    size, known = _memory_shape(factor.memory)
    if size is not None and size != factor.size:
        raise InputError(
            f"{rule} has scopes of {factor.size} cells, but its memory "
            f"{type(factor.memory).__name__} is for {size}"
        )
    if known is not None and known != states:
        raise InputError(
            f"{rule} has a memory {type(factor.memory).__name__} for cells of {known} states, "
            f"but the domain has {states}"
        )


def check_potentials(potentials: Sequence[Any]) -> None:
    """An InputError unless each is a named Potential."""
    _check_sequence("potentials", potentials)
    for potential in potentials:
        if not isinstance(potential, Potential):
            raise InputError(
                f"potentials must be Potential objects, got {type(potential).__name__}"
            )
        _check_name(potential)


def check_part(part: Part, cells: int, states: int) -> None:
    """An InputError unless all indices of a part lie within the board and within its table."""
    if states > MAX_STATES:
        raise InputError(f"propagation serves cells of at most {MAX_STATES} states, got {states}")
    if isinstance(part, Scopes):
        _check_scopes(part, cells, states)
    elif isinstance(part, Permuted):
        _check_cells("parts", "scopes", part.scopes, 2, cells)
        if len(part.scopes) and part.scopes.shape[1] != states:
            raise InputError(f"permuted scopes must have {states} cells, one for each state")
    elif not isinstance(part, Connected | SeededAreas):
        raise InputError(f"parts must be those of propagation/parts.py, got {type(part).__name__}")
    else:
        _check_around(part.around, cells)
        if isinstance(part, Connected):
            if _whole("members", part.members).shape != (cells,):
                raise InputError(f"connected members must be {cells} numbers, one for each cell")
        else:
            _check_cells("parts", "seeds", part.seeds, 1, cells)
            sizes = _whole("sizes", part.sizes)
            if sizes.shape != part.seeds.shape or len(np.unique(part.seeds)) != len(part.seeds):
                raise InputError("seeded areas need distinct seeds with one size for each")
            if not 0 <= part.state < states:
                raise InputError(f"seeded areas need a state from 0 to {states - 1}")


def check_pruned(rule: Any, before: np.ndarray, after: Any) -> np.ndarray:
    """What a rule's own `prune` returned; an InputError unless it is a part of the domain."""
    fits = isinstance(after, np.ndarray) and after.dtype == bool and after.shape == before.shape
    if not fits or (after & ~before).any():
        name = getattr(rule, "name", type(rule).__name__)
        raise InputError(
            f"prune of rule {name!r} must return the domain, bool {list(before.shape)}, "
            "with some states set to False and none to True"
        )
    return after


def _check_sequence(what: str, rules: Any) -> None:
    if not isinstance(rules, Sequence):
        raise InputError(f"{what} must be a list or a tuple, got {type(rules).__name__}")


def _check_name(rule: Any) -> None:
    if not isinstance(getattr(rule, "name", None), str) or not rule.name:
        raise InputError(f"a {type(rule).__name__} needs a name, a text that is not empty")


def _whole(what: str, array: Any) -> np.ndarray:
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu":
        kind = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise InputError(f"{what} must be an array of whole numbers, got {kind}")
    return array


def _check_cells(rule: str, what: str, array: Any, dimensions: int, cells: int) -> None:
    if _whole(f"{what} of {rule}", array).ndim != dimensions:
        raise InputError(f"{what} of {rule} must have {dimensions} dimensions, got {array.ndim}")
    if array.size and (array.min() < 0 or array.max() >= cells):
        wrong = array.min() if array.min() < 0 else array.max()
        raise InputError(
            f"{what} of {rule} name cell {wrong}, but the cells of this board are 0 to {cells - 1}"
        )


def _check_around(around: Any, cells: int) -> None:
    if _whole("around", around).ndim != 2 or len(around) != cells:
        raise InputError(f"around must be neighbours [{cells}, d], got shape {around.shape}")
    if around.size and (around.min() < -1 or around.max() >= cells):
        raise InputError(f"around must hold cells 0 to {cells - 1}, or -1 for none")


def _check_scopes(part: Scopes, cells: int, states: int) -> None:
    _check_cells("parts", "cells", part.cells, 1, cells)
    each = [_whole("parts", array) for array in (part.kind, part.lengths, part.low, part.high)]
    table = _whole("parts", part.table)
    if len({array.shape for array in each}) > 1 or part.kind.ndim != 1 or table.ndim != 1:
        raise InputError("kind, lengths, low and high of scopes must have one number a scope")
    if (part.lengths < 0).any() or part.lengths.sum() != len(part.cells):
        raise InputError("lengths of scopes must add up to the number of their cells")
    if not np.isin(part.kind, (COUNT, SINGLES, PATTERNS, MATCHING, TALLY)).all():
        raise InputError("scopes must be of a kind that propagation/parts.py names")
    if states != 2 and (part.kind == COUNT).any():
        raise InputError(f"a count is about cells of two states, not of {states}")
    permuted = np.isin(part.kind, (SINGLES, MATCHING))
    if (part.lengths[permuted] != states).any():
        raise InputError(f"permuted scopes must have {states} cells, one for each state")
    listed, tallied = part.kind == PATTERNS, part.kind == TALLY
    words = np.maximum(1, -(-part.lengths // cells_a_word(states)))
    rows = np.where(listed, part.high * 2 * words, np.where(tallied, 3, 0))
    read = listed | tallied
    low, end = part.low[read], (part.low + rows)[read]
    if (low < 0).any() or (part.high[listed] < 0).any() or (end > len(table)).any():
        raise InputError("patterns and tallies of scopes must lie within their table")
    if not 0 <= part.covers < 1 << states:
        raise InputError(f"covers must be bits of the {states} states")


def _memory_shape(memory: Any) -> tuple[int | None, int | None]:
    """Cells of a scope and states of a cell; None where a memory of an author's own leaves it."""
    if isinstance(memory, Between):
        return memory.size, 2
    if isinstance(memory, Among):
        return memory.size, memory.states
    if isinstance(memory, Permutations):
        return memory.size, memory.size
    if isinstance(memory, Enumerated):
        return memory.memories.shape[1], memory.states
    size = getattr(memory, "size", None)
    return size if isinstance(size, int) else None, None
