"""Guided commitments: candidates that have settled guess, and what is refuted is not tried again.

All candidates of a puzzle work on one tree. One that finds nothing more commits the cell with the
fewest plausible states to the likeliest of them, and leaves the other branch, that state ruled
out, to whoever is free next. The rulebook prunes both. Everyone works where the solution most
probably lies: a branch's probability is what the network's value says of it, that of one not
looked at yet what the marginals leave to it. No labels are read: marginals, value and rules decide.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count
from math import inf, log, log1p
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from erm.errors import InputError
from erm.model.marginals import branching_cells
from erm.model.reasoner import Carry
from erm.rulebook.propagate import probe, prune_tensors
from erm.search.batch import Edits, View

GuideName = Literal["rules", "network", "none"]
"""rules: guesses that the rulebook prunes; network: the network's word alone; none: no guesses."""

MOST_WAITING = 256
"""Branches that a puzzle keeps; the least probable ones beyond are forgotten."""
FIRST_SHARE = 0.25
"""Of all open states, those probed before a puzzle's first guess."""


@dataclass(frozen=True, eq=False)
class Branch:
    """A part of the tree: what is still allowed there, and the thoughts that led to it."""

    domain: Bool[Tensor, "n S"]
    carry: Carry | None
    """Latent states to go on from; None for a fresh start."""
    log_probability: float
    """That the solution lies here, by the network's value and marginals."""


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
    """Branches in which the rules leave no answer."""

    def leave(self, branch: Branch) -> None:
        heapq.heappush(self.waiting, (-branch.log_probability, next(self.numbers), branch))
        if len(self.waiting) > MOST_WAITING:
            self.waiting = heapq.nsmallest(MOST_WAITING, self.waiting)

    @property
    def best(self) -> float:
        """Log-probability of the best branch that waits."""
        return -self.waiting[0][0] if self.waiting else -inf

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

    patience: int = 0
    """Steps to take before the next decision."""
    waited: int = 0


