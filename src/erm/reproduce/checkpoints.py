"""The study's checkpoints: shipped ones or the user's, never a stand-in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

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
from erm.model.noise import Purpose
from erm.model.reasoner import Reasoner
from erm.reproduce.missing import Missing
from erm.reproduce.suites import ROLES


def check_roles(given: Mapping[str, str]) -> None:
    """An InputError unless every checkpoint can serve the role that it is given."""
    for role, name in given.items():
        if role not in ROLES:
            raise InputError(
                f"--checkpoint {role}={name}: there is no role {role!r}; known: {', '.join(ROLES)}"
            )
        tasks = set(zoo.find(name).tasks)
        if not tasks & set(ROLES[role]):
            raise InputError(
                f"--checkpoint {role}={name}: that checkpoint solves "
                f"{', '.join(sorted(tasks))}, not {' or '.join(ROLES[role])}"
            )


def checkpoint_of(role: str, given: Mapping[str, str]) -> str | Missing:
    """The checkpoint in a role as `erm evaluate` takes it; the user's comes before the shipped."""
    if role in given:
        return given[role]
    if role in zoo.names():
        return role
    return Missing("no checkpoint" if ROLES[role] == (role,) else f"no checkpoint {role} given")


@dataclass(frozen=True)
class FixedStart:
    """A checkpoint's weights with TRM's start, one vector for all cells, and no path noise."""

    original: str
    folder: Path

    @classmethod
    def of(cls, checkpoint: str, made: Path) -> FixedStart | None:
        """None where the checkpoint starts like that already."""
        folder = zoo.find(checkpoint).folder
        config = read_config(folder)
        if not config.random_start and not config.path_noise:
            return None
        return cls(checkpoint, made / f"{folder.name}-fixed-start")

    def make(self) -> None:
        """Write it, unless it is there."""
        source = zoo.find(self.original).folder
        origin = {"checkpoint": self.original, "sha256": sha256(source / WEIGHTS)}
        if self.folder.exists() and read_card(self.folder).get("fixed_start_of") == origin:
            return
        reasoner, card = load_checkpoint(source)
        config = reasoner.config
        fixed = Reasoner(replace(config, random_start=False, path_noise=0.0, step_noise=0.0))
        weights = dict(reasoner.state_dict())
        draw = torch.Generator().manual_seed(0)
        for name in ("H_init", "L_init"):
            weights.setdefault(
                name, truncated_normal_like(torch.empty(config.hidden), draw, Purpose.START_H)
            )
        card = {**card, "architecture": f"{card.get('architecture')}, fixed start"}
        save_checkpoint(self.folder, fixed, {**card, "fixed_start_of": origin}, weights)
