"""Text files of any size, packed or not, read line by line and never more than asked for."""

from __future__ import annotations

import gzip
import hashlib
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from erm.errors import InputError
from erm.files import sha256

MAX_LINE = 1 << 22
MAX_STDIN = 1 << 28
"""Bytes; what is longer is refused rather than read."""


@dataclass(frozen=True)
class TextFile:
    """A text file, or standard input, that can be read from the start as often as needed."""

    name: str
    """What messages call it."""
    path: Path | None
    data: bytes = b""
    """What standard input held."""

    @classmethod
    def open(cls, path: str | Path) -> TextFile:
        if str(path) != "-":
            return cls(str(path), Path(path))
        data = sys.stdin.buffer.read(MAX_STDIN + 1)
        if len(data) > MAX_STDIN:
            raise InputError(f"standard input has more than {MAX_STDIN} bytes; give a file instead")
        return cls("standard input", None, data)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest() if self.path is None else sha256(self.path)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Line numbers from 1 and lines without their ends."""
        try:
            with self._stream() as stream:
                number = 0
                while line := stream.readline(MAX_LINE + 1):
                    number += 1
                    if len(line) > MAX_LINE:
                        raise InputError(f"{self.name}, line {number} is over {MAX_LINE} bytes")
                    yield number, self._decode(line, number)
        except FileNotFoundError:
            raise InputError(f"no such file: {self.name}") from None
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{self.name} cannot be read: {error}") from None

    def _decode(self, line: bytes, number: int) -> str:
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                f"{self.name}, line {number} is no UTF-8 text at byte {error.start + 1}"
            ) from None
        return text.rstrip("\r\n")

    @contextmanager
    def _stream(self) -> Iterator[io.BufferedIOBase]:
        with io.BytesIO(self.data) if self.path is None else open(self.path, "rb") as plain:
            packed = plain.read(2) == b"\x1f\x8b"
            plain.seek(0)
            if packed:
                with gzip.GzipFile(fileobj=plain, mode="rb") as unpacked:
                    yield unpacked
            else:
                yield plain
