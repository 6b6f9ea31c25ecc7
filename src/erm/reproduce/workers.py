"""The same command in several processes on this machine, each with its share of every run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence

STARTED_BY_OTHERS = "RANK"
"""torchrun sets it; then the processes are there already."""


def default_processes(budget: str) -> int:
    """One a core; a smoke run is over before a second process has started."""
    return 1 if budget == "smoke" else os.cpu_count() or 1


def run_workers(arguments: Sequence[str], count: int) -> int:
    """Start `erm ARGUMENTS` so many times and wait; the first failure ends the others."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "erm", *arguments],
            env={
                **os.environ,
                "RANK": str(rank),
                "WORLD_SIZE": str(count),
                "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
            },
        )
        for rank in range(count)
    ]
    try:
        running = list(workers)
        while running:
            time.sleep(0.2)
            failed = [worker for worker in running if worker.poll() not in (None, 0)]
            if failed:
                return failed[0].returncode
            running = [worker for worker in running if worker.poll() is None]
        return 0
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()
