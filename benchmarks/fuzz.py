"""Mutated files for every reader, for as long as you like; prints inputs tried and failures.

python benchmarks/fuzz.py --minutes 10 --seed 1
"""

from __future__ import annotations

import multiprocessing as mp
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import tyro

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "fuzz"))

from fuzzing import Failure, fuzz

PATIENCE = 60
"""Seconds after which one input has taken too long."""


@dataclass
class Fuzz:
    minutes: float = 1.0
    """How long."""
    seed: int = 0
    """The same seed tries the same inputs."""
    keep: Path | None = None
    """Folder for the inputs that failed."""


def tell(pipe: Connection, folder: Path, seed: int, after: int) -> None:
    """In a process of its own, as a library may end it."""
    for failure in fuzz(folder, seed, after):
        pipe.send(failure)


def outcomes(folder: Path, seed: int) -> Iterator[Failure | None]:
    """What every input came to, also those that end or hang the process."""
    tried = 0
    while True:
        ours, theirs = mp.Pipe(duplex=False)
        child = mp.get_context("spawn").Process(target=tell, args=(theirs, folder, seed, tried))
        child.start()
        theirs.close()
        try:
            while ours.poll(PATIENCE):
                failure = ours.recv()
                tried += 1
                yield failure
            ended = f"took more than {PATIENCE} seconds"
        except EOFError:
            child.join()
            ended = f"ended the process with code {child.exitcode}"
        finally:
            child.kill()
        tried += 1
        last = max((one for one in folder.iterdir() if one.is_file()), key=_written)
        yield Failure(last.name, tried, last.read_bytes(), ended)


def _written(path: Path) -> int:
    return path.stat().st_mtime_ns


def main(options: Fuzz) -> int:
    ends = time.monotonic() + 60 * options.minutes
    tried = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for failure in outcomes(Path(folder), options.seed):
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
