"""Many puzzles in one batch that stays full; `policy` decides what each puzzle does next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import torch

from erm.model.codec import Prediction
from erm.model.decode import Decoded, Probabilities
from erm.model.reasoner import Reasoner
from erm.search.deadline import NEVER, OutOfTime
from erm.search.guidance import Guide
from erm.search.options import SearchOptions
from erm.search.problem import Problem
from erm.search.puzzle_search import PuzzleSearch, policy
from erm.search.rollouts import Batch, Help, capacity


class Search:
    """A reasoner, or none, and how to search with it."""

    def __init__(
        self,
        reasoner: Reasoner | None,
        options: SearchOptions,
        probabilities: Probabilities = "softmax",
        read_every_step: bool = False,
        cancelled: Callable[[], bool] | None = None,
        help: Help | None = None,
        reads: Callable[[Problem], bool] = lambda problem: True,
    ) -> None:
        self.options = options
        self.read_every_step = read_every_step
        """Whether candidates are decoded after every step, for a caller that shows them."""
        self.cancelled = cancelled
        self.reads = reads
        """Whether the network can read a board."""
        self.batch = None
        if reasoner is not None:
            probabilities = options.probabilities or probabilities
            self.batch = Batch(
                reasoner,
                options.chunk,
                probabilities,
                options.decoding,
                options.precision,
                options.path_noise,
                help,
                Guide.of(options.guidance, reasoner, options.depth, probabilities),
            )
        self._open: list[PuzzleSearch] = []

    def run(self, problems: Iterable[Problem]) -> Iterator[PuzzleSearch]:
        """Searches that have ended, in the order in which they end."""
        for searches in self.steps(problems):
            yield from (one for one in searches if one.ended is not None)

    def steps(self, problems: Iterable[Problem]) -> Iterator[list[PuzzleSearch]]:
        """The open puzzles after every step; those that have ended appear once more, and last.

        Only a few puzzles are open at a time.
        """
        coming = enumerate(problems)
        ahead = next(coming, None)
        while self._open or ahead is not None:
            while ahead is not None and self._has_room(ahead[1]):
                number, problem = ahead
                network = self.batch is not None and self.reads(problem)
                self._open.append(
                    PuzzleSearch(problem, self.options, number, network, self.cancelled)
                )
                ahead = next(coming, None)
            try:
                self._step()
            except OutOfTime as late:
                # Puzzles with a time limit are open one at a time.
                self._open[0].end(late.why)
            for one in self._open:
                if policy(one) == "done":
                    one.end()
            self._drop_rows()
            yield list(self._open)
            self._open = [one for one in self._open if one.ended is None]

    def _has_room(self, problem: Problem) -> bool:
        """Puzzles share a batch while all of them wait for the network."""
        if not self._open:
            return True
        first = self._open[0]
        if self.batch is None or first.deadline.bounds or first.problem.kind != problem.kind:
            return False
        rows = self.options.rows or capacity(self.batch.device).rows
        flying = sum(len(one.options.waves[max(one.wave, 0)]) for one in self._open)
        return flying < rows and all(policy(one) == "network" for one in self._open)

    @torch.inference_mode()
    def _step(self) -> None:
        for one in self._open:
            phase = policy(one)
            if phase == "rules":
                one.step_rules()
            elif phase == "network" and (one.wave < 0 or one.depth == one.options.depth):
                assert self.batch is not None
                self.batch.admit(one.next_wave())
        self._drop_rows()
        if self.batch is not None and len(self.batch):
            self._step_network(self.batch)

    def _step_network(self, batch: Batch) -> None:
        deadline = self._open[0].deadline if len(self._open) == 1 else NEVER
        prediction = batch.step(self.options.sigma, deadline)
        rows_of: dict[int, list[int]] = {}
        for row, candidate in enumerate(batch.candidates):
            rows_of.setdefault(id(candidate.problem), []).append(row)
        read: list[tuple[PuzzleSearch, list[int]]] = []
        for one in self._open:
            rows = rows_of.get(id(one.problem), [])
            if rows:
                one.depth += 1
                one.evaluations += len(rows)
                if self.read_every_step or one.reads_every_step:
                    read.append((one, rows))
        if read:
            self._record(batch, prediction, read)
        deadline.check()

    @staticmethod
    def _record(
        batch: Batch, prediction: Prediction, read: list[tuple[PuzzleSearch, list[int]]]
    ) -> None:
        rows = sorted(row for _, own in read for row in own)
        place = {row: index for index, row in enumerate(rows)}
        decoded = batch.decode(prediction, rows)
        architectural = batch.architectural_energy()
        for one, own in read:
            places = [place[row] for row in own]
            candidates = [batch.candidates[row] for row in own]
            one.records.write(
                [candidate.k for candidate in candidates],
                candidates,
                Decoded(*(part[places] for part in decoded)),
                Prediction(*(part[own] for part in prediction)),
                None if architectural is None else architectural[own],
            )
            one.check_candidates()

    def _drop_rows(self) -> None:
        """Rows of puzzles that have ended, or whose wave is over, leave the batch."""
        if self.batch is None or not len(self.batch):
            return
        running = {
            id(one.problem)
            for one in self._open
            if policy(one) == "network" and one.depth < one.options.depth
        }
        problems = [candidate.problem for candidate in self.batch.candidates]
        rows = [row for row, problem in enumerate(problems) if id(problem) in running]
        if len(rows) < len(self.batch):
            self.batch.keep(rows)
