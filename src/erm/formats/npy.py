"""Arrays from files that others made: nothing unpickled, no byte read that was not asked for."""

from __future__ import annotations

import math
import tokenize
import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.lib import format as npy_format

from erm.errors import InputError

MAX_BYTES = 1 << 31
"""More than this is refused, whatever a header promises."""
BROKEN = (
    OSError,
    ValueError,
    TypeError,
    EOFError,
    OverflowError,
    RecursionError,
    MemoryError,
    NotImplementedError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What numpy and zipfile raise on damaged files."""


def load(path: Path, limit: int | None = None) -> np.ndarray:
    """The first rows of a `.npy` file, mapped rather than read."""
    try:
        array = npy_format.open_memmap(path, mode="r")
        return array[:limit] if array.ndim else array
    except BROKEN as error:
        raise InputError(f"{path} cannot be read as a .npy array: {_first_line(error)}") from None


def members(path: Path) -> list[str]:
    """The names of the arrays in an `.npz` file."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except BROKEN as error:
        raise InputError(f"{path} cannot be read as an .npz file: {_first_line(error)}") from None
    return [name.removesuffix(".npy") for name in names if name.endswith(".npy")]


def load_member(path: Path, name: str, limit: int | None = None) -> np.ndarray:
    """The first rows of one array of an `.npz` file."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(f"{name}.npy") as file:
            version = npy_format.read_magic(file)
            if version == (1, 0):
                shape, by_column, dtype = npy_format.read_array_header_1_0(file)
            else:
                shape, by_column, dtype = npy_format.read_array_header_2_0(file)
            if by_column or dtype.hasobject or not shape:
                raise ValueError("it is not a plain array of rows")
            rows = shape[0] if limit is None else min(limit, shape[0])
            size = math.prod((rows, *shape[1:])) * dtype.itemsize
            if not 0 <= size <= MAX_BYTES:
                raise ValueError(f"it claims {size} bytes, more than {MAX_BYTES}")
            data = file.read(size)
            if len(data) < size:
                raise ValueError("it ends before its last row")
            return np.frombuffer(data, dtype).reshape(rows, *shape[1:])
    except KeyError:
        raise InputError(
            f"{path} has no array {name}, only {', '.join(members(path))[:200]}"
        ) from None
    except BROKEN as error:
        raise InputError(f"{path} has no readable array {name}: {_first_line(error)}") from None


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:200]
