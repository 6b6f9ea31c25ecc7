"""Exact accuracy of single rollouts on held-out puzzles, as the training loop watches it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from erm.formats.dataset import Dataset
from erm.model.inputs import Padding
from erm.model.noise import Stream
from erm.model.reasoner import Reasoner
from erm.rulebook.registry import load_task
from erm.rulebook.task import Task
from erm.search.labels import right_answers
from erm.search.problem import Problem
from erm.search.rollouts import rollout
from erm.train.distributed import Group
from erm.train.seeds import Purpose, stream_key
from erm.train.stream import group_by_shape, known_answer
from erm.types import Puzzle


@dataclass(frozen=True)
class Score:
    """How many of so many puzzles were answered rightly, and how many cells as the label says."""

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

    problems: list[Problem]
    answers: Int[Tensor, "B n"]
    """States that count from 0, of those that are no padding."""
    numbers: range


class Validation:
    """One data set, encoded once; each process answers its share of the chunks."""

    def __init__(
        self,
        dataset: Dataset,
        batch: int,
        group: Group,
        device: torch.device,
        padding: Padding | None = None,
    ) -> None:
        self.name, self.group, self.device = dataset.path, group, device
        chunks = [
            chunk
            for (task, _), puzzles in group_by_shape(dataset.puzzles).items()
            for chunk in _chunks(load_task(task), puzzles, batch, padding)
        ]
        self.chunks: Sequence[Chunk] = chunks[group.rank :: group.world]

    @torch.no_grad()
    def score(self, reasoner: Reasoner, depth: int, seed: int) -> Score:
        """Every puzzle has its own draws, so the score does not depend on batch or processes."""
        sums = torch.zeros(3, dtype=torch.float64)
        for chunk in self.chunks:
            key = stream_key(seed, Purpose.VALIDATION)
            draws = [Stream(key, number) for number in chunk.numbers]
            states = rollout(reasoner, chunk.problems, draws, depth).states.cpu()
            rows, cells = chunk.answers.shape
            right = states[:rows, :cells] == chunk.answers
            sums[0] += sum(map(_is_right, chunk.problems, states[:rows, :cells].numpy()))
            sums[1] += len(right)
            sums[2] += right.double().mean(1).sum()
        correct, total, cells = self.group.sum(sums.to(self.device)).tolist()
        return Score(int(correct), int(total), cells / max(total, 1))


def _is_right(problem: Problem, states: Int[np.ndarray, " n"]) -> bool:
    return bool(right_answers(problem, problem.task.to_answer(states)[None])[0])


def _chunks(
    task: Task, puzzles: Sequence[Puzzle], batch: int, padding: Padding | None
) -> Iterator[Chunk]:
    # What was compiled for padded boards serves here too, unless these are larger.
    largest = Padding(puzzles[0].cells, task.states_of(puzzles[0]))
    if padding is not None and Padding(*map(max, padding, largest)) != padding:
        padding = None
    ids = (task.partitions(puzzle) for puzzle in puzzles)
    groups = max((int(one.max()) + 1 for one in ids if one.size), default=0)
    for start in range(0, len(puzzles), batch):
        real = puzzles[start : start + batch]
        padded = [*real, *[real[0]] * (batch - len(real))]
        states = [task.to_states(puzzle, known_answer(puzzle)) for puzzle in real]
        yield Chunk(
            [Problem(task, puzzle, groups, padding) for puzzle in padded],
            torch.from_numpy(np.stack(states)),
            range(start, start + batch),
        )
