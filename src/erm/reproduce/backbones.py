"""The study's checkpoints: shipped ones or the user's, never a stand-in."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from erm import zoo
from erm.errors import InputError
from erm.files import sha256
from erm.model.checkpoint import (
    WEIGHTS,
    load_checkpoint,
    read_card,
    read_config,
    save_checkpoint,
)
from erm.model.layers import truncated_normal_like
from erm.model.reasoner import Reasoner
from erm.puzzles.ppbench import TYPES
from erm.reproduce.missing import Missing

TRANSFORMER = "sudoku-energy-transformer"
MIXERS = (TRANSFORMER, "sudoku-token-mlp", "sudoku-structured")
"""Small networks that were trained for the same time on the same data."""
ROLES = {
    "sudoku": ("sudoku",),
    "maze": ("maze",),
    **{task: (task,) for task in TYPES[1:]},
    "ppbench": TYPES,
    **{role: ("sudoku",) for role in MIXERS},
}
"""Names under which a study takes checkpoints, with the tasks each may serve."""
TASKS = ("maze", *TYPES)


@dataclass(frozen=True)
class Backbone:
    """A checkpoint in its role."""

    name: str
    """As `erm evaluate` takes it: a shipped name or a folder."""
    folder: Path


class Backbones:
    """Finds checkpoints by role; the user's come before the shipped ones."""

    def __init__(self, given: Mapping[str, str], derived: Path, writes: bool = True) -> None:
        self.given = dict(given)
        self.derived, self.writes = derived, writes
        for role, name in given.items():
            if role not in ROLES:
                raise InputError(
                    f"--checkpoint {role}={name}: there is no role {role!r}; "
                    f"known: {', '.join(ROLES)}"
                )
            tasks = set(zoo.find(name).tasks)
            if not tasks & set(ROLES[role]):
                raise InputError(
                    f"--checkpoint {role}={name}: that checkpoint solves "
                    f"{', '.join(sorted(tasks))}, not {' or '.join(ROLES[role])}"
                )

    def find(self, task: str, suite: str) -> Backbone | Missing:
        """The checkpoint for a task; one for all of PPBench serves that suite's types."""
        if suite == "ppbench" and "ppbench" in self.given:
            return self.role("ppbench")
        return self.role(task)

    def role(self, role: str) -> Backbone | Missing:
        name = self.given.get(role) or (role if role in zoo.names() else None)
        if name is None:
            return Missing("no checkpoint" if role in TASKS else f"no checkpoint {role} given")
        return Backbone(name, zoo.find(name).folder)

    def fixed_start(self, backbone: Backbone, make: bool) -> Backbone:
        """The same weights with TRM's start, one vector for all cells, and without path noise.

        Only with `make` is it there when this returns: the first process writes it, others wait.
        """
        config = read_config(backbone.folder)
        if not config.random_start and not config.path_noise:
            return backbone
        origin = {"checkpoint": backbone.name, "sha256": sha256(backbone.folder / WEIGHTS)}
        folder = self.derived / f"{backbone.folder.name}-fixed-start"
        while make and not self.writes and not _derives_from(folder, origin):
            time.sleep(0.2)
        if not make or _derives_from(folder, origin):
            return Backbone(str(folder), folder)
        reasoner, card = load_checkpoint(backbone.folder)
        fixed = Reasoner(replace(config, random_start=False, path_noise=0.0, step_noise=0.0))
        weights = dict(reasoner.state_dict())
        draw = torch.Generator().manual_seed(0)
        for name in ("H_init", "L_init"):
            weights.setdefault(name, truncated_normal_like(torch.empty(config.hidden), draw))
        card = {**card, "architecture": f"{card.get('architecture')}, fixed start"}
        save_checkpoint(folder, fixed, {**card, "fixed_start_of": origin}, weights)
        return Backbone(str(folder), folder)


def _derives_from(folder: Path, origin: dict[str, Any]) -> bool:
    return folder.exists() and read_card(folder).get("fixed_start_of") == origin
