"""Randomness by address: the same numbers wherever, whenever and beside whatever they are drawn.

Philox4x32-10 (Salmon et al., 2011), a bijection of counters that JAX, cuRAND and PyTorch use too.
A number is addressed by (seed, puzzle), candidate, step, purpose and place, so that no candidate
depends on its batch, no state has to be carried, and one call serves all rows on their own device.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import no_type_check

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from erm.rulebook.kernel import kernel

WORD = 0xFFFFFFFF
MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
WEYL = 0x9E3779B9, 0xBB67AE85
ROUNDS = 10
SIGN = 1 << 31
PRECISION = 24
"""Bits of a uniform number that float32 can hold."""
DEVIATION_OF_CUT = 0.8796256610342398
"""Of a standard normal that is cut at two deviations."""
ROOT_OF_TWO = math.sqrt(2)
PIECE = 1 << 13
"""Blocks of four numbers that are drawn and changed at a time on the CPU."""
WITHIN_CUT = math.erf(2.0 / math.sqrt(2.0))
AT_ONCE = 1 << 22
"""Blocks that a device draws at a time: the words of a block take some hundred bytes on the way."""


class Purpose(IntEnum):
    """What a reasoner's numbers are for; those for different purposes are independent."""

    START_H = 0
    START_L = 1
    STEP_H = 2
    """sigma of PTRM and of tempering, before a step."""
    STEP_L = 3
    PATH = 4
    """beta of EqR, at every update of a step."""
    GUESS = 5
    """Which cell and state a rollout with hints guesses."""
    GUIDANCE_H = 6
    """Langevin noise of energy guidance."""
    GUIDANCE_L = 7


@dataclass(frozen=True, eq=False)
class Draws:
    """Where each row of a batch finds its random numbers: a key, a candidate, a step."""

    keys: Int[Tensor, "B 2"]
    """Two words of 32 bits that stand for seed and puzzle."""
    candidates: Int[Tensor, " B"]
    steps: Int[Tensor, " B"]

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, rows) -> Draws:
        return Draws(self.keys[rows], self.candidates[rows], self.steps[rows])

    def to(self, device: torch.device | str) -> Draws:
        return Draws(self.keys.to(device), self.candidates.to(device), self.steps.to(device))

    def uniform(self, shape: tuple[int, ...], purpose: int) -> Float[Tensor, "B ..."]:
        """Numbers in (-1, 1), in float32, of the given shape for each row."""
        return self._numbers(shape, purpose, lambda numbers: numbers)

    def normal(self, shape: tuple[int, ...], purpose: int) -> Float[Tensor, "B ..."]:
        """Standard normal numbers in float32."""
        return self._numbers(shape, purpose, lambda numbers: numbers.erfinv_().mul_(ROOT_OF_TWO))

    def truncated_normal(self, shape: tuple[int, ...], purpose: int) -> Float[Tensor, "B ..."]:
        """Normal numbers cut at two deviations, scaled to a deviation of 1 (EqR's start)."""
        scale = ROOT_OF_TWO / DEVIATION_OF_CUT
        return self._numbers(
            shape, purpose, lambda numbers: numbers.mul_(WITHIN_CUT).erfinv_().mul_(scale)
        )

    def _numbers(
        self, shape: tuple[int, ...], purpose: int, change: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "B ..."]:
        """Uniform numbers, changed in place: on the CPU piece by piece, while in the cache."""
        count = math.prod(shape)
        blocks = -(-count // 4)
        if self.keys.device.type != "cpu":
            numbers = change(self._on_device(blocks, purpose))
        else:
            numbers = torch.empty(len(self), 4 * blocks)
            addresses = torch.cat([self.keys, self.candidates[:, None], self.steps[:, None]], 1)
            for row, address in enumerate(addresses.numpy()):
                for first in range(0, blocks, PIECE):
                    piece = numbers[row, 4 * first : 4 * (first + PIECE)]
                    _fill(piece.numpy(), address, purpose, first)
                    change(piece)
        return numbers[:, :count].reshape(len(self), *shape)

    def _on_device(self, blocks: int, purpose: int) -> Float[Tensor, "B c"]:
        rows = max(1, AT_ONCE // max(blocks, 1))
        if rows < len(self):
            parts = [self[first : first + rows] for first in range(0, len(self), rows)]
            return torch.cat([part._on_device(blocks, purpose) for part in parts])
        places = torch.arange(blocks, device=self.keys.device)[None]
        where = self.candidates[:, None], self.steps[:, None]
        counter = [places, *where, torch.full_like(places, purpose)]
        words = philox(counter, [self.keys[:, :1], self.keys[:, 1:]]).flatten(1)
        signed = ((words ^ SIGN) - SIGN) >> (32 - PRECISION)
        return signed.float().add_(0.5).mul_(2.0 ** (1 - PRECISION))


@dataclass
class Stream:
    """One candidate's randomness: where it is to be found, and how much of it is used up."""

    key: tuple[int, int]
    k: int = 0
    time: int = 0
    """Starts and steps so far; each has numbers of its own."""

    @staticmethod
    def next(streams: Sequence[Stream], device: torch.device | str = "cpu") -> Draws:
        """The numbers of each stream's next start or step, which counts as taken."""
        words = [(*one.key, one.k & WORD, one.time) for one in streams]
        for one in streams:
            one.time += 1
        table = torch.tensor(words, dtype=torch.int64).reshape(-1, 4).to(device)
        return Draws(table[:, :2], table[:, 2], table[:, 3])

    @cached_property
    def generator(self) -> torch.Generator:
        """For the few decisions that are made one by one, such as where a search branches."""
        digest = hashlib.blake2b(repr((self.key, self.k)).encode(), digest_size=8).digest()
        return torch.Generator().manual_seed(int.from_bytes(digest, "little"))


def key_of(*names: object) -> tuple[int, int]:
    """A key's two words from whatever names it: a seed, the bytes of a puzzle."""
    digest = hashlib.blake2b(repr(names).encode(), digest_size=8).digest()
    return int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:], "little")


