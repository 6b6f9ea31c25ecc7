"""What the workers of test_workers.py do; a file of its own, because workers import it."""

import os
import signal
import sys

from erm.errors import InputError
from erm.reproduce.workers import run_workers
from erm.run_folder import Share


def fail(share: Share) -> None:
    """The second process is wrong about something, the first would go on for ever."""
    if share.rank == 1:
        raise InputError("there is no such thing")
    signal.pause()


def wait(share: Share) -> None:
    # One call, so that the lines of two processes do not mix.
    os.write(1, f"{share.rank}/{share.world}\n".encode())
    signal.pause()


if __name__ == "__main__":
    run_workers({"fail": fail, "wait": wait}[sys.argv[1]], 2, "erm test")
