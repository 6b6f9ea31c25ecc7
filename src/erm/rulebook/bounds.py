"""All counting memories of a rulebook pruned together: what one settles, others read at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import no_type_check

import numpy as np
from jaxtyping import Bool

from erm.rulebook.counting import Between
from erm.rulebook.factor import Factor
from erm.rulebook.kernel import kernel


class Bounds:
    """Every scope that is counted, with the fewest and most of its cells in state 1.

    It prunes as the factors one by one would, only faster: a scope is looked at again when one of
    its cells has changed, and not before.
    """

    def __init__(self, factors: Sequence[Factor], cells: int) -> None:
        self.factors = [one for one in factors if isinstance(one.memory, Between)]
        scopes = [scope for factor in self.factors for scope in factor.scopes]
        ends = np.cumsum([len(scope) for scope in scopes], dtype=np.int64)
        self._starts = np.append(0, ends)
        self._cells = np.concatenate([np.zeros(0, np.int64), *scopes]).astype(np.int64)
        self._low, self._high = (
            np.array(
                [getattr(f.memory, name) for f in self.factors for _ in f.scopes], dtype=np.int64
            )
            for name in ("low", "high")
        )
        scope_of = np.repeat(np.arange(len(scopes)), [len(scope) for scope in scopes])
        order = np.argsort(self._cells, kind="stable")
        self._scopes_of = scope_of[order].astype(np.int64)
        counts = np.bincount(self._cells, minlength=cells)
        self._scopes_from = np.append(0, np.cumsum(counts)).astype(np.int64)

    def prune(self, domain: Bool[np.ndarray, "b n 2"]) -> Bool[np.ndarray, "b n 2"]:
        """The domains at the fixed point of all counts; empty where one cannot be met."""
        pruned = np.ascontiguousarray(domain).copy()
        _prune(
            pruned,
            self._starts,
            self._cells,
            self._low,
            self._high,
            self._scopes_from,
            self._scopes_of,
        )
        return pruned


@kernel
@no_type_check
def _prune(domains, starts, cells, lows, highs, scopes_from, scopes_of):
    scopes = len(starts) - 1
    queue = np.empty(scopes, np.int64)
    queued = np.empty(scopes, np.bool_)
    for row in range(len(domains)):
        domain = domains[row]
        for scope in range(scopes):
            queue[scope] = scope
        queued[:] = True
        first, waiting = 0, scopes
        while waiting:
            scope = queue[first]
            first = (first + 1) % scopes
            waiting -= 1
            queued[scope] = False
            fewest, most, fits = 0, 0, True
            for cell in cells[starts[scope] : starts[scope + 1]]:
                zero, one = domain[cell, 0], domain[cell, 1]
                fewest += one and not zero
                most += one
                fits &= zero or one
            if not fits or fewest > highs[scope] or most < lows[scope]:
                domain[:] = False
                break
            full, short = fewest == highs[scope], most == lows[scope]
            if not (full or short):
                continue
            for cell in cells[starts[scope] : starts[scope + 1]]:
                if not (domain[cell, 0] and domain[cell, 1]):
                    continue
                if full:
                    domain[cell, 1] = False
                if short:
                    domain[cell, 0] = False
                for other in scopes_of[scopes_from[cell] : scopes_from[cell + 1]]:
                    if not queued[other]:
                        queued[other] = True
                        queue[(first + waiting) % scopes] = other
                        waiting += 1
