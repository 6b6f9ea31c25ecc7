"""How much is believed of a file: every bound on what comes from outside, in one place.

Each can be changed in the environment: `ERM_MAX_DATASET_CELLS=400000000 erm evaluate …`. The table
in docs/limits.md says the same.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

from erm.errors import InputError

PREFIX = "ERM_MAX_"


@dataclass(frozen=True)
class Limits:
    """What is larger is refused, before memory or time is spent on it where that is possible."""

    dataset_cells: int = 1 << 27
    """Puzzles times cells of one data set: 1.6 million Sudokus, or a gigabyte and a half."""
    array_bytes: int = 256 << 20
    """One array of an .npz or .npy file."""
    array_ratio: int = 250
    """Bytes of an .npz member for each byte that it takes in the file."""
    archive_members: int = 4096
    """Arrays of one .npz file."""
    text_ratio: int = 20
    """Bytes of a .gz or Parquet file's text for each packed byte, once it has a megabyte."""
    footer_bytes: int = 4 << 20
    """What describes a Parquet file, at its end."""
    page_bytes: int = 64 << 20
    """One page of a Parquet file, which is unpacked as a whole."""
    line_bytes: int = 4 << 20
    """One line of a text file, one text of a Parquet file."""
    blank_lines: int = 10_000
    """Lines in a row without anything on them."""
    unreadable_records: int = 10_000
    """Records that cannot be read, beyond as many as can, where those that can are taken."""
    stdin_bytes: int = 256 << 20
    """Standard input."""
    json_bytes: int = 64 << 20
    """One JSON file of a run: config.json, results.json, settled.json."""
    json_digits: int = 20
    """Digits of a whole number in JSON."""
    card_bytes: int = 1 << 20
    """A checkpoint's card.json."""
    config_bytes: int = 64 << 10
    """A checkpoint's config.json, or a YAML file of settings."""
    weights_bytes: int = 2 << 30
    """A checkpoint's model.safetensors, or a .pth file."""
    seen_bytes: int = 256 << 20
    """A checkpoint's seen.npy."""
    pool_bytes: int = 512 << 20
    """All arrays of one saved pool."""
    yaml_values: int = 5_000
    """Values of a YAML file."""
    yaml_depth: int = 24
    """How deep they are nested."""
    yaml_plain: int = 200
    """Characters of a value without quotes, which may be a number that takes long to work out."""

    @classmethod
    def from_environment(cls) -> Limits:
        changed: dict[str, int] = {}
        for field in fields(cls):
            name = variable(field.name)
            text = os.environ.get(name)
            if text is None:
                continue
            if not (text.isascii() and text.isdigit() and len(text) < 16):
                raise InputError(f"{name} must be a whole number, got {text[:40]!r}")
            changed[field.name] = int(text)
        return cls(**changed)


def variable(name: str) -> str:
    """The environment variable that changes a limit."""
    return PREFIX + name.upper()


def raised_by(name: str) -> str:
    """What an error says about the way out."""
    return f"the limit is {getattr(LIMITS, name)}, {variable(name)} changes it"


LIMITS = Limits.from_environment()
