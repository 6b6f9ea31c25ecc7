"""Arrays from files made elsewhere: numpy's own reader, without pickles, of bounded size."""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.lib.npyio import NpzFile

from erm.errors import InputError
from erm.limits import LIMITS, raised_by

BROKEN = (
    *(OSError, ValueError, TypeError, EOFError, OverflowError, RecursionError, MemoryError),
    *(NotImplementedError, RuntimeError, SyntaxError, LookupError, tokenize.TokenError),
    *(zipfile.BadZipFile, zlib.error),
)
"""Errors of numpy and zipfile on damaged files."""


def load(path: Path, limit: int | None = None) -> np.ndarray:
    """The first rows of a `.npy` file, mapped rather than read."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
        if isinstance(array, NpzFile):
            raise ValueError("it is an archive")
        array = array[:limit] if array.ndim else array
        if array.nbytes > LIMITS.bytes:
            raise ValueError(f"it has {array.nbytes} bytes ({raised_by()}); --limit reads fewer")
        return array
    except BROKEN as error:
        raise InputError(f"{path} cannot be read as a .npy array: {_first_line(error)}") from None


def members(path: Path) -> list[str]:
    """The printable names of the arrays in an `.npz` file."""
    with _opened(path) as arrays:
        return [name for name in arrays.files if name.isprintable()]


def load_member(path: Path, name: str, limit: int | None = None) -> np.ndarray:
    """The first rows of one array of an `.npz` file."""
    with _opened(path) as arrays:
        if name not in arrays.files:
            raise InputError(f"{path} has no array {name}, only {', '.join(arrays.files)[:200]!r}")
        return _member(arrays, name)[:limit]


def load_all(path: Path, most: int) -> dict[str, np.ndarray]:
    """Every array of an `.npz` file that has no more than so many bytes."""
    with _opened(path, most) as arrays:
        return {name: _member(arrays, name) for name in arrays.files}


def _member(arrays: NpzFile, name: str) -> np.ndarray:
    array = arrays[name]
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{name[:40]} is no array")
    return array


@contextmanager
def _opened(path: Path, most: int | None = None) -> Iterator[NpzFile]:
    """An archive that unpacks to no more than the limit."""
    most = min(most or LIMITS.bytes, LIMITS.bytes)
    try:
        with np.load(path, allow_pickle=False) as arrays:
            if not isinstance(arrays, NpzFile) or arrays.zip is None:
                raise ValueError("it is a single array")
            # The directory's sizes hold: zipfile unpacks no more than they claim.
            size = sum(entry.file_size for entry in arrays.zip.infolist())
            if size > most:
                raise ValueError(f"it unpacks to {size} bytes ({raised_by(most)})")
            yield arrays
    except InputError:
        raise
    except BROKEN as error:
        raise InputError(f"{path} cannot be read as an .npz file: {_first_line(error)}") from None


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:200]
