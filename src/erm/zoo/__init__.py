"""Where checkpoints are found: those that ship with erm, one folder each beside this file, or any
folder. Looking for one needs no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from erm.errors import InputError
from erm.model.card import CARD, checkpoint_folder, read_card, tasks_of
from erm.zoo import hub

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint that was found: what it is called, where it lies, what its card says."""

    name: str
    """As it was asked for: a shipped name or a folder."""
    folder: Path

    @cached_property
    def card(self) -> Mapping[str, Any]:
        return read_card(self.folder)

    @property
    def tasks(self) -> list[str]:
        return tasks_of(self.card)


def shelf(folder: Path | None = None) -> dict[str, Checkpoint]:
    """The checkpoints in a folder by name; the shipped ones if not given."""
    cards = sorted((folder or _HERE).glob(f"*/{CARD}"))
    return {card.parent.name: Checkpoint(card.parent.name, card.parent) for card in cards}


def names() -> list[str]:
    """Names of the shipped checkpoints."""
    return list(shelf())


def find(name_or_folder: str | Path) -> Checkpoint:
    """A shipped checkpoint by name, one on the Hub (`hf://owner/name`), or else a folder: what
    commands take as a checkpoint."""
    name = str(name_or_folder)
    if hub.is_address(name):
        return Checkpoint(name, hub.download(name))
    if name in names():
        return shelf()[name]
    if not Path(name_or_folder).exists():
        known = ", ".join(names()) or "none yet"
        raise InputError(f"{name} is neither a folder nor a shipped checkpoint (known: {known})")
    return Checkpoint(name, checkpoint_folder(name_or_folder))
