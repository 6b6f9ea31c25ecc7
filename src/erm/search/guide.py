"""Guided search: candidates that have settled guess, and what is refuted is not tried again.

A candidate that finds nothing more guesses the likeliest state of the cell with the fewest
plausible ones, and leaves the other branch, that state ruled out, for later. Everyone works where
the solution most probably lies: a branch's probability is what the network's value says of it, that
of one not looked at yet what the marginals leave to it. No labels are read.

Where the rules guide, all candidates of a puzzle work on one tree, and the rulebook prunes, probes
and judges its branches. Where the network guides, each candidate has a tree of its own, and no rule
is asked: it gives up what its own value no longer believes in. (Rollouts that guess in their belief
need no tree: see `search.followers`.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from erm.errors import InputError
from erm.model.reasoner import Carry
from erm.search.batch import Edits, Patience, View
from erm.search.problem import Problem
from erm.search.tree import Branch, Tree

GuideName = Literal["rules", "network", "none"]
"""rules: guesses that the rulebook prunes; network: the network's word alone; none: no guesses."""


@dataclass(frozen=True)
class Guide:
    """A proposal (see `search.batch`) for guided search and tempering.

    It needs a checkpoint whose value was trained, see `erm train --guess`.
    """

    first: int = 4
    """Steps that a fresh candidate takes before its first guess."""
    settle: int = 1
    """Steps between a change of a candidate's domain and its next decision."""
    prune: bool = True
    """Rule out what the rulebook refutes by itself; without it, the network's word is all."""
    probes: int = 64
    """Before a guess, so many of the least likely states are tried on the rules."""

    def __post_init__(self) -> None:
        if self.first < 1 or self.settle < 1 or self.probes < 0:
            raise InputError("a guide's first and settle must be at least 1 step, its probes 0")

    def tree(self, problem: Problem) -> Tree:
        """A tree to begin with."""
        root = problem.pruned if self.prune else problem.rules.domain
        return Tree(problem.rules, root, self.prune, self.probes)

    def __call__(self, view: View) -> Edits | None:
        turn = _Turn(view)
        for row, candidate in enumerate(view.candidates):
            if candidate.patience is None:
                self._welcome(turn, row)
            turn.patience(row).waited += 1
        due = [
            row
            for row in range(len(view.candidates))
            if turn.patience(row).waited >= turn.patience(row).wanted
        ]
        if due:
            marginals = view.decoded.log_probs.exp().cpu()
            # A value that is no number says nothing: even odds.
            value = view.prediction.value.float().nan_to_num(0.0)
            hopes = torch.nn.functional.logsigmoid(value).tolist()
            for row in due:
                tree = turn.tree(row)
                if not (tree.answers or tree.exhausted):
                    self._decide(turn, row, marginals[row], hopes[row])
        return turn.done()

    def _welcome(self, turn: _Turn, row: int) -> None:
        candidate, tree = turn.view.candidates[row], turn.tree(row)
        candidate.patience = Patience()
        tree.inherit({one.k for one in turn.view.candidates if one.tree is tree})
        if not tree.exhausted:
            self._move(turn, row, tree.take())
            turn.restart[row] = False  # It has only just started.

    def _decide(self, turn: _Turn, row: int, marginals: Float[Tensor, "n S"], hope: float) -> None:
        """Guess on where the solution most probably lies; `hope` is the log-probability here."""
        tree, k = turn.tree(row), turn.view.candidates[row].k
        here = replace(tree.working[k], domain=turn.domain[row].numpy().copy())
        if tree.best > hope:
            other = tree.take()
            tree.leave(replace(here, log_probability=hope, carry=turn.carry_of(row)), k)
            self._move(turn, row, other)
            return
        ahead = tree.expand(
            here,
            marginals.numpy(),
            hope,
            turn.view.candidates[row].draw.generator,
            k,
            turn.view.deadline,
            lambda: turn.carry_of(row),
        )
        del tree.working[k]
        if ahead is not None:
            self._settle(turn, row, ahead)
        elif not tree.answers and not tree.exhausted:
            self._move(turn, row, tree.take())

    def _move(self, turn: _Turn, row: int, branch: Branch) -> None:
        turn.move(row, branch)
        self._settle(turn, row, branch)
        if branch.carry is None:
            turn.patience(row).wanted = self.first

    def _settle(self, turn: _Turn, row: int, branch: Branch) -> None:
        turn.tree(row).working[turn.view.candidates[row].k] = branch
        turn.change(row, branch)
        patience = turn.patience(row)
        patience.waited, patience.wanted = 0, self.settle


class _Turn:
    """The changes of one call, gathered row by row; rules work where the processor is."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.domain = view.domain.cpu().clone()
        self.restart = torch.zeros(len(view.candidates), dtype=torch.bool)
        self.carry: Carry | None = None
        self.changed = False

    def tree(self, row: int) -> Tree:
        tree = self.view.candidates[row].tree
        assert tree is not None, "a guided candidate starts with its puzzle's tree"
        return tree

    def patience(self, row: int) -> Patience:
        patience = self.view.candidates[row].patience
        assert patience is not None, "a guided candidate has been welcomed"
        return patience

    def carry_of(self, row: int) -> Carry:
        return self.view.carry[row].clone()

    def change(self, row: int, branch: Branch) -> None:
        self.domain[row] = torch.from_numpy(branch.domain)
        self.changed = True

    def move(self, row: int, branch: Branch) -> None:
        """Take the branch's thoughts up, or start afresh where it has none."""
        if branch.carry is None:
            self.restart[row] = True
            return
        if self.carry is None:
            self.carry = self.view.carry.clone()
        self.carry[row] = branch.carry

    def done(self) -> Edits | None:
        if not self.changed:
            return None
        return Edits(self.domain.to(self.view.domain.device), self.restart, self.carry)
