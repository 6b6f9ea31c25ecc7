"""Small encoded boards for the model tests."""

from collections.abc import Iterable

import numpy as np
import torch

from erm.model.config import ReasonerConfig
from erm.model.inputs import Inputs, collate
from erm.model.noise import Stream, key_of
from erm.types import Encoding

STRUCTURED = ReasonerConfig(
    hidden=12, inner=20, l_cycles=2, states=3, features=2, partitions=2, path_noise=0.01
)
TOKENS = ReasonerConfig(
    mixer="token-mlp", hidden=16, h_cycles=2, l_cycles=2, vocabulary=7, length=12, expansion=1.0,
    damping=0.95, path_noise=0.01, heads=2, inner=24, rope="none",
)  # fmt: skip


def boards(count: int, shape: tuple[int, int] = (3, 4), seed: int = 0) -> Inputs:
    """Boards with random domains, features, rows and columns as groups, and tokens."""
    random = np.random.default_rng(seed)
    cells = shape[0] * shape[1]
    row, column = np.divmod(np.arange(cells), shape[1])

    def one() -> Encoding:
        domain = random.random((cells, 3)) < 0.7
        domain[~domain.any(1)] = True
        return Encoding(
            shape=shape,
            domain=domain,
            features=random.integers(0, 2, (cells, 2)).astype(np.float32),
            partitions=np.stack([row, column]),
            tokens=random.integers(0, 7, cells),
            answer_tokens=np.tile(np.arange(3), (cells, 1)),
        )

    return collate([one() for _ in range(count)], groups=max(shape))


def streams(numbers: Iterable[int]) -> list[Stream]:
    """A stream of random numbers for each row."""
    return [Stream(key_of("row", number)) for number in numbers]


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
