"""The search for one puzzle: what it has found so far, and `policy`, which says what comes next."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from erm.search.deadline import Deadline
from erm.search.options import SearchOptions
from erm.search.pool import CandidatePool, stack_pools
from erm.search.problem import Problem
from erm.search.records import Records
from erm.search.rollouts import Candidate
from erm.search.rules_search import CheapestSearch, RulesSearch

Phase = Literal["rules", "network", "done"]
"""What works next: the rules' complete search, candidates of the network, nothing."""
Ended = Literal["certified", "proved", "budget", "time", "stopped"]
"""A certificate; a proof (unique, several, no answer, optimal); D x K spent; time; stopped."""
RULES_FIRST = 4096
"""Guesses of the rules before a network runs: most boards take a few."""
PLAIN_RULES_FIRST = 256
"""The same for rulebooks that are not compiled."""
RULES_RATE = 8
"""Further guesses of the rules for each step of a candidate: on a CPU about as long."""
GUESSES_A_STEP = 64
"""Guesses between two looks at the clock."""


def policy(search: PuzzleSearch) -> Phase:
    """What works next on a puzzle.

    `full` is the paper's protocol: K candidates to depth D, no rule before the end. In `adaptive`
    the rules go first. A network runs where they have not found an answer within their share; its
    candidates start in waves, and the rules go on between the waves. An answer ends the search as
    soon as it is proved unique, a second one is found, or the rules' share is spent.
    """
    options = search.options
    if search.ended is not None:
        return "done"
    if options.mode == "full":
        return "network" if search.depth < options.depth else "done"
    if search.proved:
        return "done"
    inside_a_wave = search.wave >= 0 and search.depth < options.depth
    network_left = search.network and (inside_a_wave or search.wave + 1 < len(options.waves))
    if inside_a_wave and not search.certified:
        return "network"
    if search.rules_nodes < rules_share(search, network_left):
        return "rules"
    return "network" if network_left and not search.certified else "done"


def rules_share(search: PuzzleSearch, network_left: bool) -> float:
    """Guesses that the rules may have made by now."""
    options = search.options
    if not options.rules:
        return 0
    first = RULES_FIRST if search.problem.rules.compiled else PLAIN_RULES_FIRST
    share = min(first + RULES_RATE * search.evaluations, options.budget)
    if network_left and not search.certified:
        return share
    if options.unique:
        return math.inf
    return share if search.certified and not search.priced else options.budget


class Improvement(NamedTuple):
    """An answer that was cheaper than all before it."""

    seconds: float
    cost: float


class PuzzleSearch:
    """Candidates of a wave start together and stay equally deep, so that the result does not
    depend on the puzzles that run beside it."""

    def __init__(
        self,
        problem: Problem,
        options: SearchOptions,
        number: int = 0,
        network: bool = True,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self.problem = problem
        self.options = options
        self.number = number
        """Its place among the puzzles of the search."""
        self.network = network
        """Whether there is a network."""
        self.wave = -1
        self.depth = 0
        """Steps of the present wave."""
        self.evaluations = 0
        """Model evaluations: one candidate through one step."""
        self.certified = False
        """Whether there is an answer that breaks no rule."""
        self.found_by: Literal["rules", "network"] | None = None
        self.improvements: list[Improvement] = []
        """Answers with prices, each cheaper than the one before."""
        self.best_energies: list[float] = []
        """The lowest energy of the pool after each step, for energy stopping."""
        self.ended: Ended | None = None
        self.seconds = 0.0
        self.deadline = Deadline(options.seconds, cancelled)
        self._began = time.monotonic()
        self._snapshots: list[CandidatePool] = []

    @cached_property
    def rules(self) -> RulesSearch | CheapestSearch:
        """Made where the rules have their turn."""
        cheapest = self.priced and not self.options.unique
        return (CheapestSearch if cheapest else RulesSearch)(self.problem)

    @cached_property
    def records(self) -> Records:
        """The network's candidates."""
        return Records(self.problem, self.options.width)

    @property
    def rules_ran(self) -> bool:
        return "rules" in self.__dict__

    @property
    def rules_nodes(self) -> int:
        return self.rules.nodes if self.rules_ran else 0

    @property
    def proved(self) -> bool:
        return self.rules_ran and self.rules.proved

    @property
    def priced(self) -> bool:
        """Whether some answers are better than others."""
        return bool(self.problem.rules.preferences)

    @property
    def reads_every_step(self) -> bool:
        """Whether candidates are decoded before depth D."""
        options = self.options
        waits = options.mode == "full" and not options.trace and options.stopping is None
        return not waits or self.deadline.bounds or self.depth == options.depth

    def next_wave(self) -> list[Candidate]:
        """The candidates that start now."""
        self.wave += 1
        self.depth = 0
        seed = self.options.seed
        return [
            Candidate(self.problem, k, self.problem.draw(seed, k))
            for k in self.options.waves[self.wave]
        ]

    def step_rules(self) -> None:
        """A moment of the rules' search; a new answer ends it, so that a caller sees each."""
        known = len(self.rules.answers)
        cost = self.improvements[-1].cost if self.improvements else math.inf
        for _ in range(8):
            self.deadline.check()
            self.rules.step(GUESSES_A_STEP)
            if self.rules.proved or len(self.rules.answers) > known:
                break
            if self.priced and self._cost(self.rules.answers) < cost:
                break
        if self.rules.answers and not self.certified:
            self.certified, self.found_by = True, "rules"
        self._note_improvement(self._cost(self.rules.answers))
        self.clock()

    def check_candidates(self) -> None:
        """After a step of the network: certificates, the trace, energy stopping."""
        options = self.options
        self.clock()
        if options.mode == "adaptive":
            valid = self.records.states[self.records.check()]
            if len(valid) and not self.certified:
                self.certified, self.found_by = True, "network"
            if options.rules:
                for states in valid:
                    self.rules.note(states)
            self._note_improvement(self._cost(valid))
        if options.trace:
            self._snapshots.append(self.records.pool())
        if options.stopping is not None:
            self.best_energies.append(float(self.records.energies().min()))
            if options.stopping.stops(self.best_energies):
                self.end("budget")

    def end(self, why: Ended | None = None) -> None:
        """No further step is taken; the reason follows from what was found if not given."""
        found = "certified" if self.certified else "budget"
        self.ended = self.ended or why or ("proved" if self.proved else found)
        self.clock()

    def clock(self) -> None:
        self.seconds = time.monotonic() - self._began

    def pool(self) -> CandidatePool:
        """The candidates as they stand, with the pool after every step where that was kept."""
        pool = self.records.pool(self.options.keep_log_probs, self.deadline)
        return replace(pool, trace=stack_pools(self._snapshots)) if self._snapshots else pool

    def _cost(self, answers) -> float:
        if not self.priced or not len(answers):
            return math.inf
        return float(self.problem.rules.costs(np.asarray(answers)).min())

    def _note_improvement(self, cost: float) -> None:
        if cost < (self.improvements[-1].cost if self.improvements else math.inf):
            self.clock()
            self.improvements.append(Improvement(self.seconds, cost))
