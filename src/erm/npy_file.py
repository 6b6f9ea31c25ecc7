"""Arrays from files that others made: nothing unpickled, no byte read that was not asked for."""

from __future__ import annotations

import io
import math
import os
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy_format

from erm.errors import InputError
from erm.limits import LIMITS, raised_by

BROKEN = (
    OSError,
    ValueError,
    TypeError,
    EOFError,
    OverflowError,
    RecursionError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What numpy and zipfile raise on damaged files."""
PLAIN_PACKING = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The two that numpy writes."""
BLOCK = 1 << 20
"""Bytes read at a time."""
FREE_BYTES = 16 << 20
"""So much may be packed as tightly as it likes: a few boards of zeros are no attack."""


def load(path: Path, limit: int | None = None) -> np.ndarray:
    """The first rows of a `.npy` file, mapped rather than read."""
    try:
        with open(path, "rb") as file:
            shape, dtype = _first(limit, *_header(file))
            _check_rows(shape, dtype)
            return np.memmap(path, dtype, "r", offset=file.tell(), shape=shape)
    except BROKEN as error:
        raise InputError(f"{path} cannot be read as a .npy array: {_first_line(error)}") from None


def load_numbers(path: Path) -> np.ndarray:
    """All of a `.npy` file, in memory, no larger than what it takes on the disk."""
    try:
        with open(path, "rb") as file:
            shape, dtype = _header(file)
            size = math.prod(shape) * dtype.itemsize
            if not 0 <= size <= path.stat().st_size:
                raise ValueError(f"it claims {size} bytes, more than the file has")
            return _rows(file, shape, dtype)
    except BROKEN as error:
        raise InputError(f"{path} cannot be read as a .npy array: {_first_line(error)}") from None


def members(path: Path) -> list[str]:
    """The names of the arrays in an `.npz` file."""
    try:
        with _open(path) as archive:
            names = archive.namelist()
    except BROKEN as error:
        raise InputError(f"{path} cannot be read as an .npz file: {_first_line(error)}") from None
    return [name.removesuffix(".npy") for name in names if name.endswith(".npy")]


def load_member(path: Path, name: str, limit: int | None = None) -> np.ndarray:
    """The first rows of one array of a data set in an `.npz` file."""
    try:
        with _open(path) as archive:
            return _read_member(archive, name, limit)
    except KeyError:
        raise InputError(
            f"{path} has no array {name}, only {', '.join(members(path))[:200]}"
        ) from None
    except BROKEN as error:
        raise InputError(f"{path} has no readable array {name}: {_first_line(error)}") from None


def load_all(path: Path, most: int) -> dict[str, np.ndarray]:
    """Every array of an `.npz` file that has no more than so many bytes."""
    names = members(path)
    try:
        with _open(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
            if size > most:
                raise ValueError(f"it has {size} bytes, more than {most}")
            return {name: _read_member(archive, name) for name in names}
    except BROKEN as error:
        raise InputError(f"{path} cannot be read as an .npz file: {_first_line(error)}") from None


@contextmanager
def _open(path: Path) -> Iterator[zipfile.ZipFile]:
    """An archive whose directory is not too long."""
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        if len(entries) > LIMITS.archive_members:
            raise ValueError(f"it has {len(entries)} members ({raised_by('archive_members')})")
        yield archive


def _check_packing(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    """The sizes in the directory bound what is unpacked."""
    if entry.compress_type not in PLAIN_PACKING:
        raise ValueError(f"{entry.filename[:40]} is not packed as numpy does it")
    packed = min(entry.compress_size, os.stat(archive.filename or "").st_size)
    if entry.file_size > FREE_BYTES + LIMITS.array_ratio * packed:
        raise ValueError(
            f"{entry.filename[:40]} claims {entry.file_size} bytes from {packed} packed "
            f"ones ({raised_by('array_ratio')})"
        )


def _read_member(archive: zipfile.ZipFile, name: str, limit: int | None = None) -> np.ndarray:
    entry = archive.getinfo(f"{name}.npy")
    _check_packing(archive, entry)
    with archive.open(entry) as file:
        shape, dtype = _first(limit, *_header(file))
        return _rows(file, shape, dtype)


def _first(
    limit: int | None, shape: tuple[int, ...], dtype: np.dtype
) -> tuple[tuple[int, ...], np.dtype]:
    """So many rows of an array of that shape."""
    return (shape if limit is None or not shape else (min(limit, shape[0]), *shape[1:])), dtype


def _header(file: IO[bytes] | io.BufferedIOBase) -> tuple[tuple[int, ...], np.dtype]:
    version = npy_format.read_magic(file)
    with warnings.catch_warnings():
        # Of headers that Python 2 wrote, which are read all the same.
        warnings.simplefilter("ignore", UserWarning)
        if version == (1, 0):
            shape, by_column, dtype = npy_format.read_array_header_1_0(file)
        else:
            shape, by_column, dtype = npy_format.read_array_header_2_0(file)
    if (by_column and len(shape) > 1) or dtype.hasobject:
        raise ValueError("it is not a plain array of rows")
    return shape, dtype


def _check_rows(shape: tuple[int, ...], dtype: np.dtype) -> None:
    cells = math.prod(shape)
    for limit, claimed, what in (
        ("dataset_cells", cells, "numbers"),
        ("array_bytes", cells * dtype.itemsize, "bytes"),
    ):
        if not 0 <= claimed <= getattr(LIMITS, limit):
            raise ValueError(
                f"it claims {claimed} {what} ({raised_by(limit)}); --limit reads fewer puzzles"
            )


def _rows(
    file: IO[bytes] | io.BufferedIOBase, shape: tuple[int, ...], dtype: np.dtype
) -> np.ndarray:
    _check_rows(shape, dtype)
    array = np.empty(shape, dtype)
    flat = array.reshape(-1).view(np.uint8) if array.size else array
    done = 0
    while done < array.nbytes:
        block = file.read(min(BLOCK, array.nbytes - done))
        if not block:
            raise ValueError("it ends before its last row")
        flat[done : done + len(block)] = np.frombuffer(block, np.uint8)
        done += len(block)
    return array


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:200]
