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
from erm.limits import LIMITS, raised_by

LINE_BYTES = 4 << 20
"""No puzzle has a longer line."""
UNREADABLE = "surrogateescape"
"""Bytes that are no UTF-8 stay where they are, so that they are the fault of their line alone."""


def check_utf8(text: str) -> None:
    """An InputError where a line held bytes that are no text."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        at = len(text[: error.start].encode(errors=UNREADABLE)) + 1
        raise InputError(f"it is no UTF-8 text at byte {at}") from None


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
        data = sys.stdin.buffer.read(LIMITS.bytes + 1)
        if len(data) > LIMITS.bytes:
            raise InputError(f"standard input is too long ({raised_by()})")
        return cls("standard input", None, data)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest() if self.path is None else sha256(self.path)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Line numbers from 1 and lines without their ends; see `check_utf8` about their text."""
        try:
            with self._stream() as stream:
                number = size = 0
                while line := stream.readline(LINE_BYTES + 1):
                    number += 1
                    size += len(line)
                    if len(line) > LINE_BYTES:
                        raise InputError(
                            f"{self.name}, line {number} has more than {LINE_BYTES} bytes"
                        )
                    if size > LIMITS.bytes:
                        raise InputError(f"{self.name} has more text than is read ({raised_by()})")
                    text = line.decode("utf-8-sig" if number == 1 else "utf-8", UNREADABLE)
                    yield number, text.rstrip("\r\n")
        except FileNotFoundError:
            raise InputError(f"no such file: {self.name}") from None
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{self.name} cannot be read: {error}") from None

    @contextmanager
    def _stream(self) -> Iterator[io.BufferedIOBase]:
        with io.BytesIO(self.data) if self.path is None else open(self.path, "rb") as plain:
            packed = plain.read(2) == b"\x1f\x8b"
            plain.seek(0)
            yield gzip.GzipFile(fileobj=plain) if packed else plain
