"""Writing files so that no reader ever sees half of one, and naming them by content."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import shutil
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
    temporary = _temporary(path)
    temporary.touch(exist_ok=False)
    with _held(temporary):
        try:
            yield temporary
            with open(temporary, "rb") as written:
                os.fsync(written.fileno())
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: str | Path) -> Iterator[Path]:
    """A temporary sibling folder that takes the real name, and the place of an older folder, only
    if the block succeeds: a reader sees the old one, none for a moment, or the new one."""
    path = Path(path)
    temporary = _temporary(path)
    temporary.mkdir()
    with _held(temporary):
        try:
            yield temporary
            if path.is_dir():
                old = _temporary(path)
                os.rename(path, old)
                os.rename(temporary, path)
                shutil.rmtree(old)
            else:
                os.rename(temporary, path)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _temporary(path: Path) -> Path:
    """A unique name beside a path; leftovers of dead processes are removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for name in os.listdir(path.parent):
        if name.startswith(f".{path.name}.") and name.endswith((".part", ".old")):
            abandoned = path.with_name(name)
            with suppress(OSError), _held(abandoned):
                shutil.rmtree(abandoned) if abandoned.is_dir() else abandoned.unlink()
    # Random, because process numbers repeat: in containers the first process is always 1.
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """A file or folder that others see to be in use, as long as this process lives."""
    owned = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(owned, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(owned)


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
