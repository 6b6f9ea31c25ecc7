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

FREE_BYTES = 1 << 20
"""So much text may be packed as tightly as it likes."""
SIP = 4096
"""Packed bytes taken at a time, so that what is unpacked is weighed against what it came from."""
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
        data = sys.stdin.buffer.read(LIMITS.stdin_bytes + 1)
        if len(data) > LIMITS.stdin_bytes:
            raise InputError(
                f"standard input is too long ({raised_by('stdin_bytes')}); give a file instead"
            )
        return cls("standard input", None, data)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest() if self.path is None else sha256(self.path)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Line numbers from 1 and lines without their ends; see `check_utf8` about their text."""
        try:
            with self._stream() as stream:
                number = blank = 0
                while line := stream.readline(LIMITS.line_bytes + 1):
                    number += 1
                    if len(line) > LIMITS.line_bytes:
                        raise InputError(
                            f"{self.name}, line {number} is too long ({raised_by('line_bytes')})"
                        )
                    blank = blank + 1 if line.isspace() else 0
                    if blank > LIMITS.blank_lines:
                        raise InputError(
                            f"{self.name} has nothing but empty lines up to line {number} "
                            f"({raised_by('blank_lines')})"
                        )
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
            if packed:
                yield io.BufferedReader(_Unpacked(plain, self.name), 1 << 16)
            else:
                yield plain


class _Unpacked(io.RawIOBase):
    """The text of a gzip stream, as long as it is in proportion to what it was packed into."""

    def __init__(self, packed: io.BufferedIOBase, name: str) -> None:
        self._packed, self._name = packed, name
        self._unpacked = gzip.GzipFile(fileobj=_Sips(packed), mode="rb")  # pyright: ignore
        self._taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # pyright: ignore
        data = self._unpacked.read1(len(buffer))
        self._taken += len(data)
        if self._taken > FREE_BYTES + LIMITS.text_ratio * self._packed.tell():
            raise InputError(
                f"{self._name} unpacks to far more than any puzzles do ({raised_by('text_ratio')})"
            )
        buffer[: len(data)] = data
        return len(data)


class _Sips:
    """A file of which no more is read ahead than a little."""

    def __init__(self, file: io.BufferedIOBase) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        return self._file.read(SIP if size < 0 else min(size, SIP))
