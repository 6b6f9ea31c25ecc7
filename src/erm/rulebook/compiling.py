"""While kernels are made into machine code, once after installation: a notice, and a
clock that stands still."""

from __future__ import annotations

import multiprocessing
from time import monotonic

from numba.core import event

from erm.progress import counted, messages

EVERY = 5.0
"""Seconds between two words."""


class Notice(event.Listener):
    """Prints to standard error, where that is a terminal, that kernels are being compiled."""

    def __init__(self) -> None:
        self.always = False
        """Say so in a log, too."""
        self.kernels = 0
        self._began: float | None = None
        self._said = 0.0

    def on_start(self, what: event.Event) -> None:
        if self._began is None and _is_ours(what):
            self._began = monotonic()
            self._say("compiling the rules' kernels, once on this machine")

    def on_end(self, what: event.Event) -> None:
        if self._began is None or not _is_ours(what):
            return
        self.kernels += 1
        if monotonic() - self._said > EVERY:
            took = monotonic() - self._began
            self._say(f"{counted(self.kernels, 'kernel')} compiled in {took:.0f} s")

    def _say(self, words: str) -> None:
        self._said = monotonic()
        # Workers of a process that has said so do not repeat it.
        if multiprocessing.parent_process() is None and (self.always or messages.is_terminal):
            messages.print(f"erm: {words}", highlight=False, markup=False)


class Compilation(event.Listener):
    """The time that it has taken so far, in whatever thread: kernels are compiled one at a time."""

    def __init__(self) -> None:
        self._depth = 0
        self._tally: tuple[float, float | None] = 0.0, None
        """Seconds so far, and since when more of them pass: one value, as other threads ask."""

    @property
    def seconds(self) -> float:
        past, since = self._tally
        return past if since is None else past + monotonic() - since

    def on_start(self, what: event.Event) -> None:
        if self._depth == 0:
            self._tally = self.seconds, monotonic()
        self._depth += 1

    def on_end(self, what: event.Event) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._tally = self.seconds, None


def clock() -> float:
    """What limits go by: seconds, without those in which kernels were compiled."""
    return monotonic() - compilation.seconds


def _is_ours(what: event.Event) -> bool:
    if what.data is None:
        return False
    return what.data["dispatcher"].py_func.__module__.partition(".")[0] == "erm"


notice = Notice()
event.register("numba:compile", notice)
compilation = Compilation()
event.register("numba:compile", compilation)
