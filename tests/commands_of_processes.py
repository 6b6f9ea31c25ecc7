"""Run alone and by torchrun in test_torchrun.py: every command that processes can share."""

from __future__ import annotations

import sys
from pathlib import Path

from erm.cli.main import main


def run(checkpoint: str, puzzles: str, out: Path) -> None:
    small = ["--limit", "5", "--depth", "3", "--quiet"]
    commands = [
        ["data", "sudoku", "--size", "4x4", "--count", "9", "--seed", "1", "--processes", "1",
         "--quiet", "--out", str(out / "made.jsonl")],
        ["evaluate", checkpoint, puzzles, *small, "--width", "3", "--out", str(out / "evaluate")],
        ["temper", checkpoint, puzzles, *small, "--ladders", "1", "--rungs", "3",
         "--out", str(out / "temper")],
        ["reproduce", "--out", str(out / "study"), "--budget", "smoke", "--only", "maze16",
         "--quiet"],
    ]  # fmt: skip
    for command in commands:
        code = main(command)
        if code:
            sys.exit(code)


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
