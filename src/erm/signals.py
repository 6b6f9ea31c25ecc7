"""SIGTERM as an orderly end."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

TERMINATED = 128 + signal.SIGTERM
"""Exit code of a command that was asked to end."""


@contextmanager
def terminated_as_exit() -> Iterator[None]:
    """SIGTERM is raised as SystemExit, so that workers end with this process and nothing is left
    half-written."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, frame: object) -> NoReturn:
        sys.exit(TERMINATED)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
