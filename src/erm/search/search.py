"""Certified search over many puzzles in one batch that stays full: `init`, then `step` by step.

`full` is the paper's protocol: K candidates to depth D. `adaptive` checks every candidate after
every step, ends a puzzle at its first certificate, and widens in waves (1, 3, 12, 48, ...
candidates) only where there is none yet. Rows that finish make room for the next wave or puzzle.
Where the rules go first, a puzzle that they decide never reaches the network; where there is no
network, they search alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

import torch

from erm.model.codec import Prediction
from erm.model.decode import Decoded, Probabilities
from erm.model.reasoner import Reasoner
from erm.search.attempt import Attempt
from erm.search.batch import Batch, Help, Proposal, View, capacity
from erm.search.deadline import NEVER, Deadline, OutOfTime
from erm.search.guide import Guide
from erm.search.options import SearchOptions
from erm.search.problem import Problem


@dataclass(eq=False)
class State:
    """Where a search stands; a step takes it over, so no state is stepped twice."""

    coming: Iterator[Problem]
    """Puzzles not looked at yet."""
    ahead: Problem | None
    """The next of them."""
    batch: Batch | None
    """The candidates in flight; None where there is no network."""
    open: list[Attempt] = field(default_factory=list)
    """Puzzles that are neither decided nor given up."""
    resting: list[Attempt] = field(default_factory=list)
    """Those of them that wait for room for their next wave."""
    numbers: count = field(default_factory=count)


class Info(NamedTuple):
    """What one step did."""

    attempts: list[Attempt]
    """The puzzles that were open, some of them done now."""
    evaluations: int
    """Rows that went through the network."""

    @property
    def finished(self) -> list[Attempt]:
        return [attempt for attempt in self.attempts if attempt.done]


class Search:
    """A reasoner, or none, and how to search with it; what it finds is in the state."""

    def __init__(
        self,
        reasoner: Reasoner | None,
        options: SearchOptions,
        probabilities: Probabilities = "softmax",
        proposal: Proposal | None = None,
        rules_first: bool = False,
        read_every_step: bool = False,
        cancelled: Callable[[], bool] | None = None,
        help: Help | None = None,
    ) -> None:
        self.reasoner = reasoner
        self.options = options
        self.probabilities: Probabilities = probabilities
        self.proposal = proposal
        self.rules_first = rules_first
        """Whether the rules may decide a puzzle before any network runs."""
        self.read_every_step = read_every_step
        """Whether candidates are read and recorded after every step, for somebody who watches."""
        self.cancelled = cancelled
        self.help = help
        """Who may lend a core to the network's calls."""

    def init(self, problems: Iterable[Problem]) -> State:
        """Only a few puzzles are open at a time, however many are to come."""
        coming = iter(problems)
        batch = None
        if self.reasoner is not None:
            options = self.options
            probabilities = options.probabilities or self.probabilities
            batch = Batch(
                self.reasoner,
                options.chunk,
                probabilities,
                options.decoding,
                options.precision,
                options.path_noise,
                self.help,
            )
        return State(coming, next(coming, None), batch)

    @torch.inference_mode()
    def step(self, state: State) -> tuple[State, Info]:
        """Open what there is room for, then take everything that is open one step further.

        Without an open puzzle in the info the search is over.
        """
        before = 0 if state.batch is None else state.batch.evaluations
        try:
            self._fill(state)
            if not any(attempt.done for attempt in state.open):
                self._advance(state)
        except OutOfTime as late:
            # Puzzles that can be late are open one at a time.
            (attempt,) = state.open
            attempt.end(late.why)
        self._clear(state)
        attempts = state.open
        state.open = [attempt for attempt in attempts if not attempt.done]
        spent = 0 if state.batch is None else state.batch.evaluations - before
        return state, Info(attempts, spent)

    def run(self, problems: Iterable[Problem]) -> Iterator[Attempt]:
        """Finished attempts, in the order in which they finish."""
        for info in self.steps(problems):
            yield from info.finished

    def steps(self, problems: Iterable[Problem]) -> Iterator[Info]:
        """What every step did, to the end."""
        state = self.init(problems)
        while True:
            state, info = self.step(state)
            if not info.attempts:
                return
            yield info

    def _fill(self, state: State) -> None:
        """Start waves and puzzles while there is room; what the rules decide needs none."""
        while len(state.batch or ()) < self._rows(state):
            if state.resting:
                attempt = state.resting.pop(0)
            elif state.ahead is not None and self._has_room(state, state.ahead):
                attempt = self._open(state, state.ahead)
                state.ahead = next(state.coming, None)
                if attempt.phase != "network":
                    return
            else:
                return
            assert state.batch is not None
            state.batch.admit(attempt.next_wave())

    def _rows(self, state: State) -> int:
        """Candidates in flight that keep the device busy."""
        device = torch.device("cpu") if state.batch is None else state.batch.device
        return self.options.rows or capacity(device).rows

    def _has_room(self, state: State, problem: Problem) -> bool:
        if not state.open:
            return True
        if self.reasoner is None or state.open[0].deadline.bounds:
            return False
        return state.open[0].problem.kind == problem.kind

    def _open(self, state: State, problem: Problem) -> Attempt:
        attempt = Attempt(
            problem, self.options, next(state.numbers), self.cancelled, self.rules_first
        )
        state.open.append(attempt)
        if self.rules_first or self.reasoner is None:
            attempt.ask_the_rules()
        if not attempt.done and self.reasoner is None:
            attempt.go_by_rules()
        elif not attempt.done and isinstance(self.proposal, Guide):
            attempt.follow(self.proposal)
        return attempt

    def _advance(self, state: State) -> None:
        for attempt in state.open:
            if attempt.phase == "rules":
                attempt.step_by_rules()
        if not state.batch:
            return
        deadline = state.open[0].deadline if len(state.open) == 1 else NEVER
        prediction = state.batch.step(self.options.sigma, deadline)
        rows_of: dict[int, list[int]] = {}
        for row, candidate in enumerate(state.batch.candidates):
            rows_of.setdefault(id(candidate.problem), []).append(row)
        read = []
        for attempt in state.open:
            rows = rows_of.get(id(attempt.problem), [])
            if rows:
                attempt.depth += 1
                attempt.evaluations += len(rows)
                if self.read_every_step or attempt.reads_every_step or attempt.wave_is_over:
                    read.append((attempt, rows))
        decoded = self._read(state.batch, prediction, read) if read else None
        # A certificate is looked for before a guide spends anything on those that go on.
        going = self._clear(state)
        if self.proposal is not None and going:
            self._propose(self.proposal, state, prediction, decoded, going, deadline)
        deadline.check()

    @staticmethod
    def _propose(
        proposal: Proposal,
        state: State,
        prediction: Prediction,
        decoded: Decoded | None,
        going: list[int],
        deadline: Deadline,
    ) -> None:
        """Let a proposal guide the rows that go on; what is read already is not read again."""
        batch = state.batch
        assert batch is not None
        said = Prediction(*(part[going] for part in prediction))

        def decode() -> Decoded:
            if decoded is not None and len(decoded.states) == len(prediction.logits):
                return Decoded(*(part[going] for part in decoded))
            return batch.decode(said, range(len(batch)))

        view = View(batch.candidates, batch.domain, decode, said, batch.carry, deadline=deadline)
        edits = proposal(view)
        if edits is not None:
            batch.edit(edits)
        for attempt in state.open:
            attempt.after_guesses()

    def _read(
        self, batch: Batch, prediction: Prediction, read: list[tuple[Attempt, list[int]]]
    ) -> Decoded:
        """Write down what the rows say, and take stock of it."""
        rows = sorted(row for _, rows in read for row in rows)
        place = {row: index for index, row in enumerate(rows)}
        decoded = batch.decode(prediction, rows)
        architectural = batch.architectural_energy()
        for attempt, own in read:
            places = [place[row] for row in own]
            candidates = [batch.candidates[row] for row in own]
            attempt.records.write(
                [candidate.k for candidate in candidates],
                candidates,
                Decoded(*(part[places] for part in decoded)),
                Prediction(*(part[own] for part in prediction)),
                None if architectural is None else architectural[own],
            )
            attempt.take_stock()
        return decoded

    @staticmethod
    def _clear(state: State) -> list[int]:
        """Rows of puzzles that are decided or between waves leave the batch; which ones stay."""
        for attempt in state.open:
            over = attempt.phase == "network" and attempt.wave_is_over
            if over and attempt not in state.resting:
                state.resting.append(attempt)
        if not state.batch:
            return []
        running = {
            id(attempt.problem)
            for attempt in state.open
            if attempt.phase == "network" and attempt not in state.resting
        }
        rows = [
            row
            for row, candidate in enumerate(state.batch.candidates)
            if id(candidate.problem) in running
        ]
        if len(rows) < len(state.batch):
            state.batch.keep(rows)
        return rows
