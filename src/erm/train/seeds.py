"""All randomness of a training run is a function of the seed and of what it is drawn for.

No generator lives on between steps, so there is none to save: a resumed run draws what the
uninterrupted one would have drawn, on any number of processes.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import torch

from erm.model.noise import key_of


class Purpose(IntEnum):
    """What a draw is for; draws for different purposes are independent."""

    WEIGHTS = 0
    ROW = 1
    """Puzzle, symmetry, pruning and start of the c-th puzzle of a row."""
    EXPLORE = 2
    """Which rows go on although q says that they are done."""
    NOISE = 3
    """Path noise of a step."""
    VALIDATION = 4
    GUESS = 5
    """Guesses that rows make during an episode."""
    GUIDANCE = 6
    """eta of a row's puzzle."""


def numpy_draw(seed: int, purpose: Purpose, *where: int) -> np.random.Generator:
    return np.random.default_rng([seed, purpose, *where])


def stream_key(seed: int, purpose: Purpose, *where: int) -> tuple[int, int]:
    """The key of numbers by address, see `model.noise`."""
    return key_of(seed, int(purpose), *where)


def torch_draw(seed: int, purpose: Purpose, *where: int, device: str = "cpu") -> torch.Generator:
    state = np.random.SeedSequence([seed, purpose, *where]).generate_state(2, np.uint32)
    number = int(state[0]) << 31 ^ int(state[1])
    return torch.Generator(device).manual_seed(number)
