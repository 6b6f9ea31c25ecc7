"""`erm serve` as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def serving(checkpoints: Path, *options: str) -> Iterator[str]:
    """`erm serve` as users start it; its address."""
    command = [sys.executable, "-m", "erm", "serve", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--checkpoints", str(checkpoints), *options],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert "http://" in said, f"the server said {said!r} instead of its address"
        yield said.split("page is at ")[1].split()[0].rstrip("/")
    finally:
        process.terminate()
        process.wait(30)
