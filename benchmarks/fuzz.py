"""Mutated files for every reader, for as long as you like; prints inputs tried and failures.

python benchmarks/fuzz.py --minutes 10 --seed 1
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import tyro

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "fuzz"))

from fuzzing import fuzz


@dataclass
class Fuzz:
    minutes: float = 1.0
    """How long."""
    seed: int = 0
    """The same seed tries the same inputs."""
    keep: Path | None = None
    """Folder for the inputs that failed."""


def main(options: Fuzz) -> int:
    ends = time.monotonic() + 60 * options.minutes
    tried = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for failure in fuzz(Path(folder), options.seed):
            tried += 1
            if failure is not None:
                failed += 1
                print(f"{failure.seed}, input {failure.number}: {failure.error}", flush=True)
                if options.keep is not None:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / f"{failure.number}-{failure.seed}").write_bytes(failure.data)
            if time.monotonic() > ends:
                break
    print(f"{tried} inputs tried, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Fuzz)))
