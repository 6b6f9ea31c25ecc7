"""Commands that die, as under kill -9, at whichever touch of the disk they are told to.

    python tests/mortal.py FOLDER SEED [COMMAND ...]

prints a line of JSON for every command: how often it died, and whether the same command, given
again and again, came to the same end as one that nobody killed. Every other life is process 1 of a
namespace of its own, where the machine allows it: in containers process numbers repeat.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

DIED, NO_NAMESPACE = 9, 77
LIVES = 2
NEW_PROCESS_NUMBERS = 0x20000000
"""CLONE_NEWPID."""
TOUCHES = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "fcntl.flock"}
"""What Python tells its auditors about files."""


class Disk:
    """Counts touches of a folder, and ends the process at one of them."""

    def __init__(self) -> None:
        self.folder, self.touches, self.last = "", 0, 0
        sys.addaudithook(self._hear)

    def watch(self, folder: Path, last: int) -> None:
        self.folder, self.touches, self.last = str(folder), 0, last

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.folder or event not in TOUCHES:
            return
        if event == "fcntl.flock" or self.folder in str(arguments[0]):
            self.touches += 1
            if self.touches == self.last:
                os._exit(DIED)


def live(
    disk: Disk, arguments: Sequence[str], folder: Path, last: int, first: bool
) -> tuple[int, int]:
    """Exit code and touches of a command in a process of its own, with `first` process 1."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        if first:
            _become_process_1()
        for number in (1, 2):
            os.dup2(os.open(folder.with_suffix(".log"), os.O_WRONLY | os.O_CREAT), number)
        disk.watch(folder, last)
        code = _run(arguments)
        os.write(writing, disk.touches.to_bytes(4, "big"))
        os._exit(code)
    os.close(writing)
    with open(reading, "rb") as told:
        touches = int.from_bytes(told.read(), "big")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), touches


def _become_process_1() -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_PROCESS_NUMBERS) != 0:
        os._exit(NO_NAMESPACE)
    child = os.fork()
    if child:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    assert os.getpid() == 1


def _run(arguments: Sequence[str]) -> int:
    from erm.cli.main import main

    try:
        return main(list(arguments))
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1


def commands(folder: Path) -> dict[str, Callable[[Path], list[str]]]:
    """Each as a function of its output folder."""
    import tiny

    from erm.formats.dataset import save_dataset
    from erm.model.config import ReasonerConfig
    from erm.model.reasoner import Reasoner

    config = ReasonerConfig(
        hidden=8, inner=8, states=4, partitions=3, interchangeable=True, lattice=False
    )
    network = str(tiny.save(folder / "network", Reasoner(config)))
    data = str(folder / "data.jsonl")
    save_dataset(tiny.puzzles(6, seed=5, clues=(4, 5)), data)
    sizes = "--hidden 8 --inner 8 --l-cycles 1 --batch 4 --horizon 3 --cohorts 2 --no-compile"
    often = "--steps 4 --checkpoint-every 1 --log-every 1 --warmup 2"
    search = ["--depth", "2", "--width", "2", "--mode", "full", "--quiet"]
    study = ["--budget", "smoke", "--only", "stopping", "--quiet", "--processes", "1"]
    return {
        "train": lambda out: [
            *("train", "cpu/sudoku", "--data", data, *sizes.split(), *often.split()),
            *("--out", str(out)),
        ],
        "data": lambda out: [
            *("data", "maze", "--size", "9x9", "--count", "700", "--processes", "1", "--quiet"),
            *("--out", str(out.with_suffix(".jsonl"))),
        ],
        "evaluate": lambda out: ["evaluate", network, data, *search, "--out", str(out)],
        "reproduce": lambda out: [
            *("reproduce", *study, "--checkpoint", f"sudoku={network}"),
            *("--data", f"sudoku={data}", "--out", str(out)),
        ],
    }


def end_of(out: Path) -> str:
    """What a command leaves behind, without what the clock or the commit says."""
    digest = hashlib.sha256()
    if (data := out.with_suffix(".jsonl")).exists():
        digest.update(data.read_bytes())
    for pattern in ("*/model.safetensors", "**/results.json", "tables/*.csv"):
        for path in sorted(out.glob(pattern)):
            if path.name == "accounting-runs.csv":  # seconds
                continue
            if path.suffix == ".json":
                results = json.loads(path.read_text())
                digest.update(json.dumps(results["selectors"], sort_keys=True).encode())
            else:
                digest.update(path.read_bytes())
            digest.update(str(path.relative_to(out)).encode())
    return digest.hexdigest()


def litter(out: Path) -> list[str]:
    """Temporary files that nobody holds any more."""
    parts = [*out.rglob("*"), *out.parent.glob(f"{out.name}.*")]
    return [str(path) for path in parts if path.suffix in (".part", ".old")]


def main(folder: Path, seed: int, names: Sequence[str]) -> None:
    import torch

    from erm import zoo

    torch.set_num_threads(1)
    folder.mkdir(parents=True)
    zoo._HERE = folder / "no shipped checkpoints"
    draw, disk = random.Random(seed), Disk()
    known = commands(folder)
    for name in names or known:
        command = known[name]
        whole, out = folder / f"{name}-whole", folder / f"{name}-killed"
        code, touches = live(disk, command(whole), whole, 0, False)
        codes = []
        for life in range(LIVES):
            last = draw.randint(1, touches // 2)
            codes.append(live(disk, command(out), out, last, life % 2 == 1)[0])
        codes.append(live(disk, command(out), out, 0, False)[0])
        same = end_of(out) == end_of(whole)
        outcome = {"command": name, "whole": code, "touches": touches, "codes": codes}
        print(json.dumps({**outcome, "same": same, "litter": litter(out)}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
