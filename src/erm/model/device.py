"""Where the network runs, and what it computes in."""

from __future__ import annotations

import os
from collections.abc import Callable
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


def compiled(function: Callable, backend: str = "inductor") -> Callable:
    """The function compiled, each shape by itself: code for any shape is markedly slower.

    torch (2.13) keeps finished code under a name that says nothing of the processor: taken up
    again under another ATEN_CPU_CAPABILITY, or where machines share a cache, code for wider
    vectors does not compile or computes nonsense. So the width of the vectors is said.
    """
    if backend != "inductor":
        return torch.compile(function, dynamic=False, backend=backend)
    from torch._inductor.cpu_vec_isa import pick_vec_isa

    width = pick_vec_isa().bit_width()
    return torch.compile(function, dynamic=False, options={"cpp.simdlen": width})


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
