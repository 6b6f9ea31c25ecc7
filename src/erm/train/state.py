"""The state of a run on disk: safetensors and JSON, complete or not there, two generations.

RUN/state/00001000/shared.safetensors    weights, moving average, optimiser
                   rows-0.safetensors    carried rows, one file per process
                   manifest.json         step, hashes; written last, so that its presence
                                         means that the rest is complete
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from erm.errors import InputError
from erm.files import atomic, sha256, write_json
from erm.json_file import NUMBER, mismatch, read_object
from erm.progress import messages
from erm.train.distributed import Group

SHARED = "shared.safetensors"
MANIFEST = "manifest.json"
GENERATIONS = 2
MANIFEST_SPEC = {
    "step": int,
    "seconds": NUMBER,
    "files": {str: str},
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
    place = folder / "state" / f"{step:08d}"
    if group.leads:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
    group.barrier()
    _write(place / f"rows-{group.rank}.safetensors", rows)
    if group.leads:
        _write(place / SHARED, shared)
    group.barrier()
    if group.leads:
        names = [SHARED, *(f"rows-{rank}.safetensors" for rank in range(group.world))]
        hashes = {name: sha256(place / name) for name in names}
        said = {"step": step, "seconds": seconds, "files": hashes, "window": window or {}}
        write_json(place / MANIFEST, said)
        for old in _generations(folder)[:-GENERATIONS]:
            shutil.rmtree(old)


def load(folder: Path, quiet: bool = False) -> Saved | None:
    """The newest complete state; what is torn is named and passed over. None: start afresh."""
    for place in reversed(_generations(folder)):
        torn = _torn(place)
        if torn is None:
            return _read(place)
        if not quiet:
            messages.print(f"The state {place} is torn ({torn}); using the one before it.")
    return None


def _generations(folder: Path) -> list[Path]:
    """States of which a manifest was written, oldest first."""
    return sorted(path.parent for path in (folder / "state").glob(f"*/{MANIFEST}"))


def _write(path: Path, tensors: dict[str, Tensor]) -> None:
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with atomic(path) as temporary:
        # Written by Python, whose error on a full disk is one that commands know.
        temporary.write_bytes(safetensors.torch.save(plain))


def _torn(place: Path) -> str | None:
    """What is wrong with a state, or None."""
    try:
        manifest = read_object(place / MANIFEST)
    except InputError:
        return f"{MANIFEST} cannot be read"
    if mismatch(manifest, MANIFEST_SPEC) is not None:
        return f"{MANIFEST} is not that of a state"
    for name, digest in manifest["files"].items():
        if not (place / name).is_file():
            return f"{name} is missing"
        if sha256(place / name) != digest:
            return f"{name} does not match its hash"
    return None


def _read(place: Path) -> Saved:
    manifest = read_object(place / MANIFEST)
    parts = [load_file(place / name) for name in manifest["files"] if name != SHARED]
    rows = {name: torch.cat([part[name] for part in parts]) for name in parts[0]}
    # A copy, because loaded tensors are views of a file that will go with its generation.
    shared = {name: tensor.clone() for name, tensor in load_file(place / SHARED).items()}
    return Saved(manifest["step"], manifest["seconds"], shared, rows, manifest.get("window") or {})


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
