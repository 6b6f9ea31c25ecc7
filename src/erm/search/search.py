"""Rollouts and certified search over many puzzles in one batch that stays full.

`full` is the paper's protocol: K candidates to depth D. `adaptive` checks every candidate after
every step, ends a puzzle at its first certificate, and widens in waves (1, 3, 12, 48, ...
candidates) only where there is none yet. Rows that finish make room for the next wave or puzzle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch

from erm.model.reasoner import Reasoner
from erm.model.surface import Prediction
from erm.search.batch import Batch, Proposal, View
from erm.search.decode import Decoded, Probabilities
from erm.search.hunt import Hunt, SearchOptions
from erm.search.problem import Problem


class Search:
    """A reasoner and how to search with it; keeps nothing between runs."""

    def __init__(
        self,
        reasoner: Reasoner,
        options: SearchOptions,
        probabilities: Probabilities = "softmax",
        proposal: Proposal | None = None,
    ) -> None:
        self.reasoner = reasoner
        self.options = options
        self.probabilities: Probabilities = probabilities
        self.proposal = proposal

    def run(self, problems: Iterable[tuple[object, Problem]]) -> Iterator[Hunt]:
        """Finished hunts for (tag, problem) pairs, in the order in which they finish.

        Only a few puzzles are open at a time, however many are to come.
        """
        for hunts in self._advance(problems):
            yield from (hunt for hunt in hunts if hunt.done)

    def watch(self, problem: Problem) -> Iterator[Hunt]:
        """One hunt, after each of its steps; the last time it is done."""
        for (hunt,) in self._advance([(None, problem)], read_every_step=True):
            yield hunt

    def _advance(
        self, problems: Iterable[tuple[object, Problem]], read_every_step: bool = False
    ) -> Iterator[list[Hunt]]:
        """Step everything that is open by one, again and again."""
        coming = iter(problems)
        ahead = next(coming, None)
        batch = Batch(self.reasoner, self.options.chunk, self.probabilities)
        hunts: list[Hunt] = []
        waiting: list[Hunt] = []
        while True:
            while len(batch) < self.options.rows:
                if waiting:
                    hunt = waiting.pop(0)
                elif ahead and (not hunts or hunts[0].problem.kind == ahead[1].kind):
                    hunt = Hunt(ahead[1], self.options, ahead[0])
                    hunts.append(hunt)
                    ahead = next(coming, None)
                else:
                    break
                with torch.inference_mode():
                    batch.admit(hunt.next_wave())
            if not hunts:
                return
            self._step(batch, hunts, waiting, read_every_step)
            yield hunts
            hunts = [hunt for hunt in hunts if not hunt.done]

    @torch.inference_mode()
    def _step(
        self, batch: Batch, hunts: list[Hunt], waiting: list[Hunt], read_every_step: bool
    ) -> None:
        prediction = batch.step(self.options.sigma)
        rows_of: dict[int, list[int]] = {}
        for row, candidate in enumerate(batch.candidates):
            rows_of.setdefault(id(candidate.problem), []).append(row)
        running = [(hunt, rows_of[id(hunt.problem)]) for hunt in hunts if hunt not in waiting]
        for hunt, rows in running:
            hunt.depth += 1
            hunt.evaluations += len(rows)
        everything = read_every_step or self.proposal is not None
        read = [
            (hunt, rows)
            for hunt, rows in running
            if everything or hunt.reads_every_step or hunt.depth == self.options.depth
        ]
        if not read:
            return
        self._read(batch, prediction, read)
        over: set[int] = set()
        for hunt, rows in read:
            if hunt.after_step():
                over.update(rows)
                if not hunt.done:
                    waiting.append(hunt)
        if over:
            batch.keep([row for row in range(len(batch)) if row not in over])

    def _read(
        self, batch: Batch, prediction: Prediction, read: list[tuple[Hunt, list[int]]]
    ) -> None:
        """Write down what the rows say, then let the proposal guide those that go on."""
        rows = sorted(row for _, rows in read for row in rows)
        place = {row: index for index, row in enumerate(rows)}
        decoded = batch.decode(prediction, rows)
        architectural = batch.architectural_energy()
        for hunt, own in read:
            places = [place[row] for row in own]
            candidates = [batch.candidates[row] for row in own]
            hunt.records.write(
                [candidate.k for candidate in candidates],
                candidates,
                Decoded(*(field[places] for field in decoded)),
                Prediction(*(field[own] for field in prediction)),
                None if architectural is None else architectural[own],
            )
        if self.proposal is not None:
            view = View(batch.candidates, batch.domain, decoded, prediction, batch.carry)
            edits = self.proposal(view)
            if edits is not None:
                batch.edit(edits)
