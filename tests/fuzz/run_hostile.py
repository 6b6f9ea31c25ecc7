"""Every hostile file in one process that may take no more memory and time than is promised."""

from __future__ import annotations

import io
import json
import resource
import signal
import sys
import time
import traceback
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

MEMORY, SECONDS = 500 << 20, 8


def late(*_: object) -> None:
    raise TimeoutError(f"still at it after {SECONDS} seconds of the processor")


def warm_up(folder: Path) -> None:
    """What every command loads is no file's fault."""
    from hostile import cases, checkpoints, columnar, runs

    from erm.cli.main import main

    folder.mkdir(parents=True)
    with redirect_stderr(io.StringIO()), redirect_stdout(io.StringIO()):
        main(runs.rescore_of(runs.run_of_evaluate(folder)))
        main(checkpoints.solve_with(folder / "checkpoint"))
        main(cases.convert(folder / "p.txt"))
        main(cases.convert(columnar.parquet(folder, [cases.SUDOKU])))


def _size() -> int:
    """Address space of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def run(name: str, folder: Path) -> dict:
    import hostile

    from erm.cli.main import main

    arguments = hostile.make(name, folder)
    said = io.StringIO()
    resource.setrlimit(resource.RLIMIT_AS, (_size() + MEMORY, resource.RLIM_INFINITY))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    began, clock, code = time.process_time(), time.monotonic(), None
    try:
        with redirect_stderr(said), redirect_stdout(io.StringIO()):
            code = main(arguments)
    except BaseException:  # noqa: BLE001 - what escapes is the finding
        said.write("ESCAPED " + traceback.format_exc())
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return {
        "name": name,
        "code": code,
        "said": said.getvalue(),
        "cpu": time.process_time() - began,
        "wall": time.monotonic() - clock,
    }


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    import hostile

    signal.signal(signal.SIGPROF, late)
    scratch = Path(sys.argv[1])
    warm_up(scratch / "warm")
    for name in sys.argv[2:] or hostile.CASES:
        print(json.dumps(run(name, scratch / name)), flush=True)
