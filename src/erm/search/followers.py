"""Network-guided search for rollouts that guess by themselves: most candidates follow others.

A rollout that holds a wrong guess mostly knows it: its value is low long before the rulebook
contradicts it. So now and then a candidate that believes little in its own guesses goes on from
the thoughts and guesses of another one of its puzzle, drawn by how much each believes in its own,
and guesses differently from there. One in four never looks at others, lest all agree too early. No
rule is asked, and the budget stays D x K.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from erm.errors import InputError
from erm.search.batch import Candidate, Edits, View


@dataclass(frozen=True)
class Followers:
    """A proposal (see `search.batch`); it needs a checkpoint whose value was trained."""

    every: int = 8
    """Steps between two looks at others."""
    alone: int = 4
    """Each so many-th candidate goes its own way, the first among them."""

    def __post_init__(self) -> None:
        if self.every < 1 or self.alone < 1:
            raise InputError("followers look at others every 1 or more steps, 1 in 1 or more alone")

    def __call__(self, view: View) -> Edits | None:
        looking: dict[int, list[int]] = {}
        for row, candidate in enumerate(view.candidates):
            if candidate.depth % self.every == 0:
                looking.setdefault(id(candidate.problem), []).append(row)
        if not looking:
            return None
        # A value that is no number says nothing: even odds.
        hopes = view.prediction.value.float().nan_to_num(0.0).sigmoid().cpu()
        leaders = torch.arange(len(view.candidates))
        for rows in looking.values():
            candidates = [view.candidates[row] for row in rows]
            chosen = self._leaders(candidates, hopes[rows])
            leaders[rows] = torch.tensor(rows)[chosen]
        if bool((leaders == torch.arange(len(leaders))).all()):
            return None
        leaders = leaders.to(view.domain.device)
        stay = torch.zeros(len(leaders), dtype=torch.bool)
        return Edits(view.domain[leaders], stay, view.carry[leaders])

    def _leaders(self, candidates: Sequence[Candidate], hopes: Float[Tensor, " K"]) -> list[int]:
        """Whose thoughts each goes on from: its own, or those of one drawn by hope."""
        ladder, most = hopes.cumsum(0), hopes.max()
        chosen = list(range(len(candidates)))
        for place, candidate in enumerate(candidates):
            if candidate.k % self.alone == 0:
                continue
            keeps, whom = torch.rand(2, generator=candidate.draw.generator)
            if keeps * most > hopes[place]:
                drawn = int((ladder < whom * ladder[-1]).sum())
                chosen[place] = min(drawn, len(chosen) - 1)
        return chosen
