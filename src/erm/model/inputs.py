"""A batch of encoded puzzles as tensors: what `start` and `step` of a reasoner read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.errors import InputError
from erm.rulebook.rules import Rules
from erm.types import Encoding


@dataclass(frozen=True, eq=False)
class Inputs:
    """Rows of a batch; all boards in it have one shape."""

    shape: tuple[int, int]
    domain: Bool[Tensor, "B n S"]
    features: Float[Tensor, "B n F"]
    gather: Float[Tensor, "B PG n"]
    """Mean over each group of each partition; groups are padded to G a partition."""
    spread: Float[Tensor, "B n PG"]
    """Membership: hands a group's value back to its cells."""
    tokens: Int[Tensor, "B n"]
    answer_tokens: Int[Tensor, "B n S"]
    rules: tuple[Rules, ...] | None = None
    """The rulebook of each row, for reasoners that hear it."""

    def __len__(self) -> int:
        return len(self.tokens)

    def _map(self, change, rules: tuple[Rules, ...] | None) -> Inputs:
        tensors = {name: change(getattr(self, name)) for name in TENSORS}
        return Inputs(shape=self.shape, rules=rules, **tensors)

    def __getitem__(self, rows) -> Inputs:
        chosen = None
        if self.rules is not None:
            chosen = tuple(self.rules[row] for row in torch.arange(len(self))[rows].tolist())
        return self._map(lambda tensor: tensor[rows], chosen)

    def repeat(self, times: int) -> Inputs:
        """Each row `times` times in succession: K candidates of every puzzle."""
        chosen = None
        if self.rules is not None:
            chosen = tuple(one for one in self.rules for _ in range(times))
        return self._map(lambda tensor: tensor.repeat_interleave(times, 0), chosen)

    def to(self, device: torch.device | str) -> Inputs:
        return self._map(lambda tensor: tensor.to(device), self.rules)

    def expand(self, times: int) -> Inputs:
        """One row seen so many times, without copying its tensors."""
        chosen = None if self.rules is None else self.rules * times
        return self._map(lambda tensor: tensor.expand(times, *tensor.shape[1:]), chosen)

    def without_rules(self) -> Inputs:
        """Tensors only, which is what can be compiled."""
        return replace(self, rules=None)

    def with_domain(self, domain: Bool[Tensor, "B n S"]) -> Inputs:
        """The same boards with more (or fewer) states ruled out."""
        return replace(self, domain=domain)


TENSORS = tuple(field.name for field in fields(Inputs) if field.name not in ("shape", "rules"))
"""The fields that have one row a puzzle."""


def collate(
    encodings: Sequence[Encoding],
    groups: int | None = None,
    rules: Sequence[Rules] | None = None,
) -> Inputs:
    """Encoded puzzles of one board shape as a batch.

    `groups` fixes G, so that a compiled network sees one shape whatever the rooms are.
    """
    shape = encodings[0].shape
    if any(encoding.shape != shape for encoding in encodings):
        raise InputError("a batch holds boards of one shape; group them by shape first")
    partitions = np.stack([encoding.partitions for encoding in encodings])
    gather, spread = _memberships(partitions, groups)

    def stack(name: str, dtype: torch.dtype) -> Tensor:
        arrays = [getattr(encoding, name) for encoding in encodings]
        return torch.from_numpy(np.stack(arrays)).to(dtype)

    return Inputs(
        shape=shape,
        domain=stack("domain", torch.bool),
        features=stack("features", torch.float32),
        gather=gather,
        spread=spread,
        tokens=stack("tokens", torch.int64),
        answer_tokens=stack("answer_tokens", torch.int64),
        rules=None if rules is None else tuple(rules),
    )


def _memberships(
    partitions: Int[np.ndarray, "B P n"], groups: int | None
) -> tuple[Float[Tensor, "B PG n"], Float[Tensor, "B n PG"]]:
    batch, count, cells = partitions.shape
    needed = int(partitions.max()) + 1 if partitions.size else 0
    width = needed if groups is None else groups
    if needed > width:
        raise InputError(f"a board has {needed} groups, more than the batch's {width}")
    spread = np.zeros((batch, cells, count, width), np.float32)
    np.put_along_axis(spread, partitions.transpose(0, 2, 1)[..., None], 1.0, axis=-1)
    spread = spread.reshape(batch, cells, count * width)
    sizes = np.maximum(spread.sum(1, keepdims=True), 1.0)
    gather = (spread / sizes).transpose(0, 2, 1)
    return torch.from_numpy(np.ascontiguousarray(gather)), torch.from_numpy(spread)