@dataclass(frozen=True)
class Guide:
    """A proposal (see `infer.batch`) for certified search and tempering.

    It needs a checkpoint whose value was trained, see `erm train --guess`.
    """

    first: int = 4
    """Steps that a fresh candidate takes before its first guess."""
    settle: int = 1
    """Steps between a change of a candidate's domain and its next decision."""
    prune: bool = True
    """Rule out what the rulebook refutes by itself; without it, the network's word is all."""
    probes: int = 64
    """Before a guess, so many states that the network holds for least likely are tried on the
    rules, and those that they refute are ruled out; before the first guess on a large board, a
    quarter of all states."""

    def __post_init__(self) -> None:
        if self.first < 1 or self.settle < 1 or self.probes < 0:
            raise InputError("a guide's first and settle must be at least 1 step, its probes 0")

    def __call__(self, view: View) -> Edits | None:
        edit = _Edit(view, self.prune)
        workers = [self._worker(edit, row) for row in range(len(view.candidates))]
        for worker in workers:
            worker.waited += 1
        due = [row for row, one in enumerate(workers) if one.waited >= one.patience]
        if due:
            marginals = view.decoded.log_probs.exp().to(edit.domain.device)
            hopes = torch.nn.functional.logsigmoid(view.prediction.value.float()).tolist()
            for row in due:
                self._decide(edit, row, workers[row], marginals[row], hopes[row])
        return edit.done()

    def _worker(self, edit: _Edit, row: int) -> Worker:
        candidate = edit.view.candidates[row]
        worker = candidate.notes.get("guide")
        if worker is None:
            worker = candidate.notes["guide"] = Worker()
            tree = edit.tree(row)
            tree.inherit({one.k for one in edit.view.candidates if one.shared is candidate.shared})
            self._move(edit, row, worker, tree.take())
            edit.restart[row] = False  # It has only just started.
        return worker

    def _decide(
        self, edit: _Edit, row: int, worker: Worker, marginals: Float[Tensor, "n S"], hope: float
    ) -> None:
        """Guess on where the solution most probably lies; `hope` is the log-probability here."""
        tree = edit.tree(row)
        if tree.best > hope:
            other = tree.take()
            tree.leave(Branch(edit.domain[row].clone(), edit.carry_of(row), hope))
            self._move(edit, row, worker, other)
        elif not self._guess(edit, row, worker, marginals, hope):
            tree.refutations += 1
            self._move(edit, row, worker, tree.take())

    def _guess(
        self, edit: _Edit, row: int, worker: Worker, marginals: Float[Tensor, "n S"], hope: float
    ) -> bool:
        """Commit a cell's likeliest state; the branch without it waits. False: no way is left."""
        tree, before = edit.tree(row), edit.domain[row].clone()
        share = 0.0 if tree.guesses else FIRST_SHARE
        if self.prune and self.probes and not edit.probe(row, marginals, self.probes, share):
            return False
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
                    tree.leave(Branch(other, carry, hope + log1p(-chance)))
                self._settle(edit, row, worker, Branch(committed, carry, hope + log(chance)))
                return True
            if not other.any():
                return False
            # The rules refute the guess at sight: the other branch is all that is left.
            edit.change(row, other)
        # Every cell is settled: new to the checker, or already found wanting.
        answer = edit.domain[row]
        if (answer == before).all():
            return False
        self._settle(edit, row, worker, Branch(answer.clone(), edit.carry_of(row), hope))
        return True

    def _move(self, edit: _Edit, row: int, worker: Worker, branch: Branch) -> None:
        edit.move(row, branch)
        self._settle(edit, row, worker, branch)
        if branch.carry is None:
            worker.patience = self.first

    def _settle(self, edit: _Edit, row: int, worker: Worker, branch: Branch) -> None:
        edit.tree(row).working[edit.view.candidates[row].k] = branch
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

    def tree(self, row: int) -> Tree:
        candidate = self.view.candidates[row]
        if "tree" not in candidate.shared:
            root = candidate.problem.inputs.domain.to(self.domain.device)
            pruned = prune_tensors(candidate.problem.rules, root) if self.prune else root
            # A puzzle without any answer is left as it is printed: candidates say what they can.
            candidate.shared["tree"] = Tree(pruned[0] if pruned.any() else root[0])
        return candidate.shared["tree"]

    def branching_cell(self, row: int, marginals: Float[Tensor, "n S"]) -> int | None:
        draw = self.view.candidates[row].draw
        chance = torch.rand(len(marginals), generator=draw).to(marginals)
        cells, found = branching_cells(marginals[None], self.domain[row][None], chance[None])
        return int(cells[0]) if found[0] else None

    def probe(self, row: int, marginals: Float[Tensor, "n S"], fewest: int, share: float) -> bool:
        """Rule out unlikely states that the rules refute; whether any answer is left."""
        rules = self.view.candidates[row].problem.rules
        while True:
            domain = self.domain[row]
            open_states = domain & (domain.sum(-1, keepdim=True) > 1)
            doubtful = marginals.masked_fill(~open_states, torch.inf).flatten()
            left = int(open_states.sum())
            count = min(max(fewest, int(share * left)), left)
            least = doubtful.topk(count, largest=False).indices
            rest = probe(rules, domain, least // domain.shape[1], least % domain.shape[1])
            if rest is None:
                return True
            if not rest.any():
                return False
            self.change(row, rest)

    def split(self, row: int, cell: int, state: int) -> Bool[Tensor, "2 n S"]:
        """The row's domain with the cell in that state, and without."""
        both = self.domain[row].repeat(2, 1, 1)
        both[0, cell] = False
        both[0, cell, state] = True
        both[1, cell, state] = False
        if not self.prune:
            both[1] &= both[1].any(-1).all()
            return both
        return prune_tensors(self.view.candidates[row].problem.rules, both)

    def carry_of(self, row: int) -> Carry:
        return self.view.carry[row].clone()

    def change(self, row: int, domain: Bool[Tensor, "n S"]) -> None:
        self.domain[row] = domain
        self.changed = True

    def move(self, row: int, branch: Branch) -> None:
        if branch.carry is None:
            self.restart[row] = True
            return
        if self.carry is None:
            self.carry = self.view.carry.clone()
        self.carry.z_H[row] = branch.carry.z_H
        self.carry.z_L[row] = branch.carry.z_L

    def done(self) -> Edits | None:
        return Edits(self.domain, self.restart, self.carry) if self.changed else None
