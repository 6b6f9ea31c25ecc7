"""A puzzle made ready for a reasoner: its rules, what a network sees of it, its random streams."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool
from torch import Tensor

from erm.model.inputs import Inputs, Padding, collate
from erm.model.noise import Stream, key_of
from erm.rulebook.propagate import prune
from erm.rulebook.rules import Rules
from erm.rulebook.task import Task
from erm.types import Encoding, Puzzle


@dataclass(frozen=True, eq=False)
class Problem:
    """One puzzle with everything that the rulebook derives from it.

    Each part is made when it is first asked for, and kept.
    """

    task: Task
    puzzle: Puzzle
    groups: int | None = None
    """Groups that each partition is padded to, where a compiled network is to see one shape."""
    padding: Padding | None = None
    """What a token-based network's board is padded to, for the same reason."""

    @cached_property
    def rules(self) -> Rules:
        return self.task.rules(self.puzzle)

    @cached_property
    def encoding(self) -> Encoding:
        return self.task.encode(self.puzzle)

    @cached_property
    def inputs(self) -> Inputs:
        """The puzzle as a batch of one row."""
        return collate([self.encoding], self.groups, [self.rules], self.padding)

    @cached_property
    def pruned(self) -> Bool[np.ndarray, "n S"]:
        """What the rules leave of the printed clues; all empty where these are contradictory."""
        return prune(self.rules, self.rules.domain[None])[0]

    @cached_property
    def given(self) -> Bool[Tensor, "1 n"]:
        """The cells that the printed clues fix."""
        return self.inputs.domain.sum(-1) == 1

    @cached_property
    def key(self) -> bytes:
        """What is printed, hashed: the same puzzle is searched alike in every data set."""
        digest = hashlib.blake2b(f"{self.puzzle.task} {self.puzzle.shape}".encode())
        for name in sorted(self.puzzle.givens):
            given = np.ascontiguousarray(self.puzzle.givens[name])
            digest.update(f"{name} {given.shape}".encode() + given.astype(np.int64).tobytes())
        return digest.digest()

    @property
    def kind(self) -> tuple:
        """Puzzles of one kind fit into one batch."""
        encoding = self.encoding
        sizes = encoding.domain.shape, encoding.features.shape, len(encoding.partitions)
        return self.task.name, encoding.shape, *sizes

    def draw(self, seed: int, k: int) -> Stream:
        """Candidate k's own randomness, so that no candidate depends on what it runs beside."""
        return Stream(key_of(self.key, seed), k)
