"""Orderly ends: SIGTERM as an exit, workers that end with their parent."""

from __future__ import annotations

import multiprocessing
import os
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


@contextmanager
def interrupts_unwrapped() -> Iterator[None]:
    """Compiled code that a signal meets on its way in or out fails with a SystemError; what the
    signal's handler raised is raised instead."""
    try:
        yield
    except SystemError as error:
        if isinstance(error.__cause__, KeyboardInterrupt | SystemExit):
            raise error.__cause__ from None
        raise


def follow_parent() -> None:
    """Called by a worker process: Ctrl-C is left to the parent, whose end, be it by kill -9, is
    this one's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
