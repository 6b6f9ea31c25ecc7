"""Guided commitments: candidates that have settled guess, and what is refuted is not tried again.

All candidates of a puzzle work on one tree. One that finds nothing more commits the cell with the
fewest plausible states to the likeliest of them, and leaves the other branch, that state ruled
out, to whoever is free next. One whose value says that no solution is left takes the most
probable branch that waits. No labels are read: marginals, value and the rules decide.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count
from math import log, log1p

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from erm.errors import InputError
from erm.infer.batch import Candidate, Edits, View
from erm.model.marginals import branching_cells
from erm.model.reasoner import Carry

MOST_WAITING = 256
"""Branches that a puzzle keeps; the least probable ones beyond are forgotten."""


@dataclass(frozen=True, eq=False)
class Branch:
    """A part of the tree: what is still allowed there, and the thoughts that led to it."""

    domain: Bool[Tensor, "n S"]
    carry: Carry | None
    """Latent states to go on from; None for a fresh start."""
    log_probability: float
    """Of all guesses on the way, by the marginals they were made with."""


@dataclass
class Tree:
    """The branches of one puzzle that nobody works on."""

    waiting: list[tuple[float, int, Branch]] = field(default_factory=list)
    """A heap, most probable first; the number breaks ties by age."""
    numbers: count = field(default_factory=count)
    guesses: int = 0
    refutations: int = 0

    def leave(self, branch: Branch) -> None:
        heapq.heappush(self.waiting, (-branch.log_probability, next(self.numbers), branch))
        if len(self.waiting) > MOST_WAITING:
            self.waiting = heapq.nsmallest(MOST_WAITING, self.waiting)

    def take(self) -> Branch | None:
        return heapq.heappop(self.waiting)[-1] if self.waiting else None


@dataclass
class Worker:
    """What the guide knows of one candidate."""

    patience: int
    log_probability: float = 0.0
    waited: int = 0


@dataclass(frozen=True)
class Guide:
    """A proposal (see `infer.batch`) for certified search and tempering.

    It needs a checkpoint whose value was trained, see `erm train --guess`.
    """

    first: int = 8
    """Steps that a fresh candidate takes before its first guess."""
    settle: int = 2
    """Steps between a change of a candidate's domain and its next guess or refutation."""
    refute: float = 0.0
    """A branch is given up when the value logit falls below this."""

    def __post_init__(self) -> None:
        if self.first < 1 or self.settle < 1:
            raise InputError("a guide's first and settle must be at least 1 step")

    def __call__(self, view: View) -> Edits | None:
        workers = [self._worker(candidate) for candidate in view.candidates]
        for worker in workers:
            worker.waited += 1
        due = [row for row, one in enumerate(workers) if one.waited >= one.patience]
        if not due:
            return None
        marginals = view.decoded.log_probs.exp().to(view.domain.device)
        chance = torch.stack(
            [
                torch.rand(marginals.shape[1], generator=one.draw).to(marginals)
                for one in view.candidates
            ]
        )
        cells, found = branching_cells(marginals, view.domain, chance)
        hopeless = (view.prediction.value < self.refute) | ~found
        edit = _Edit(view)
        for row in due:
            if hopeless[row]:
                self._give_up(edit, row, workers[row])
            else:
                self._guess(edit, row, workers[row], marginals[row], int(cells[row]))
        return edit.done()

    def _worker(self, candidate: Candidate) -> Worker:
        return candidate.notes.setdefault("guide", Worker(self.first))

    def _guess(
        self, edit: _Edit, row: int, worker: Worker, marginals: Float[Tensor, "n S"], cell: int
    ) -> None:
        """Commit the cell's likeliest state; the branch without it waits."""
        tree = edit.tree(row)
        tree.guesses += 1
        state = int(marginals[cell].argmax())
        chance = min(max(float(marginals[cell, state]), 1e-6), 1 - 1e-6)
        other = edit.domain[row].clone()
        other[cell, state] = False
        tree.leave(Branch(other, edit.carry_of(row), worker.log_probability + log1p(-chance)))
        edit.domain[row, cell] = False
        edit.domain[row, cell, state] = True
        worker.log_probability += log(chance)
        worker.waited, worker.patience = 0, self.settle

    def _give_up(self, edit: _Edit, row: int, worker: Worker) -> None:
        """Go on with the most probable branch that waits, or afresh from the clues."""
        tree = edit.tree(row)
        tree.refutations += 1
        branch = tree.take()
        if branch is None:
            branch = Branch(edit.root(row), None, 0.0)
        edit.move(row, branch)
        worker.log_probability = branch.log_probability
        worker.waited = 0
        fresh = branch.carry is None
        worker.patience = self.first if fresh else self.settle


class _Edit:
    """The changes of one call, gathered row by row."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.domain = view.domain.clone()
        self.restart = torch.zeros(len(view.candidates), dtype=torch.bool)
        self.carry: Carry | None = None

    def tree(self, row: int) -> Tree:
        return self.view.candidates[row].shared.setdefault("tree", Tree())

    def root(self, row: int) -> Bool[Tensor, "n S"]:
        return self.view.candidates[row].problem.inputs.domain[0].to(self.domain.device)

    def carry_of(self, row: int) -> Carry:
        return Carry(self.view.carry.z_H[row].clone(), self.view.carry.z_L[row].clone())

    def move(self, row: int, branch: Branch) -> None:
        self.domain[row] = branch.domain
        if branch.carry is None:
            self.restart[row] = True
            return
        if self.carry is None:
            self.carry = Carry(self.view.carry.z_H.clone(), self.view.carry.z_L.clone())
        self.carry.z_H[row] = branch.carry.z_H
        self.carry.z_L[row] = branch.carry.z_L

    def done(self) -> Edits:
        return Edits(self.domain, self.restart, self.carry)
