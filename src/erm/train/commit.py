"""Commitments in training: states of a search, right and wrong, written into a row's domain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from erm.errors import InputError


@dataclass(frozen=True)
class CommitOptions:
    """States with commitments, from which value learns the smell of a contradiction."""

    commit: float = 0.0
    """Share of the rows that start with right commitments."""
    commit_right: int = 20
    """Most cells committed to their right state in such a row; the number is uniform."""
    commit_eliminate: float = 0.0
    """Largest share of the wrong states ruled out in such a row; the share is uniform."""
    commit_wrong: float = 0.0
    """Share of all rows in which one cell is committed to a wrong state."""
    commit_horizon: int = 8
    """Most segments that a row with a wrong commitment stays in the batch."""

    def __post_init__(self) -> None:
        for name in ("commit", "commit_eliminate", "commit_wrong"):
            if not 0 <= getattr(self, name) <= 1:
                option = name.replace("_", "-")
                raise InputError(f"--{option} must be in [0, 1], got {getattr(self, name)}")
        if self.commit_right < 0 or self.commit_horizon < 1:
            raise InputError("--commit-right must be at least 0 and --commit-horizon at least 1")

    @property
    def active(self) -> bool:
        return self.commit > 0 or self.commit_wrong > 0


def commit(
    domain: Bool[np.ndarray, "n S"],
    answer: Int[np.ndarray, " n"],
    partitions: Int[np.ndarray, "P n"] | None,
    options: CommitOptions,
    draw: np.random.Generator,
) -> tuple[Bool[np.ndarray, "n S"], bool]:
    """A row's domain with commitments, and whether one of them is wrong.

    With `partitions` (tasks with interchangeable states) no wrong commitment repeats a state
    that is already settled in one of the cell's groups: that would be seen at a glance.
    """
    domain = domain.copy()
    cells = np.arange(len(answer))
    if draw.random() < options.commit:
        open_cells = np.flatnonzero(domain.sum(1) > 1)
        count = min(int(draw.integers(options.commit_right + 1)), len(open_cells))
        _settle(domain, draw.choice(open_cells, count, replace=False), answer)
        if options.commit_eliminate:
            keep = draw.random(domain.shape) >= draw.uniform(0, options.commit_eliminate)
            keep[cells, answer] = True
            domain &= keep
    if draw.random() >= options.commit_wrong:
        return domain, False
    wrong = domain.copy()
    wrong[cells, answer] = False
    if partitions is not None:
        wrong &= ~_settled_nearby(domain, partitions)
    choices = np.flatnonzero(wrong)
    if not len(choices):
        return domain, False
    cell, state = np.divmod(draw.choice(choices), domain.shape[1])
    domain[cell] = False
    domain[cell, state] = True
    return domain, True


def _settle(domain: Bool[np.ndarray, "n S"], cells: np.ndarray, answer: np.ndarray) -> None:
    domain[cells] = False
    domain[cells, answer[cells]] = True


def _settled_nearby(
    domain: Bool[np.ndarray, "n S"], partitions: Int[np.ndarray, "P n"]
) -> Bool[np.ndarray, "n S"]:
    """The states that are some other cell's only one in a group of the cell."""
    settled = domain & (domain.sum(1, keepdims=True) == 1)
    nearby = np.zeros_like(domain)
    for groups in partitions:
        taken = np.zeros((int(groups.max()) + 1, domain.shape[1]), bool)
        np.logical_or.at(taken, groups, settled)
        nearby |= taken[groups]
    return nearby
