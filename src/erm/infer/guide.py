"""Guided commitments: candidates that have settled guess, and what is refuted is not tried again.

All candidates of a puzzle work on one tree. One that finds nothing more commits the cell with the
fewest plausible states to the likeliest of them, and leaves the other branch, that state ruled
out, to whoever is free next. The rulebook prunes both. One whose value says that no solution is
left takes the most probable branch that waits. No labels are read: marginals, value and the rules
decide.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count
from math import log, log1p
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from erm.energy.model import Rules
from erm.errors import InputError
from erm.infer.batch import Edits, View
from erm.model.marginals import branching_cells
from erm.model.reasoner import Carry

GuideName = Literal["rules", "network", "none"]
"""rules: guesses that the rulebook prunes; network: the network's word alone; none: no guesses."""

MOST_WAITING = 256
"""Branches that a puzzle keeps; the least probable ones beyond are forgotten."""
DISTRUST = 2.0
"""How much less a value is believed, in its logit, each time that a tree is used up in vain."""


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
    """The branches of one puzzle, and who works on which."""

    root: Bool[Tensor, "n S"]
    """What is allowed before any guess."""
    waiting: list[tuple[float, int, Branch]] = field(default_factory=list)
    """A heap, most probable first; the number breaks ties by age."""
    working: dict[int, Branch] = field(default_factory=dict)
    """What each candidate is at, by its k."""
    numbers: count = field(default_factory=count)
    guesses: int = 0
    refutations: int = 0
    exhaustions: int = 0
    """How often every branch has been given up."""

    def leave(self, branch: Branch) -> None:
        heapq.heappush(self.waiting, (-branch.log_probability, next(self.numbers), branch))
        if len(self.waiting) > MOST_WAITING:
            self.waiting = heapq.nsmallest(MOST_WAITING, self.waiting)

    def take(self) -> Branch:
        """The most probable branch that waits, or the root afresh."""
        if self.waiting:
            return heapq.heappop(self.waiting)[-1]
        return Branch(self.root, None, 0.0)

    def inherit(self, present: set[int]) -> None:
        """Branches of candidates that are gone, as those of an earlier wave, wait again."""
        for k in [k for k in self.working if k not in present]:
            self.leave(self.working.pop(k))


@dataclass
class Worker:
    """What the guide knows of one candidate."""

    k: int
    log_probability: float = 0.0
    patience: int = 0
    """Steps to take before the next guess or refutation."""
    waited: int = 0


@dataclass(frozen=True)
class Guide:
    """A proposal (see `infer.batch`) for certified search and tempering.

    It needs a checkpoint whose value was trained, see `erm train --guess`.
    """

    first: int = 4
    """Steps that a fresh candidate takes before its first guess."""
    settle: int = 1
    """Steps between a change of a candidate's domain and its next guess or refutation."""
    refute: float = 0.0
    """A branch is given up when the value logit falls below this."""
    prune: bool = True
    """Rule out what the rulebook refutes by itself; without it, the network's word is all."""

    def __post_init__(self) -> None:
        if self.first < 1 or self.settle < 1:
            raise InputError("a guide's first and settle must be at least 1 step")

    def __call__(self, view: View) -> Edits | None:
        edit = _Edit(view, self.prune)
        workers = [self._worker(edit, row) for row in range(len(view.candidates))]
        for worker in workers:
            worker.waited += 1
        due = [row for row, one in enumerate(workers) if one.waited >= one.patience]
        if due:
            marginals = view.decoded.log_probs.exp().to(edit.domain.device)
            values = view.prediction.value.tolist()
            for row in due:
                trusted = self.refute - DISTRUST * edit.tree(row).exhaustions
                if values[row] < trusted or not self._guess(
                    edit, row, workers[row], marginals[row]
                ):
                    self._give_up(edit, row, workers[row])
        return edit.done()

    def _worker(self, edit: _Edit, row: int) -> Worker:
        candidate = edit.view.candidates[row]
        worker = candidate.notes.get("guide")
        if worker is None:
            worker = candidate.notes["guide"] = Worker(candidate.k)
            self._move(edit, row, worker)
            edit.restart[row] = False  # It has only just started.
        return worker

    def _guess(
        self, edit: _Edit, row: int, worker: Worker, marginals: Float[Tensor, "n S"]
    ) -> bool:
        """Commit a cell's likeliest state; the branch without it waits. False: no way is left."""
        tree = edit.tree(row)
        while (cell := edit.branching_cell(row, marginals)) is not None:
            allowed = marginals[cell] * edit.domain[row, cell]
            state = int(allowed.argmax())
            chance = float(allowed[state] / allowed.sum().clamp(min=1e-9))
            chance = min(max(chance, 1e-6), 1 - 1e-6)
            committed, other = edit.split(row, cell, state)
            if committed.any():
                tree.guesses += 1
                carry = edit.carry_of(row)
                if other.any():
                    rest = worker.log_probability + log1p(-chance)
                    tree.leave(Branch(other, carry, rest))
                worker.log_probability += log(chance)
                self._settle(edit, row, worker, Branch(committed, carry, worker.log_probability))
                return True
            if not other.any():
                return False
            # The rules refute the guess at sight: the other branch is all that is left.
            edit.change(row, other)
        return False

    def _give_up(self, edit: _Edit, row: int, worker: Worker) -> None:
        tree = edit.tree(row)
        tree.refutations += 1
        tree.working.pop(worker.k, None)
        if not tree.waiting and not tree.working:
            tree.exhaustions += 1
        self._move(edit, row, worker)

    def _move(self, edit: _Edit, row: int, worker: Worker) -> None:
        """Go on with the most probable branch that waits, or afresh from the clues."""
        branch = edit.tree(row).take()
        worker.log_probability = branch.log_probability
        edit.move(row, branch)
        self._settle(edit, row, worker, branch)
        if branch.carry is None:
            worker.patience = self.first

    def _settle(self, edit: _Edit, row: int, worker: Worker, branch: Branch) -> None:
        edit.tree(row).working[worker.k] = branch
        edit.change(row, branch.domain)
        worker.waited, worker.patience = 0, self.settle


