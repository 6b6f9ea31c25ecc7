"""Fingerprints: puzzles told apart up to symmetry by eight bytes each, to keep test data unseen."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from jaxtyping import UInt64

from erm.data.split import canonical_forms
from erm.types import Puzzle

Fingerprints = UInt64[np.ndarray, " m"]
"""Sorted, each once; those of 30,000 puzzles fill 240 kB. Two puzzles that differ may share one, so
that more may be counted as seen than were, but never fewer."""


def fingerprints(puzzles: Sequence[Puzzle], quiet: bool = True) -> Fingerprints:
    """Symmetric puzzles have the same one."""
    return np.unique(_each(puzzles, quiet))


def count_seen(puzzles: Sequence[Puzzle], seen: Fingerprints, quiet: bool = True) -> int:
    """How many of the puzzles are among those, up to symmetry."""
    return int(np.isin(_each(puzzles, quiet), seen).sum())


def _each(puzzles: Sequence[Puzzle], quiet: bool) -> Fingerprints:
    digests = [
        hashlib.blake2b(form, digest_size=8).digest() for form in canonical_forms(puzzles, quiet)
    ]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)
