"""When a search must end: its time is up, or nobody waits for it any more."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Late = Literal["time", "stopped"]


class OutOfTime(Exception):
    """The search has to end now; what it has found so far is its result."""

    def __init__(self, why: Late) -> None:
        super().__init__(why)
        self.why: Late = why


@dataclass(frozen=True)
class Deadline:
    """Asked again and again inside long steps, not only between them."""

    seconds: float | None = None
    cancelled: Callable[[], bool] | None = None
    """Whether nobody waits any more."""
    began: float = field(default_factory=time.monotonic)

    @property
    def bounds(self) -> bool:
        """Whether it can ever come."""
        return self.seconds is not None or self.cancelled is not None

    def check(self) -> None:
        """Raise OutOfTime where it has come."""
        if self.cancelled is not None and self.cancelled():
            raise OutOfTime("stopped")
        if self.seconds is not None and time.monotonic() - self.began > self.seconds:
            raise OutOfTime("time")


NEVER = Deadline()
