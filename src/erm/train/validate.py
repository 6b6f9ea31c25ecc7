"""Exact accuracy of single rollouts on held-out puzzles, as the training loop watches it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from erm.formats.dataset import Dataset
from erm.model.config import ReasonerConfig
from erm.model.inputs import Inputs
from erm.model.losses import decode
from erm.model.reasoner import Reasoner
from erm.rulebook.registry import load_task
from erm.rulebook.task import Task
from erm.train.distributed import Group
from erm.train.seeds import Purpose, torch_draw
from erm.train.stream import Lane, group_by_shape
from erm.types import Puzzle


@dataclass(frozen=True)
class Score:
    """How many of so many puzzles were answered exactly, and how many cells rightly."""

    correct: int
    total: int
    cells: float

    @property
    def exact(self) -> float:
        return self.correct / self.total if self.total else 0.0

    def to_json(self) -> dict[str, float | int]:
        return {"correct": self.correct, "total": self.total, "cells": round(self.cells, 4)}


@dataclass(frozen=True, eq=False)
class Chunk:
    """A batch of held-out puzzles; the last one of a shape is padded to the size of the rest."""

    inputs: Inputs
    answers: torch.Tensor
    numbers: list[int]
    real: int


class Validation:
    """One data set, encoded once; each process answers its share of the chunks."""

    def __init__(
        self,
        dataset: Dataset,
        config: ReasonerConfig,
        batch: int,
        group: Group,
        device: torch.device,
    ) -> None:
        self.name, self.group, self.device = dataset.path, group, device
        chunks = [
            chunk
            for (task, _), puzzles in group_by_shape(dataset.puzzles).items()
            for chunk in _chunks(_lane(load_task(task), puzzles, config), batch)
        ]
        self.chunks: Sequence[Chunk] = chunks[group.rank :: group.world]

    @torch.no_grad()
    def score(self, reasoner: Reasoner, depth: int, seed: int) -> Score:
        """Every puzzle has its own draws, so the score does not depend on batch or processes."""
        sums = torch.zeros(3, dtype=torch.float64)
        for chunk in self.chunks:
            inputs = chunk.inputs.to(self.device)
            draws = [torch_draw(seed, Purpose.VALIDATION, number) for number in chunk.numbers]
            carry, prediction = reasoner.start(inputs, draws), None
            for _ in range(depth):
                carry, prediction = reasoner.step(carry, inputs, draws)
            assert prediction is not None
            states = decode(prediction, inputs, reasoner.config.structured).cpu()
            right = (states == chunk.answers)[: chunk.real]
            cells = right.double().mean(1).sum()
            sums += torch.stack([right.all(1).sum().double(), torch.tensor(chunk.real), cells])
        correct, total, cells = self.group.sum(sums.to(self.device)).tolist()
        return Score(int(correct), int(total), cells / max(total, 1))


def _lane(task: Task, puzzles: Sequence[Puzzle], config: ReasonerConfig) -> Lane:
    return Lane(task, puzzles, 1.0, 0, config.structured, hears=config.hears != "nothing")


def _chunks(lane: Lane, batch: int):
    for start in range(0, len(lane.puzzles), batch):
        puzzles = list(lane.puzzles[start : start + batch])
        padded = puzzles + [puzzles[0]] * (batch - len(puzzles))
        inputs = lane.inputs(padded)
        numbers = list(range(start, start + batch))
        yield Chunk(inputs, lane.answers(padded), numbers, len(puzzles))
