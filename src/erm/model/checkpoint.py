"""A checkpoint is a folder: model.safetensors, config.json and card.json (see `erm.model.card`).

Beside them may lie seen_v2.npy, fingerprints of the puzzles it was trained on.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch
from jaxtyping import UInt64
from safetensors import SafetensorError
from torch import Tensor

from erm import npy_file
from erm.errors import InputError
from erm.files import atomic_folder, write_json
from erm.model.card import (
    CARD,
    CONFIG,
    FILES,
    WEIGHTS,
    check_card,
    checkpoint_folder,
    current_card,
    read_card,
    read_config,
)
from erm.model.config import ReasonerConfig
from erm.model.reasoner import Reasoner

SEEN, OLD_SEEN = "seen_v2.npy", "seen.npy"
"""The name is the version of the fingerprints: old ones cannot be compared with new ones."""
RENAMED = {
    "surface.judge.": "codec.q_head.",
    "surface.hear.": "codec.advice.",
    "codec.hear.": "codec.advice.",
    "surface.": "codec.",
}
"""How names of tensors began in older checkpoints, and how they begin now."""


def save_checkpoint(
    folder: str | Path,
    reasoner: Reasoner,
    card: Mapping[str, Any],
    weights: Mapping[str, Tensor] | None = None,
    seen: UInt64[np.ndarray, " m"] | None = None,
) -> Path:
    """Write the folder as a whole or not at all; an older checkpoint of that name is replaced.

    `weights` are saved instead of the reasoner's own, such as an average of them; `seen` are the
    fingerprints of the training puzzles.
    """
    folder = Path(folder)
    state = dict(reasoner.state_dict() if weights is None else weights)
    _check_shapes(str(folder), reasoner.config, {key: t.shape for key, t in state.items()})
    check_replaceable(folder)
    full = {
        "task": card.get("task"),
        "architecture": architecture(reasoner.config),
        "parameters": reasoner.parameter_count,
        **card,
    }
    check_card(str(folder), full)
    full = current_card(full, reasoner.config.structured)
    _check_finite(str(folder), state)
    with atomic_folder(folder) as temporary:
        tensors = {key: t.detach().cpu().contiguous() for key, t in state.items()}
        (temporary / WEIGHTS).write_bytes(safetensors.torch.save(tensors))
        write_json(temporary / CONFIG, reasoner.config.to_json())
        write_json(temporary / CARD, full)
        if seen is not None:
            np.save(temporary / SEEN, seen, allow_pickle=False)
    return folder


def load_checkpoint(path: str | Path) -> tuple[Reasoner, dict[str, Any]]:
    """The reasoner and its card, strictly: every tensor of the config and no other."""
    folder = checkpoint_folder(path)
    config, card = read_config(folder), read_card(folder)
    tensors = current_names(_read_weights(folder / WEIGHTS))
    _check_shapes(str(folder), config, {key: tensor.shape for key, tensor in tensors.items()})
    _check_finite(str(folder), tensors)
    # Building draws initial weights that are overwritten; callers' random state stays as it was.
    with torch.random.fork_rng(devices=[]):
        reasoner = Reasoner(config)
    reasoner.load_state_dict(tensors)
    return reasoner.eval(), card


def read_seen(folder: str | Path) -> UInt64[np.ndarray, " m"] | None:
    """Fingerprints of the puzzles that the checkpoint was trained on, where it tells."""
    file = checkpoint_folder(folder) / SEEN
    if not file.is_file():
        return None
    seen = npy_file.load(file)
    if seen.dtype != np.uint64 or seen.ndim != 1:
        raise InputError(f"{file} must hold one row of unsigned 64-bit numbers")
    return seen


def current_names(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights of any version by the names that they have now."""
    return {_current_name(name): tensor for name, tensor in tensors.items()}


def architecture(config: ReasonerConfig) -> str:
    """The family in a few words: "structured", "EqR token-mlp", "HRM attention"."""
    if config.structured:
        return config.mixer
    fixed = "HRM" if config.h_layers else "TRM"
    return f"{'EqR' if config.random_start else fixed} {config.mixer}"


def expected_shapes(config: ReasonerConfig) -> dict[str, torch.Size]:
    """Names and shapes of a reasoner's tensors, without allocating them."""
    return {key: tensor.shape for key, tensor in blank(config).state_dict().items()}


def blank(config: ReasonerConfig) -> Reasoner:
    """A reasoner on the meta device: all shapes, no storage."""
    with torch.random.fork_rng(devices=[]), torch.device("meta"):
        return Reasoner(config)


def check_replaceable(folder: Path) -> None:
    """Only an absent or empty folder or an older checkpoint may be written over."""
    if folder.is_dir() and any(
        path.name not in (*FILES, SEEN, OLD_SEEN) for path in folder.iterdir()
    ):
        raise InputError(f"{folder} holds other files than a checkpoint; choose another folder")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; a checkpoint is a folder, choose another name")


def _current_name(name: str) -> str:
    for before, now in RENAMED.items():
        if name.startswith(before):
            return now + name.removeprefix(before)
    return name


def _check_shapes(where: str, config: ReasonerConfig, shapes: Mapping[str, torch.Size]) -> None:
    wanted = expected_shapes(config)
    if missing := sorted(wanted.keys() - shapes.keys()):
        raise InputError(f"{where} lacks {len(missing)} of its tensors, such as {missing[0]}")
    if extra := sorted(shapes.keys() - wanted.keys()):
        raise InputError(f"{where} has {len(extra)} tensors too many, such as {extra[0]}")
    for key, shape in wanted.items():
        if shapes[key] != shape:
            raise InputError(
                f"{where}: {key} has shape {tuple(shapes[key])}, "
                f"but its config asks for {tuple(shape)}"
            )


def _check_finite(where: str, tensors: Mapping[str, Tensor]) -> None:
    """Weights that are no numbers come from training that diverged."""
    for key, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise InputError(f"{where}: {key} holds values that are not finite numbers")


def _read_weights(file: Path) -> dict[str, Tensor]:
    try:
        tensors = safetensors.torch.load_file(file)
    except (SafetensorError, OSError, ValueError) as error:
        raise InputError(f"{file} is torn or not a safetensors file: {error}") from error
    for key, tensor in tensors.items():
        if not tensor.is_floating_point():
            raise InputError(f"{file}: {key} holds {tensor.dtype}, but weights are floating point")
    return tensors
