"""One puzzle's search so far: its waves of candidates, its bill, what it has found and proved."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import torch

from erm.rulebook.optimum import Optimum
from erm.search.batch import Candidate
from erm.search.contradiction import Contradiction, contradiction_of
from erm.search.deadline import Deadline
from erm.search.guide import Guide
from erm.search.options import SearchOptions
from erm.search.pool import CandidatePool, stack_pools
from erm.search.problem import Problem
from erm.search.records import Records
from erm.search.tree import Tree

Phase = Literal["network", "rules", "done"]
"""Who is asked next: candidates of the network, the rules alone, nobody."""
Ended = Literal["certified", "proved", "budget", "time", "stopped"]
"""A certificate; a proof (unique, another answer, no answer); D x K spent; time; stopped."""
BRANCHES_A_STEP = 8
"""Branches that one step of a search by rules alone looks at."""
RULES_SHARE = 8
"""After a wave without a certificate, branches that the rules alone may have looked at for each
step that a candidate has taken: on a CPU about as long as the network took. Where a puzzle has
several answers, what the network says of a branch means little, and whoever is right need not
wait for who is not."""


class Improvement(NamedTuple):
    """An answer that was better than all before it."""

    seconds: float
    cost: float


class Attempt:
    """The candidates of a wave start together and stay equally deep, so that what is found and
    what it costs do not depend on the puzzles that run beside it."""

    def __init__(
        self,
        problem: Problem,
        options: SearchOptions,
        number: int = 0,
        cancelled: Callable[[], bool] | None = None,
        by_rules: bool = False,
    ) -> None:
        self.problem = problem
        self.options = options
        self.number = number
        """Its place among the puzzles of the search."""
        self.tree: Tree | None = None
        """The guesses, where the rules guide the search or go alone."""
        self.plant: Callable[[], Tree] | None = None
        """A tree for one candidate alone, where each guesses by itself."""
        self.optimum: Optimum | None = None
        """Branch and bound, where answers have prices and the rules look for the cheapest."""
        self.improvements: list[Improvement] = []
        """Answers with prices, each cheaper than the one before."""
        self.records = Records(problem, options.width)
        self.evaluations = 0
        """Model evaluations so far: one candidate through one step."""
        self.wave = -1
        self.depth = 0
        """Steps that the present wave has taken."""
        self.phase: Phase = "network"
        self.ended: Ended | None = None
        self.certified = False
        """Whether some candidate breaks no rule."""
        self.by_rules_alone = False
        """Whether no network had a part in the answer, or in the proof that there is none."""
        self.contradiction: Contradiction | None = None
        """Why the printed clues leave no answer, where the rules see it at once."""
        self.best_energies: list[float] = []
        self.seconds = 0.0
        """Wall time so far, shared with the puzzles that ran beside it."""
        self.deadline = Deadline(options.seconds, cancelled)
        self._began = time.monotonic()
        self._snapshots: list[CandidatePool] = []
        self._by_rules = by_rules
        """Whether the rules help a network that does not get there."""
        self._draw = problem.draw(options.seed, -1).generator
        """Of the search by rules: none of the candidates'."""

    @property
    def done(self) -> bool:
        return self.phase == "done"

    @property
    def exhausted(self) -> bool:
        """Whether it is proved that there are no other answers than those of the tree; where
        answers have prices, none that are cheaper than the best."""
        if self.optimum is not None:
            return self.optimum.exhausted
        return self.tree is not None and self.tree.exhausted

    @property
    def answers(self) -> list[np.ndarray]:
        """Different answers, as the task writes them: none, the answer, or two of many."""
        found = [] if self.tree is None else [one.states for one in self.tree.answers]
        return [self.problem.task.to_answer(states) for states in found]

    def ask_the_rules(self) -> None:
        """Before any network runs: contradictory clues, or a board that is settled already."""
        left = self.problem.pruned.sum(-1)
        if (left > 1).any():
            return
        tree = self.tree = Tree(self.problem.rules, self.problem.pruned)
        if tree.answers:
            self._say(tree.answers[0].states, 0)
        else:
            self.contradiction = contradiction_of(self.problem)
        self.end("proved")

    def go_by_rules(self) -> None:
        """The tree is searched by the rules alone, or, where answers have prices and nobody asks
        for uniqueness, the cheapest is looked for; the network comes back where their share is
        spent before its own budget is."""
        if self.priced and not self.options.unique:
            self._look_for_the_cheapest()
            return
        if self.tree is None:
            self.tree = Tree(self.problem.rules, self.problem.pruned)
        if self.certified:
            for k in np.flatnonzero(self.records.check()).tolist():
                self.tree.note(self.records.states[k].copy(), k)
        self.tree.go_on_by_rules()
        self.phase = "rules"

    @property
    def _all_waves_started(self) -> bool:
        return self.wave + 1 == len(self.options.waves)

    @property
    def _network_is_over(self) -> bool:
        return self.certified or not self.evaluations or self._all_waves_started

    @property
    def _share(self) -> int:
        """Branches that the rules alone may have looked at by now."""
        most = self.options.budget
        return most if self._network_is_over else min(RULES_SHARE * self.evaluations, most)

    def _spend_share(self) -> None:
        """The rules have looked at as many branches as they may for now."""
        if self._network_is_over:
            self.end("certified" if self.certified else "budget")
        else:
            self.phase = "network"

    def _look_for_the_cheapest(self) -> None:
        if self.optimum is None:
            self.optimum = Optimum(self.problem.rules, self.problem.pruned)
        for k in np.flatnonzero(self.records.check()).tolist():
            self.optimum.note(self.records.states[k])
        self.phase = "rules"

    def _step_to_the_cheapest(self, optimum: Optimum) -> None:
        for _ in range(BRANCHES_A_STEP):
            if optimum.exhausted:
                self.end("proved")
                return
            if optimum.branches >= self._share:
                self._spend_share()
                return
            self.deadline.check()
            before = optimum.cost
            optimum.step()
            if optimum.best is not None and optimum.cost < before:
                # The last place: no candidate of a network is overwritten before all have run.
                self._say(optimum.best, self.options.width - 1)
                return
        self._clock()

    def step_by_rules(self) -> None:
        """Look at a few branches; the end comes with a proof, enough answers or the budget.

        A cheaper answer ends the step, so that whoever watches sees each.
        """
        if self.optimum is not None:
            self._step_to_the_cheapest(self.optimum)
            return
        tree = self.tree
        assert tree is not None
        for _ in range(BRANCHES_A_STEP):
            if self._decided(tree):
                return
            left = self._share - tree.looked_at
            if left <= 0:
                self._spend_share()
                return
            tree.deepen(self._draw, deadline=self.deadline, guesses=left)
        self._decided(tree)
        self._clock()

    def _decided(self, tree: Tree) -> bool:
        if not self.certified and (tree.answers or tree.exhausted):
            self.by_rules_alone = self.problem.rules.compiled
            if tree.answers:
                self._say(tree.answers[0].states, tree.answers[0].k)
        if tree.exhausted or len(tree.answers) > 1:
            self.end("proved")
        elif tree.answers and not self.options.unique:
            self.end("certified")
        return self.done

    def next_wave(self) -> list[Candidate]:
        """The candidates to start now; none when all K have run."""
        if self.wave + 1 == len(self.options.waves):
            return []
        self.wave += 1
        self.depth = 0
        return [
            Candidate(
                self.problem,
                k,
                self.problem.draw(self.options.seed, k),
                self.tree if self.plant is None else self.plant(),
            )
            for k in self.options.waves[self.wave]
        ]

    def follow(self, guide: Guide) -> None:
        """Candidates guess: all in one tree where the rules judge, else each by itself."""
        if guide.prune:
            self.tree = guide.tree(self.problem)
        else:
            self.plant = partial(guide.tree, self.problem)

    @property
    def reads_every_step(self) -> bool:
        """Whether the search must know what the candidates say before depth D, as it must where
        its time may be up at any step."""
        return (
            self.options.mode == "adaptive"
            or self.options.trace
            or self.options.stopping is not None
            or self.deadline.bounds
        )

    def take_stock(self) -> None:
        """After a step, once the records are written: certificate, trace, stopping, budget."""
        options = self.options
        self._clock()
        if options.mode == "adaptive" and self.records.check().any():
            self._certify()
            if self.phase != "network":
                return
        if options.trace:
            self._snapshots.append(self.records.pool())
        if options.stopping is not None:
            self.best_energies.append(float(self.records.energies().min()))
            if options.stopping.stops(self.best_energies):
                self.end("budget")
        if self.wave_is_over and self._rules_help_now:
            self.go_by_rules()
        elif self.wave_is_over and self._all_waves_started:
            self.end("budget")

    @property
    def _rules_help_now(self) -> bool:
        """After a wave: who asks for a proof, or for the rules' help, gets it where the network
        has failed; compiled rules, or those with prices, help also between two waves."""
        if self._all_waves_started:
            return self.options.unique or self._by_rules
        return self._by_rules and (self.priced or self.problem.rules.compiled)

    @property
    def wave_is_over(self) -> bool:
        return self.depth == self.options.depth

    def after_guesses(self) -> None:
        """What the guide's tree has decided: an answer needs no further step of the network."""
        tree = self.tree
        if tree is None or self.phase != "network":
            return
        if tree.answers:
            self._say(tree.answers[0].states, tree.answers[0].k)
            self._certify()
        elif tree.exhausted:
            self.end("proved")

    def end(self, why: Ended) -> None:
        """No further step is taken."""
        self.certified = bool(self.records.check().any())
        self.phase, self.ended = "done", why
        self._clock()

    def _certify(self) -> None:
        """Where answers have prices the first is not the last: the rules, or else the candidates
        that are still under way, look for a cheaper one."""
        self.certified = True
        if self.priced:
            self._note_improvement()
        if self.options.unique or (self.priced and self._by_rules):
            self.go_by_rules()
        elif not self.priced:
            self.end("certified")

    def _say(self, states: np.ndarray, k: int) -> None:
        """An answer that the rules have settled is what candidate k says."""
        domain = np.zeros_like(self.problem.rules.domain)
        domain[np.arange(len(states)), states] = True
        self.records.settle(k, torch.from_numpy(domain))
        self.certified = True
        if self.priced:
            self._note_improvement()

    @property
    def priced(self) -> bool:
        """Whether some answers are better than others."""
        return bool(self.problem.rules.preferences)

    def _note_improvement(self) -> None:
        valid = self.records.check()
        cost = float(self.problem.rules.costs(self.records.states[valid]).min())
        if not self.improvements or cost < self.improvements[-1].cost:
            self._clock()
            self.improvements.append(Improvement(self.seconds, cost))

    def _clock(self) -> None:
        self.seconds = time.monotonic() - self._began

    def pool(self) -> CandidatePool:
        """The candidates as they stand, with the pool after every step where that was kept."""
        self._say_something()
        pool = self.records.pool(self.options.keep_log_probs, self.deadline)
        return replace(pool, trace=stack_pools(self._snapshots)) if self._snapshots else pool

    def _say_something(self) -> None:
        """Where no candidate has spoken, the branch at hand is the best there is to show."""
        tree = self.tree
        if tree is None or self.records.known.any() or self.exhausted:
            return
        self.records.settle(0, torch.from_numpy(tree.at_hand))
