"""Pools made by hand."""

from __future__ import annotations

import numpy as np

from erm.rulebook.energy import EnergyTerms
from erm.search.pool import CandidatePool


def make_pool(answers, **given) -> CandidatePool:
    """A pool with these answers; whatever is not given is 0."""
    answers = np.asarray(answers, np.int8)
    lead = answers.shape[:-1]
    zero = np.zeros(lead)
    local = np.asarray(given.pop("local", zero), float)
    remote = np.asarray(given.pop("remote", zero), float)
    arrays = {
        name: np.asarray(given.pop(name, zero), float) for name in ("q", "confidence", "residual")
    }
    valid = np.asarray(given.pop("valid", np.zeros(lead, bool)))
    return CandidatePool(
        task="sudoku",
        answers=answers,
        valid=valid,
        steps=np.ones(lead, int),
        energy=EnergyTerms(local + remote, {"row": local}, {"connected": remote}),
        **arrays,
        **given,
    )
