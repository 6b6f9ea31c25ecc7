"""When a search must end: its time is up, or it was cancelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from erm.rulebook.compiling import clock

Late = Literal["time", "stopped"]


class OutOfTime(Exception):
    """The search has to end now; what it has found so far is its result."""

    def __init__(self, why: Late) -> None:
        super().__init__(why)
        self.why: Late = why


@dataclass(frozen=True)
class Deadline:
    """Asked again and again inside long steps, not only between them. Time in which kernels are
    compiled, once on a machine, does not count."""

    seconds: float | None = None
    cancelled: Callable[[], bool] | None = None
    """Whether the search was cancelled."""
    began: float = field(default_factory=clock)

    @property
    def bounds(self) -> bool:
        """Whether it can ever come."""
        return self.seconds is not None or self.cancelled is not None

    def check(self) -> None:
        """Raise OutOfTime where it has come."""
        if self.cancelled is not None and self.cancelled():
            raise OutOfTime("stopped")
        if self.seconds is not None and clock() - self.began > self.seconds:
            raise OutOfTime("time")


NEVER = Deadline()
