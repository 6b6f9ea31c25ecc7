"""The same work in several processes on this machine, each with its share of it."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import wait
from pathlib import Path
from typing import NoReturn

from erm.errors import InputError
from erm.rulebook.registry import include, included_files
from erm.run_folder import Share
from erm.signals import follow_parent, terminated_as_exit

STARTED_BY_OTHERS = "RANK"
"""torchrun sets it; then the processes are there already."""


def default_processes(budget: str, device: str = "cpu") -> int:
    """One per core; a smoke run is over before a second process has started, and a GPU is better
    kept busy by one (several of them by torchrun)."""
    return 1 if budget == "smoke" or device != "cpu" else os.cpu_count() or 1


def run_workers(work: Callable[[Share], None], count: int, command: str) -> None:
    """Call `work` with each share in a process of its own, and wait; the first failure ends the
    others and this process."""
    context = multiprocessing.get_context("spawn")
    workers = [
        context.Process(
            target=_become_worker, args=(work, Share(rank, count), command, included_files())
        )
        for rank in range(count)
    ]
    with terminated_as_exit():
        try:
            with _one_thread_each():
                for worker in workers:
                    worker.start()
            running = {worker.sentinel: worker for worker in workers}
            while running:
                for sentinel in wait(list(running)):
                    ended = running.pop(sentinel)  # pyright: ignore[reportArgumentType]
                    ended.join()
                    if ended.exitcode:
                        code = ended.exitcode
                        sys.exit(code if code > 0 else 128 - code)
        finally:
            for worker in workers:
                if worker.is_alive():
                    worker.terminate()
            for worker in workers:
                if worker.pid is not None:
                    worker.join()


def _become_worker(
    work: Callable[[Share], None], share: Share, command: str, files: Sequence[Path]
) -> NoReturn:
    """Do a share with the tasks that the parent has included, and end when it ends."""
    follow_parent()
    try:
        for file in files:
            include(file)
        work(share)
    except (InputError, OSError) as error:
        print(f"{command}: {error}", file=sys.stderr)
        sys.exit(2)
    sys.exit(0)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes that start here use one core each, unless the user says otherwise."""
    if "OMP_NUM_THREADS" in os.environ:
        yield
        return
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        del os.environ["OMP_NUM_THREADS"]