def philox(counter: list[Tensor], key: list[Tensor]) -> Int[Tensor, "*shape 4"]:
    """Ten rounds over words of 32 bits that are held in int64, on any device."""
    c0, c1, c2, c3 = torch.broadcast_tensors(*counter)
    k0, k1 = key
    for _ in range(ROUNDS):
        first, second = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = (
            (second >> 32) & WORD ^ c1 ^ k0,
            second & WORD,
            (first >> 32) & WORD ^ c3 ^ k1,
            first & WORD,
        )
        k0, k1 = (k0 + WEYL[0]) & WORD, (k1 + WEYL[1]) & WORD
    return torch.stack([c0, c1, c2, c3], -1)


@kernel
@no_type_check
def _fill(numbers, address, purpose, first_block):
    """`philox` from a block on, as numbers in (-1, 1)."""
    candidate, step = np.uint32(address[2]), np.uint32(address[3])
    scale = np.float32(2.0**-23)
    for block in range(len(numbers) // 4):
        c0, c1, c2, c3 = np.uint32(first_block + block), candidate, step, np.uint32(purpose)
        k0, k1 = np.uint32(address[0]), np.uint32(address[1])
        for _ in range(ROUNDS):
            one = np.uint64(c0) * np.uint64(0xD2511F53)
            two = np.uint64(c2) * np.uint64(0xCD9E8D57)
            c0 = np.uint32(two >> np.uint64(32)) ^ c1 ^ k0
            c1 = np.uint32(two)
            c2 = np.uint32(one >> np.uint64(32)) ^ c3 ^ k1
            c3 = np.uint32(one)
            k0 = np.uint32(k0 + np.uint32(0x9E3779B9))
            k1 = np.uint32(k1 + np.uint32(0xBB67AE85))
        numbers[4 * block] = (np.float32(np.int32(c0) >> 8) + np.float32(0.5)) * scale
        numbers[4 * block + 1] = (np.float32(np.int32(c1) >> 8) + np.float32(0.5)) * scale
        numbers[4 * block + 2] = (np.float32(np.int32(c2) >> 8) + np.float32(0.5)) * scale
        numbers[4 * block + 3] = (np.float32(np.int32(c3) >> 8) + np.float32(0.5)) * scale
