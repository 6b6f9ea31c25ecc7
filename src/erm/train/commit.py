"""Commitments in training: states of a search, right and wrong, written into a row's domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.errors import InputError
from erm.model.marginals import branching_cells, guessed_states
from erm.rulebook.propagate import prune_tensors
from erm.rulebook.rules import Rules


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
    guess: float = 0.0
    """Chance, at each segment from the third on, that an unsolved row commits a guess of its
    own: training meets the states that a guided search will."""
    guess_eliminate: float = 0.35
    """Share of the wrong guesses that are ruled out instead of committed, as refuted ones are."""
    prune: float = 0.0
    """Share of the rows in which the rulebook rules out what it can, before the first segment
    and after every guess, as a guided search does."""

    def __post_init__(self) -> None:
        for name in (
            "commit",
            "commit_eliminate",
            "commit_wrong",
            "guess",
            "guess_eliminate",
            "prune",
        ):
            if not 0 <= getattr(self, name) <= 1:
                option = name.replace("_", "-")
                raise InputError(f"--{option} must be in [0, 1], got {getattr(self, name)}")
        if self.commit_right < 0 or self.commit_horizon < 1:
            raise InputError("--commit-right must be at least 0 and --commit-horizon at least 1")

    @property
    def active(self) -> bool:
        return max(self.commit, self.commit_wrong, self.guess, self.prune) > 0

    @property
    def teaches_value(self) -> bool:
        """Whether some rows hold wrong commitments, so that there is a value to learn."""
        return self.commit_wrong > 0 or self.guess > 0


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


def guess(
    logits: Float[Tensor, "B n S"],
    domain: Bool[Tensor, "B n S"],
    answers: Int[Tensor, "B n"],
    may: Bool[Tensor, " B"],
    options: CommitOptions,
    draw: torch.Generator,
) -> tuple[Bool[Tensor, "B n S"], Bool[Tensor, " B"]]:
    """Domains after some of the rows that may have guessed, and which of them went wrong.

    A row guesses where `branching_cells` would branch, and what its own marginals say there.
    """
    rows = torch.arange(len(domain), device=domain.device)
    marginals = logits.masked_fill(~domain, -torch.inf).softmax(-1)
    chance = torch.rand(4, *domain.shape[:2], generator=draw).to(logits)
    cells, found = branching_cells(marginals, domain, chance[0])
    states = guessed_states(marginals[rows, cells], domain[rows, cells], chance[1, :, :1])
    guesses = may & found & (chance[2, :, 0] < options.guess)
    right = states == answers[rows, cells]
    ruled_out = ~right & (chance[3, :, 0] < options.guess_eliminate)
    one = torch.nn.functional.one_hot(states, domain.shape[-1]).bool()
    settled = torch.where(ruled_out[:, None], domain[rows, cells] & ~one, one)
    domain = domain.clone()
    domain[rows, cells] = torch.where(guesses[:, None], settled, domain[rows, cells])
    return domain, guesses & ~right & ~ruled_out


def prune_guesses(
    before: Bool[Tensor, "B n S"],
    after: Bool[Tensor, "B n S"],
    wrong: Bool[Tensor, " B"],
    rules: Sequence[Rules | None],
) -> tuple[Bool[Tensor, "B n S"], Bool[Tensor, " B"]]:
    """Domains after guesses, pruned in the rows that have rules.

    What the rules refute at sight needs no network: such a guess is ruled out instead.
    """
    after, wrong = after.clone(), wrong.clone()
    changed = (before != after).flatten(1).any(1)
    for row in changed.nonzero().flatten().tolist():
        own = rules[row]
        if own is None:
            continue
        (pruned,) = prune_tensors(own, after[row][None])
        if not pruned.any():
            guessed = (before[row] != after[row]).any(-1, keepdim=True)
            (pruned,) = prune_tensors(own, (before[row] & ~(after[row] & guessed))[None])
            wrong[row] = False
        after[row] = pruned
    return after, wrong


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
