"""The one size limit on what comes from elsewhere; docs/limits.md describes it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from erm.errors import InputError

VARIABLE = "ERM_MAX_BYTES"
"""The environment variable that changes the limit."""
MOST_DIGITS = 20
"""Of a whole number in JSON or YAML; with more than 308 it is no float."""


@dataclass(frozen=True)
class Limits:
    """What is larger is refused."""

    bytes: int = 2 << 30
    """One file, and what it unpacks to."""

    @property
    def cells(self) -> int:
        """Cells of one data set; a cell takes up to 16 bytes in memory."""
        return self.bytes // 16

    @property
    def object_bytes(self) -> int:
        """JSON, YAML or a pickle; a byte of them takes up to 64 as Python objects."""
        return self.bytes // 64

    @property
    def pool_bytes(self) -> int:
        """All arrays of one saved pool."""
        return self.bytes

    @classmethod
    def from_environment(cls) -> Limits:
        text = os.environ.get(VARIABLE)
        if text is None:
            return cls()
        if not (text.isascii() and text.isdigit() and len(text) < 16):
            raise InputError(f"{VARIABLE} must be a whole number, got {text[:40]!r}")
        return cls(int(text))


def raised_by(most: int | None = None, unit: str = "bytes") -> str:
    """The end of an error's sentence: the limit, and how to change it."""
    return f"the limit is {most or LIMITS.bytes} {unit}, {VARIABLE} changes it"


def read_bytes(path: Path) -> bytes:
    """A file that becomes Python objects."""
    most = LIMITS.object_bytes
    with open(path, "rb") as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        raise InputError(f"{path} has more bytes than are read ({raised_by(most)})")
    return raw


LIMITS = Limits.from_environment()
