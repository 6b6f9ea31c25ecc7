"""Where training rows come from: buckets of puzzles of one shape, drawn afresh for each row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from erm.data.symmetry import random_symmetry
from erm.errors import InputError
from erm.formats.dataset import Dataset, has_splits, load_dataset
from erm.model.config import ReasonerConfig
from erm.model.exchange import kinds_of
from erm.model.inputs import Inputs, Padding, collate
from erm.rulebook.registry import load_task
from erm.rulebook.retrieve import channels_of
from erm.rulebook.rules import Rules
from erm.rulebook.task import Task
from erm.train.config import DataOptions
from erm.train.seeds import Purpose, numpy_draw
from erm.types import Encoding, Puzzle

SAMPLED = 64
"""Puzzles of each bucket whose rulebooks name the channels of advice."""


class Drawn(NamedTuple):
    """Rows fresh from a bucket."""

    inputs: Inputs
    answers: Int[Tensor, "B n"]
    """States that count from 0."""


@dataclass(eq=False)
class Bucket:
    """Puzzles of one task and board shape; the rows of a pass all come from one bucket."""

    task: Task
    puzzles: Sequence[Puzzle]
    weight: float
    """Share of the steps that the bucket gets."""
    index: int = 0
    structured: bool = True
    augment: bool = True
    with_rules: bool = False
    """Whether rows come with their rules, for a reasoner with advice or scopes."""

    padding: Padding | None = None
    """What boards are filled up to, where they differ in shape."""

    def __post_init__(self) -> None:
        self.shape = self.puzzles[0].shape
        self.groups = 0
        if self.structured:
            # Symmetries keep the groups, so the largest number over all puzzles pads every form.
            ids = (self.task.partitions(puzzle) for puzzle in self.puzzles)
            self.groups = max((int(one.max()) + 1 for one in ids if one.size), default=0)

    @property
    def name(self) -> str:
        return f"{self.task.name} {self.shape[0]}x{self.shape[1]}"

    @property
    def tasks(self) -> list[Task]:
        """The tasks of its puzzles."""
        return [self.task]

    @property
    def boards(self) -> list[str]:
        """The shapes of its puzzles, as people write them."""
        return [f"{self.shape[0]}x{self.shape[1]}"]

    @property
    def cells(self) -> int:
        """Of its largest board."""
        return self.shape[0] * self.shape[1]

    def task_of(self, puzzle: Puzzle) -> Task:
        return self.task

    def pick(self, rng: np.random.Generator) -> Puzzle:
        return self.puzzles[int(rng.integers(len(self.puzzles)))]

    def encode(self, puzzle: Puzzle) -> Encoding:
        """What the network reads of a puzzle, without what it does not."""
        encoding = self.task_of(puzzle).encode(puzzle)
        if self.structured:
            return encoding
        return replace(
            encoding,
            features=np.zeros((puzzle.cells, 0), np.float32),
            partitions=np.zeros((0, puzzle.cells), np.int64),
        )

    def collate(
        self, encodings: Sequence[Encoding], rules: Sequence[Rules] | None = None
    ) -> Inputs:
        return collate(encodings, self.groups, rules, self.padding)

    def inputs(self, puzzles: Sequence[Puzzle]) -> Inputs:
        """Puzzles as they are, with their rules where the reasoner reads them."""
        rules = [self.task.rules(puzzle) for puzzle in puzzles] if self.with_rules else None
        return self.collate([self.encode(puzzle) for puzzle in puzzles], rules)

    def answers(self, puzzles: Sequence[Puzzle]) -> Int[Tensor, "B n"]:
        states = [
            self.task_of(puzzle).to_states(puzzle, known_answer(puzzle)) for puzzle in puzzles
        ]
        if self.padding is not None:
            states = [np.pad(one, (0, self.padding.cells - len(one))) for one in states]
        return torch.from_numpy(np.stack(states))

    def draw(self, seed: int, rows: Sequence[int], counts: Sequence[int]) -> Drawn:
        """For each row, its `count`-th puzzle; it depends on nothing else."""
        puzzles = []
        for row, count in zip(rows, counts, strict=True):
            rng = numpy_draw(seed, Purpose.ROW, self.index, row, count)
            puzzle = self.pick(rng)
            if self.augment:
                puzzle = random_symmetry(puzzle, rng, upright=True)
            puzzles.append(puzzle)
        return Drawn(self.inputs(puzzles), self.answers(puzzles))


class MixedBucket(Bucket):
    """Puzzles of any tasks and shapes, for token-based reasoners: each row draws its own, and
    boards are padded to the largest."""

    def __init__(
        self, puzzles: Sequence[Puzzle], chances: Sequence[float], augment: bool = True
    ) -> None:
        super().__init__(load_task(puzzles[0].task), puzzles, 1.0, 0, False, augment)
        self.ladder = np.cumsum(chances) / np.sum(chances)
        states = (task.states_of(puzzle) for puzzle in puzzles for task in [self.task_of(puzzle)])
        self.padding = Padding(self.cells, max(states))

    @property
    def name(self) -> str:
        return ", ".join(task.name for task in self.tasks)

    @property
    def tasks(self) -> list[Task]:
        return [load_task(name) for name in sorted({puzzle.task for puzzle in self.puzzles})]

    @property
    def boards(self) -> list[str]:
        return sorted({f"{puzzle.height}x{puzzle.width}" for puzzle in self.puzzles})

    @property
    def cells(self) -> int:
        return max(puzzle.cells for puzzle in self.puzzles)

    def task_of(self, puzzle: Puzzle) -> Task:
        return load_task(puzzle.task)

    def pick(self, rng: np.random.Generator) -> Puzzle:
        return self.puzzles[int(np.searchsorted(self.ladder, rng.random(), side="right"))]


class Schedule:
    """Which bucket each step takes: every bucket as close to its share as whole steps allow."""

    def __init__(self, buckets: Sequence[Bucket]) -> None:
        total = sum(bucket.weight for bucket in buckets)
        self.shares = np.array([bucket.weight / total for bucket in buckets])
        self.taken = np.zeros(len(buckets), np.int64)

    def next(self) -> int:
        chosen = int(np.argmax(self.shares * (self.taken.sum() + 1) - self.taken))
        self.taken[chosen] += 1
        return chosen


def make_buckets(
    datasets: Sequence[Dataset],
    options: DataOptions,
    structured: bool,
    with_rules: bool = False,
) -> list[Bucket]:
    """One bucket for each file, task and board shape of --data; for token-based reasoners, which
    read padded boards, one bucket for all where there are several."""
    mix = options.mix or (1.0,) * len(datasets)
    kinds = {(puzzle.task, puzzle.shape) for dataset in datasets for puzzle in dataset}
    if not structured and len(kinds) > 1:
        puzzles = [puzzle for dataset in datasets for puzzle in dataset]
        shares = zip(datasets, mix, strict=True)
        chances = [share / len(dataset) for dataset, share in shares for _ in dataset]
        return [MixedBucket(puzzles, chances, options.augment)]
    buckets: list[Bucket] = []
    for dataset, share in zip(datasets, mix, strict=True):
        groups = group_by_shape(dataset.puzzles)
        total = len(dataset)
        buckets += [
            Bucket(
                load_task(name),
                puzzles,
                share * len(puzzles) / total,
                len(buckets) + i,
                structured,
                options.augment,
                with_rules,
            )
            for i, ((name, _), puzzles) in enumerate(groups.items())
        ]
    return buckets


def load_answered(path: Path, task: str | None, split: str, limit: int | None) -> Dataset:
    """A data set in which every puzzle comes with its answer."""
    dataset = load_dataset(path, task, split if has_splits(path) else None, limit)
    for number, puzzle in enumerate(dataset, 1):
        if puzzle.answer is None:
            raise InputError(f"puzzle {number} of {path} has no answer to learn from")
    return dataset


def group_by_shape(puzzles: Sequence[Puzzle]) -> dict[tuple[str, tuple[int, int]], list[Puzzle]]:
    groups: dict[tuple[str, tuple[int, int]], list[Puzzle]] = defaultdict(list)
    for puzzle in puzzles:
        groups[puzzle.task, puzzle.shape].append(puzzle)
    return dict(sorted(groups.items(), key=lambda item: item[0]))


def fit_model(config: ReasonerConfig, buckets: Sequence[Bucket]) -> ReasonerConfig:
    """The reasoner's sizes that follow from the tasks: states, features, vocabulary."""
    if not config.structured:
        mixed = buckets[0].padding is not None or len({bucket.shape for bucket in buckets}) > 1
        cells = max(bucket.cells for bucket in buckets)
        tasks = [task for bucket in buckets for task in bucket.tasks]
        return replace(
            config,
            vocabulary=max(config.vocabulary, *(task.vocabulary for task in tasks)),
            # Boards of several shapes may grow up to what was asked for in a later stage.
            length=max(config.length, cells) if mixed else cells,
            board=buckets[0].shape if config.rope == "2d" and not mixed else None,
        )
    first = buckets[0].encode(buckets[0].puzzles[0])
    sizes = {
        "states": first.domain.shape[1],
        "features": first.features.shape[1],
        "partitions": len(first.partitions),
        "interchangeable": buckets[0].task.interchangeable,
        "lattice": config.lattice and buckets[0].task.lattice,
    }
    for bucket in buckets:
        if bucket.task.name != buckets[0].task.name:
            raise InputError(
                f"a structured reasoner learns one task, but --data holds {buckets[0].task.name} "
                f"and {bucket.task.name}; train one for each, or use --mixer attention"
            )
    if config.scopes and not config.kinds:
        sizes["kinds"] = kinds_of(_some_rules(buckets))
    if config.advice != "none" and not config.factors + config.potentials:
        channels = channels_of(_some_rules(buckets), propagation=False)
        sizes |= {"factors": channels.factors, "potentials": channels.potentials}
        sizes["preferences"] = channels.preferences
    return replace(config, **sizes)


def _some_rules(buckets: Sequence[Bucket]) -> list[Rules]:
    """The rulebooks of some puzzles of each bucket: all kinds of rules should be among them."""
    return [bucket.task.rules(puzzle) for bucket in buckets for puzzle in bucket.puzzles[:SAMPLED]]


def known_answer(puzzle: Puzzle) -> np.ndarray:
    """The answer to learn from."""
    if puzzle.answer is None:
        raise InputError(f"a {puzzle.task} puzzle without an answer cannot be trained on")
    return puzzle.answer
