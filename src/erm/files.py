"""Writing files so that no reader ever sees half of one, and naming them by content."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """A temporary sibling to write to; it takes the real name only if the block succeeds."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        with open(temporary, "rb") as written:
            os.fsync(written.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: str | Path, value: Any) -> None:
    with atomic(path) as temporary:
        temporary.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", "utf-8")


def sha256(path: str | Path) -> str:
    """Hash of a file's bytes, or of a folder's files in the order of their names."""
    path = Path(path)
    digest = hashlib.sha256()
    for part in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if part.is_file():
            if path.is_dir():
                digest.update(part.relative_to(path).as_posix().encode())
            with open(part, "rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()
