"""Writing files so that no reader ever sees half of one, and naming them by content."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """A temporary sibling to write to; it takes the real name only if the block succeeds.

    What killed writers of the same file left behind is removed.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(path)
    # Random, because process numbers repeat: in containers the first process is always 1.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    with open(temporary, "xb") as owned:
        # Held as long as this process lives, so that others see that the file is in use.
        fcntl.flock(owned, fcntl.LOCK_EX)
        try:
            yield temporary
            with open(temporary, "rb") as written:
                os.fsync(written.fileno())
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def _remove_abandoned(path: Path) -> None:
    """Temporary siblings of a file that no living process holds."""
    for name in os.listdir(path.parent):
        if name.startswith(f".{path.name}.") and name.endswith(".part"):
            abandoned = path.with_name(name)
            with suppress(OSError), open(abandoned, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                abandoned.unlink()


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
