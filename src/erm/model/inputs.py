"""A batch of encoded puzzles as tensors: what `start` and `step` of a reasoner read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.errors import InputError
from erm.model.exchange import Exchange
from erm.rulebook.rules import Rules
from erm.types import Encoding


class Padding(NamedTuple):
    """What boards of several shapes and tasks are filled up to, so that one batch holds them."""

    cells: int
    states: int


@dataclass(frozen=True, eq=False)
class Inputs:
    """Rows of a batch; all boards in it have one shape, unless they are padded."""

    shape: tuple[int, int]
    """Height and width of every board; 1 x the common length where they are padded."""
    domain: Bool[Tensor, "B n S"]
    features: Float[Tensor, "B n F"]
    gather: Float[Tensor, "B PG n"]
    """Mean over each group of each partition; groups are padded to G a partition."""
    spread: Float[Tensor, "B n PG"]
    """Membership: hands a group's value back to its cells."""
    tokens: Int[Tensor, "B n"]
    answer_tokens: Int[Tensor, "B n S"]
    sides: Int[Tensor, "B 2"]
    """Height and width of each row's own board, which takes the first positions."""
    padded: bool = False
    """Whether rows hold positions beyond their board: token 0, which nothing may see."""
    rules: tuple[Rules, ...] | None = None
    """The rulebook of each row, for reasoners with advice or scopes."""
    exchange: Exchange | None = None
    """The scopes along which cells exchange messages; a reasoner's step puts them here."""

    def __len__(self) -> int:
        return len(self.tokens)

    def _map(self, change, rules: tuple[Rules, ...] | None) -> Inputs:
        return replace(self, rules=rules, **{name: change(getattr(self, name)) for name in TENSORS})

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

    def mask(self, prefix: int = 0) -> Bool[Tensor, "B m"] | None:
        """The positions that are no padding, behind `prefix` others; None where none is."""
        if not self.padded:
            return None
        places = torch.arange(-prefix, self.tokens.shape[1], device=self.tokens.device)
        return places < self.sides.prod(-1, keepdim=True)

    def without_rules(self) -> Inputs:
        """Tensors only, which is what can be compiled."""
        return replace(self, rules=None)

    def with_domain(self, domain: Bool[Tensor, "B n S"]) -> Inputs:
        """The same boards with more (or fewer) states ruled out."""
        return replace(self, domain=domain)


TENSORS = tuple(
    field.name
    for field in fields(Inputs)
    if field.name not in ("shape", "padded", "rules", "exchange")
)
"""The fields that have one row a puzzle."""


def collate(
    encodings: Sequence[Encoding],
    groups: int | None = None,
    rules: Sequence[Rules] | None = None,
    padding: Padding | None = None,
) -> Inputs:
    """Encoded puzzles of one board shape as a batch.

    `groups` fixes G, so that a compiled network sees one shape whatever the rooms are. With
    `padding`, which token-based reasoners understand, boards of any shapes and tasks go together.
    """
    sides = torch.tensor([encoding.shape for encoding in encodings])
    if padding is not None:
        encodings = [_pad(encoding, padding) for encoding in encodings]
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
        sides=sides,
        padded=padding is not None,
        rules=None if rules is None else tuple(rules),
    )


def _pad(encoding: Encoding, padding: Padding) -> Encoding:
    """The board in the first positions; padding has one state, so that it counts as given."""
    cells, states = encoding.domain.shape
    if cells > padding.cells or states > padding.states:
        raise InputError(
            f"a board of {cells} cells and {states} states does not fit into "
            f"{padding.cells} and {padding.states}"
        )
    tail, wide = padding.cells - cells, padding.states - states
    domain = np.pad(encoding.domain, ((0, tail), (0, wide)))
    domain[cells:, 0] = True
    return Encoding(
        shape=(1, padding.cells),
        domain=domain,
        features=np.zeros((padding.cells, 0), np.float32),
        partitions=np.zeros((0, padding.cells), np.int64),
        tokens=np.pad(encoding.tokens, (0, tail)),
        answer_tokens=np.pad(encoding.answer_tokens, ((0, tail), (0, wide))),
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
