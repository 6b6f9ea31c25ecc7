"""Why there is no number: a checkpoint, data or a run that is not there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Missing:
    """Stands where a result would; tables print the reason instead of a number."""

    reason: str

    def __str__(self) -> str:
        return self.reason
