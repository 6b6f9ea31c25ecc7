"""The trained checkpoints that ship with erm: one folder each, beside this file."""

from __future__ import annotations

from pathlib import Path

from erm.errors import InputError

_HERE = Path(__file__).parent


def names() -> list[str]:
    """Names of the shipped checkpoints."""
    return sorted(card.parent.name for card in _HERE.glob("*/card.json"))


def path(name: str) -> Path:
    """The folder of a shipped checkpoint."""
    if name not in names():
        known = ", ".join(names()) or "none yet"
        raise InputError(f"there is no shipped checkpoint {name!r}; known: {known}")
    return _HERE / name


def resolve(name_or_folder: str | Path) -> Path:
    """A shipped checkpoint by name, or else a folder: what commands take as a checkpoint."""
    if str(name_or_folder) in names():
        return path(str(name_or_folder))
    folder = Path(name_or_folder)
    if not folder.exists():
        known = ", ".join(names()) or "none yet"
        raise InputError(
            f"{name_or_folder} is neither a folder nor a shipped checkpoint (known: {known})"
        )
    return folder
