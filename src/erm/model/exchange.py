"""Who tells whom: the scopes of a batch's rulebooks, along which cells exchange messages.

Partitions say the same of every board of a shape; scopes are each puzzle's own, as the edges of a
graph are. A kind of rule has learned weights, however many scopes it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from erm.rulebook.rules import Rules

STEP = 32
"""Scopes are padded to a multiple of this, so that a compiled network meets few shapes."""


class Exchange(NamedTuple):
    """For each kind of rule, weights from cells to scopes and from scopes to cells."""

    gather: tuple[Float[Tensor, "B J n"], ...]
    """The mean over the cells of each scope; rows of zeros pad."""
    spread: tuple[Float[Tensor, "B n J"], ...]
    """A cell's scopes, each with the same weight: one over the root of how many there are, so
    that cells with many scopes get more, but not out of proportion."""


_memberships: WeakKeyDictionary[Rules, tuple[tuple[str, ...], list[Tensor]]] = WeakKeyDictionary()


def kinds_of(rulebooks: Sequence[Rules]) -> tuple[str, ...]:
    """The kinds of rules, factors and preferences alike, that have scopes on some board."""
    return tuple(
        sorted({one.name for rules in rulebooks for one in (*rules.factors, *rules.preferences)})
    )


def exchange_of(rules: Sequence[Rules], kinds: tuple[str, ...], device: torch.device) -> Exchange:
    """The scopes of each row's rulebook, side by side; boards of one size."""
    rows = [_scopes(one, kinds) for one in rules]
    gathers, spreads = [], []
    for kind in range(len(kinds)):
        own = [row[kind] for row in rows]
        most = -(-max(len(one) for one in own) // STEP) * STEP
        joined = own[0].new_zeros(len(own), most, own[0].shape[1])
        for row, one in zip(joined, own, strict=True):
            row[: len(one)] = one
        gathers.append((joined / joined.sum(2, keepdim=True).clamp(min=1.0)).to(device))
        counts = joined.sum(1, keepdim=True).clamp(min=1.0)
        spreads.append((joined / counts.sqrt()).transpose(1, 2).contiguous().to(device))
    return Exchange(tuple(gathers), tuple(spreads))


def _scopes(rules: Rules, kinds: tuple[str, ...]) -> list[Float[Tensor, "J n"]]:
    """Which cells each scope of each kind holds, worked out once a board."""
    known = _memberships.get(rules)
    if known is not None and known[0] == kinds:
        return known[1]
    cells = len(rules.domain)
    parts: dict[str, list[np.ndarray]] = {
        kind: [np.zeros((0, cells), np.float32)] for kind in kinds
    }
    for one in (*rules.factors, *rules.preferences):
        if one.name in parts:
            member = np.zeros((len(one.scopes), cells), np.float32)
            np.put_along_axis(member, one.scopes.astype(np.int64), 1.0, axis=1)
            parts[one.name].append(member)
    found = [torch.from_numpy(np.concatenate(parts[kind])) for kind in kinds]
    _memberships[rules] = kinds, found
    return found
