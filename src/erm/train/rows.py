"""The rows of one bucket that a process carries from step to step, each with its own puzzle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from erm.model.inputs import TENSORS, Inputs
from erm.model.noise import Draws
from erm.model.reasoner import Carry, Reasoner
from erm.train.seeds import Purpose, stream_key
from erm.train.stream import Bucket


class Rows:
    """Puzzle, latent state and age of each row; `first` is the number of the first in the run."""

    inputs: Inputs
    answers: Tensor
    carry: Carry

    def __init__(
        self,
        bucket: Bucket,
        reasoner: Reasoner,
        seed: int,
        first: int,
        size: int,
        device: torch.device,
        ages: int = 1,
    ) -> None:
        self.bucket, self.reasoner, self.seed, self.device = bucket, reasoner, seed, device
        self.numbers = range(first, first + size)
        self.counts = torch.zeros(size, dtype=torch.int64)
        """How many puzzles the row has had before this one."""
        self.steps = torch.tensor([number % ages for number in self.numbers])
        """Segments that the row's puzzle has had; the first puzzles count from any of `ages`."""
        self.solved = torch.zeros(size, dtype=torch.int64)
        """Segments in a row after which the answer was right."""
        self._place(range(size), everything=True)
        self.carry = self._start(range(size))

    def renew(self, done: Sequence[int]) -> None:
        """Replace the puzzles of these rows by fresh ones."""
        if not len(done):
            return
        index = torch.as_tensor(done)
        self.counts[index] += 1
        self.steps[index] = 0
        self.solved[index] = 0
        self._place(done)
        start = self._start(done)
        self.carry[index] = start

    def keep(self, span: slice, carry: Carry) -> None:
        """The latent states of these rows after a step."""
        if carry.z_H.shape == self.carry.z_H.shape and carry.z_H.dtype == self.carry.z_H.dtype:
            self.carry = carry
            return
        self.carry[span] = carry

    def _place(self, rows: Sequence[int], everything: bool = False) -> None:
        counts = self.counts[list(rows)].tolist()
        drawn = self.bucket.draw(self.seed, [self.numbers[row] for row in rows], counts)
        if everything:
            self.inputs = drawn.inputs.to(self.device)
            self.answers = drawn.answers.to(self.device)
            return
        index = torch.as_tensor(rows, device=self.device)
        for name in TENSORS:
            getattr(self.inputs, name)[index] = getattr(drawn.inputs, name).to(self.device)
        if self.inputs.rules is not None and drawn.inputs.rules is not None:
            kept = list(self.inputs.rules)
            for row, rules in zip(rows, drawn.inputs.rules, strict=True):
                kept[row] = rules
            self.inputs = replace(self.inputs, rules=tuple(kept))
        self.answers[index] = drawn.answers.to(self.device)

    def _start(self, rows: Sequence[int]) -> Carry:
        draws = self.draws(Purpose.ROW, rows, self.counts[list(rows)])
        return self.reasoner.start(self.inputs[list(rows)], draws).detach()

    def shares(self, rows: Sequence[int]) -> Tensor:
        """A number from 0 to 1 for the puzzle of each row: its share of the strongest guidance."""
        counts = self.counts[list(rows)]
        return self.draws(Purpose.GUIDANCE, rows, counts).uniform((1,), 0)[:, 0].abs()

    def draws(self, purpose: Purpose, rows: Sequence[int], when: Tensor) -> Draws:
        """Random numbers of some rows, the same however the rows are shared among processes."""
        key = torch.tensor(stream_key(self.seed, purpose, self.bucket.index))
        numbers = torch.tensor([self.numbers[row] for row in rows])
        return Draws(key.expand(len(rows), 2), numbers, when).to(self.device)

    def state(self) -> dict[str, Tensor]:
        """What cannot be drawn again: where each row is and its latent state."""
        return {
            "counts": self.counts,
            "steps": self.steps,
            "solved": self.solved,
            "z_H": self.carry.z_H,
            "z_L": self.carry.z_L,
        }

    def load(self, state: dict[str, Tensor]) -> None:
        self.counts.copy_(state["counts"])
        self.steps.copy_(state["steps"])
        self.solved.copy_(state["solved"])
        self._place(range(len(self.numbers)), everything=True)
        self.carry = Carry(state["z_H"].to(self.device), state["z_L"].to(self.device))
