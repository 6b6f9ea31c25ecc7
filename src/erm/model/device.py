"""Where the network runs."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import torch

from erm.errors import InputError

Precision = Literal["float32", "bfloat16"]
"""What a network computes in; its weights, latent states and answers stay in float32."""


def in_precision(precision: Precision, device: torch.device) -> AbstractContextManager:
    """The network inside runs in that precision, where the device has it."""
    if precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, torch.bfloat16)


def pick_device(name: str, local_rank: int | None = None) -> torch.device:
    """The device that an option names; auto is cuda where there is one, else cpu.

    Of several GPUs of a machine each process takes its own, as torchrun says in LOCAL_RANK.
    """
    if local_rank is None:
        local_rank = int(os.environ.get("LOCAL_RANK", "0"))
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    available = {
        "cpu": True,
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
    }
    kind = name.partition(":")[0]
    if not available.get(kind, False):
        usable = ", ".join(key for key, here in available.items() if here)
        raise InputError(f"--device {name} is not available here; usable: {usable}")
    if name == "cuda":
        torch.cuda.set_device(local_rank)
        return torch.device("cuda", local_rank)
    return torch.device(name)
