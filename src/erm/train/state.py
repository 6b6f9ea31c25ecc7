"""What a training goes on with, as a snapshot of its run folder: safetensors and JSON.

RUN/state/00001000/shared.safetensors    weights, moving average, optimiser
                   rows-0.safetensors    carried rows, one file per process
                   manifest.json         step, seconds and hashes, see `erm.run_folder`
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from erm.errors import InputError
from erm.files import atomic
from erm.json_file import NUMBER
from erm.run_folder import Snapshots
from erm.train.distributed import Group

SHARED = "shared.safetensors"
MANIFEST = {
    "step": int,
    "seconds": NUMBER,
    "window?": {"sums?": {str: NUMBER}, "weights?": {str: NUMBER}, "elapsed?": NUMBER},
}


@dataclass(frozen=True)
class Saved:
    """A complete state: what all processes share, and every row in the order of its number."""

    step: int
    seconds: float
    shared: dict[str, Tensor]
    rows: dict[str, Tensor]
    window: dict[str, Any]
    """What the next line of metrics has summed up so far."""


def save(
    folder: Path,
    step: int,
    seconds: float,
    shared: dict[str, Tensor],
    rows: dict[str, Tensor],
    group: Group,
    window: dict[str, Any] | None = None,
) -> None:
    """Every process calls this; the first writes what is shared and, at last, the manifest."""
    snapshots = Snapshots(folder, MANIFEST)
    if group.leads:
        snapshots.begin(step)
    group.barrier()
    place = snapshots.place(step)
    _write(place / f"rows-{group.rank}.safetensors", rows)
    if group.leads:
        _write(place / SHARED, shared)
    group.barrier()
    if group.leads:
        snapshots.seal(step, {"step": step, "seconds": seconds, "window": window or {}})


def load(folder: Path, quiet: bool = False) -> Saved | None:
    """The newest complete state; None: start afresh."""
    found = Snapshots(folder, MANIFEST).newest(quiet)
    if found is None:
        return None
    place, said = found
    names = [f"rows-{rank}.safetensors" for rank in range(len(said["files"]) - 1)]
    if not names or said["files"].keys() != {SHARED, *names}:
        raise InputError(f"{place} is no state of a training; delete it to use the one before it")
    parts = [load_file(place / name) for name in names]
    rows = {name: torch.cat([part[name] for part in parts]) for name in parts[0]}
    # A copy, because loaded tensors are views of a file that will go with its snapshot.
    shared = {name: tensor.clone() for name, tensor in load_file(place / SHARED).items()}
    return Saved(said["step"], said["seconds"], shared, rows, said.get("window") or {})


def _write(path: Path, tensors: dict[str, Tensor]) -> None:
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with atomic(path) as temporary:
        # Written by Python, whose error on a full disk is one that commands know.
        temporary.write_bytes(safetensors.torch.save(plain))


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """An optimiser's memory, by the number of the parameter; the options are in config.json."""
    return {
        f"{number}.{name}": value
        for number, memory in optimiser.state_dict()["state"].items()
        for name, value in memory.items()
    }


def load_optimiser(optimiser: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    memory: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        number, _, name = key.partition(".")
        memory.setdefault(int(number), {})[name] = value
    optimiser.load_state_dict({**optimiser.state_dict(), "state": memory})


def under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors below a prefix, without it."""
    return {
        name.removeprefix(prefix): value
        for name, value in tensors.items()
        if name.startswith(prefix)
    }


def load_weights(model: nn.Module, tensors: dict[str, Tensor], source: str) -> None:
    """Strictly: the same names and shapes."""
    try:
        model.load_state_dict(tensors, strict=True)
    except RuntimeError as error:
        first = str(error).splitlines()[1:2] or [str(error)]
        raise InputError(
            f"the weights of {source} do not fit the model asked for: {first[0].strip()}"
        ) from None
