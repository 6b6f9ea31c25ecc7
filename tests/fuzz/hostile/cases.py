"""The list of cases, and what many of them need."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

Case = Callable[[Path], list[str]]
CASES: dict[str, Case] = {}
SUDOKU = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
MEGABYTE = 1 << 20


def case(make: Case) -> Case:
    CASES[make.__name__] = make
    return make


def make(name: str, folder: Path) -> list[str]:
    os.makedirs(folder, exist_ok=True)
    return CASES[name](folder)


def convert(path: Path) -> list[str]:
    """Reads all of a data set."""
    return ["data", "convert", str(path), str(path.with_name("out.jsonl"))]


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
