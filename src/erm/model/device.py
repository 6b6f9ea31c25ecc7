"""Where the network runs."""

from __future__ import annotations

import torch

from erm.errors import InputError


def pick_device(name: str, local_rank: int = 0) -> torch.device:
    """The device that an option names; auto is cuda where there is one, else cpu."""
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