class _Edit:
    """The changes of one call, gathered row by row."""

    def __init__(self, view: View, prune: bool) -> None:
        self.view, self.prune = view, prune
        self.domain = view.domain.clone()
        self.restart = torch.zeros(len(view.candidates), dtype=torch.bool)
        self.carry: Carry | None = None
        self.changed = False
        self._present: dict[int, set[int]] = {}
        for candidate in view.candidates:
            self._present.setdefault(id(candidate.shared), set()).add(candidate.k)

    def tree(self, row: int) -> Tree:
        candidate = self.view.candidates[row]
        shared = candidate.shared
        if "tree" not in shared:
            root = candidate.problem.inputs.domain[0].to(self.domain.device)
            pruned = self._pruned(candidate.problem.rules, root[None])[0] if self.prune else root
            # A puzzle without any answer is left as it is printed: candidates say what they can.
            shared["tree"] = Tree(pruned if pruned.any() else root)
        tree: Tree = shared["tree"]
        tree.inherit(self._present[id(shared)])
        return tree

    def branching_cell(self, row: int, marginals: Float[Tensor, "n S"]) -> int | None:
        draw = self.view.candidates[row].draw
        chance = torch.rand(len(marginals), generator=draw).to(marginals)
        cells, found = branching_cells(marginals[None], self.domain[row][None], chance[None])
        return int(cells[0]) if found[0] else None

    def split(self, row: int, cell: int, state: int) -> Bool[Tensor, "2 n S"]:
        """The row's domain with the cell in that state, and without."""
        both = self.domain[row].repeat(2, 1, 1)
        both[0, cell] = False
        both[0, cell, state] = True
        both[1, cell, state] = False
        if not self.prune:
            both[1] &= both[1].any(-1).all()
            return both
        return self._pruned(self.view.candidates[row].problem.rules, both)

    def _pruned(self, rules: Rules, domains: Bool[Tensor, "b n S"]) -> Bool[Tensor, "b n S"]:
        return torch.from_numpy(rules.prune(domains.cpu().numpy())).to(domains.device)

    def carry_of(self, row: int) -> Carry:
        return Carry(self.view.carry.z_H[row].clone(), self.view.carry.z_L[row].clone())

    def change(self, row: int, domain: Bool[Tensor, "n S"]) -> None:
        self.domain[row] = domain
        self.changed = True

    def move(self, row: int, branch: Branch) -> None:
        if branch.carry is None:
            self.restart[row] = True
            return
        if self.carry is None:
            self.carry = Carry(self.view.carry.z_H.clone(), self.view.carry.z_L.clone())
        self.carry.z_H[row] = branch.carry.z_H
        self.carry.z_L[row] = branch.carry.z_L

    def done(self) -> Edits | None:
        return Edits(self.domain, self.restart, self.carry) if self.changed else None
