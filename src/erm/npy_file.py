"""Arrays from files that others made: nothing unpickled, no byte read that was not asked for."""

from __future__ import annotations

import io
import math
import tokenize
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
FREE_BYTES = 16 << 20
"""So much may be packed as tightly as it likes: a few boards of zeros are no attack."""


def load(path: Path, limit: int | None = None) -> np.ndarray:
    """The first rows of a `.npy` file, mapped rather than read."""
    try:
        with open(path, "rb") as file:
            shape, _ = _header(file)
        cells = math.prod(
            shape if limit is None or not shape else (min(limit, shape[0]), *shape[1:])
        )
        if not 0 <= cells <= LIMITS.dataset_cells:
            raise ValueError(
                f"it claims {cells} numbers ({raised_by('dataset_cells')}); --limit reads fewer"
            )
        array = npy_format.open_memmap(path, mode="r")
    except BROKEN as error:
        raise InputError(f"{path} cannot be read as a .npy array: {_first_line(error)}") from None
    return array[:limit] if array.ndim else array


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
    """The first rows of one array of an `.npz` file."""
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
    """An archive whose directory has been looked through: its sizes bound what is unpacked."""
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        if len(entries) > LIMITS.archive_members:
            raise ValueError(f"it has {len(entries)} members ({raised_by('archive_members')})")
        for entry in entries:
            if entry.compress_type not in PLAIN_PACKING:
                raise ValueError(f"{entry.filename[:40]} is not packed as numpy does it")
            packed = min(entry.compress_size, path.stat().st_size)
            if entry.file_size > FREE_BYTES + LIMITS.array_ratio * packed:
                raise ValueError(
                    f"{entry.filename[:40]} claims {entry.file_size} bytes from {packed} packed "
                    f"ones ({raised_by('array_ratio')})"
                )
        yield archive


def _read_member(archive: zipfile.ZipFile, name: str, limit: int | None = None) -> np.ndarray:
    with archive.open(f"{name}.npy") as file:
        shape, dtype = _header(file)
        if limit is not None and shape:
            shape = min(limit, shape[0]), *shape[1:]
        return _rows(file, shape, dtype)


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype]:
    version = npy_format.read_magic(file)
    if version == (1, 0):
        shape, by_column, dtype = npy_format.read_array_header_1_0(file)
    else:
        shape, by_column, dtype = npy_format.read_array_header_2_0(file)
    if (by_column and len(shape) > 1) or dtype.hasobject:
        raise ValueError("it is not a plain array of rows")
    return shape, dtype


def _rows(file: IO[bytes] | io.BufferedIOBase, shape: tuple[int, ...], dtype: np.dtype):
    size = math.prod(shape) * dtype.itemsize
    if not 0 <= size <= LIMITS.array_bytes:
        raise ValueError(f"it claims {size} bytes ({raised_by('array_bytes')})")
    data = file.read(size)
    if len(data) < size:
        raise ValueError("it ends before its last row")
    return np.frombuffer(bytearray(data), dtype).reshape(shape)


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:200]
