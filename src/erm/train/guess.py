"""Guesses in training: a row's own, right and wrong, written into its domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.errors import InputError
from erm.model.marginals import branching_cells, guessed_states
from erm.rulebook.propagate import prune_tensors
from erm.rulebook.rules import Rules


@dataclass(frozen=True)
class GuessOptions:
    """States of a search, from which value learns the smell of a contradiction."""

    guess: float = 0.0
    """Chance, at each segment from the third on, that an unsolved row makes a guess of its
    own: training meets the states that a guided search will."""
    guess_eliminate: float = 0.35
    """Share of the wrong guesses that are ruled out instead, as refuted ones are."""
    guess_horizon: int = 8
    """Most segments that a row with a wrong guess stays in the batch."""
    prune: float = 0.0
    """Share of the rows in which the rulebook rules out what it can, before the first segment
    and after every guess, as a guided search does."""

    def __post_init__(self) -> None:
        for name in ("guess", "guess_eliminate", "prune"):
            if not 0 <= getattr(self, name) <= 1:
                option = name.replace("_", "-")
                raise InputError(f"--{option} must be in [0, 1], got {getattr(self, name)}")
        if self.guess_horizon < 1:
            raise InputError(f"--guess-horizon must be at least 1, got {self.guess_horizon}")


def guess(
    logits: Float[Tensor, "B n S"],
    domain: Bool[Tensor, "B n S"],
    answers: Int[Tensor, "B n"],
    may: Bool[Tensor, " B"],
    options: GuessOptions,
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
