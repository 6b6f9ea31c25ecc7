"""Reading files of `torch.save` without executing them.

A pickle is a program. The standard library's unpickler runs it here with every class and function
replaced by an inert `Name`: nothing is imported, nothing is called. A tensor becomes a
`TensorRecord`, any other object an empty `Made`. A file that calls a function which no checkpoint
needs is refused as a whole.
"""

from __future__ import annotations

import io
import math
import pickle
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from erm.errors import InputError
from erm.limits import LIMITS, raised_by

FLOATS = {
    "FloatStorage": torch.float32,
    "DoubleStorage": torch.float64,
    "HalfStorage": torch.float16,
    "BFloat16Storage": torch.bfloat16,
}
HARMLESS = {"collections", "copyreg", "datetime", "numpy", "omegaconf", "pathlib", "torch"}
"""Packages whose calls occur in checkpoints."""
HARMLESS_CALLS = {"encode", "set", "frozenset", "bytearray", "complex"}
"""Calls of other packages that occur there."""
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, pickle.UnpicklingError, EOFError),
    *(NotImplementedError, RuntimeError, ValueError, LookupError, TypeError, AttributeError),
    *(OverflowError, AssertionError, MemoryError),
)
"""Errors of the standard library on damaged archives and pickles."""


def printable(text: object) -> str:
    """A file's text for a message: one short line without control characters."""
    if isinstance(text, int) and text.bit_length() > 1024:
        return "a huge number"
    line = " ".join(str(text).split())
    line = line if line.isprintable() else ascii(line)
    return line if len(line) <= 160 else f"{line[:160]}…"


class Made(dict):
    """An object of an unknown class: its items and its state, without behaviour."""

    state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def extend(self, items: list[Any]) -> None:
        """Items of a list, which no checkpoint needs."""

    append = extend


class Stored(NamedTuple):
    """Bytes of the archive: type, record name and number of elements as the file claims them."""

    kind: str
    key: str
    elements: int


class TensorRecord(NamedTuple):
    """A tensor that has not been read yet."""

    stored: Stored
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]


class Name(NamedTuple):
    """A class or function that the pickle names."""

    module: str
    name: str

    def __call__(self, *arguments: Any) -> Any:
        if self.module.split(".")[0] not in HARMLESS and self.name not in HARMLESS_CALLS:
            raise InputError(
                f"the file asks to call {printable('.'.join(self))} when it is loaded, which no "
                "official checkpoint does; it is refused and nothing of it was executed"
            )
        if self == ("torch._utils", "_rebuild_parameter"):
            return arguments[0]
        if self == ("torch._utils", "_rebuild_tensor_v2"):
            return _tensor(*arguments[:4])
        return Made()


def _tensor(stored: Any, offset: Any, shape: Any, stride: Any) -> TensorRecord:
    for number in (offset, *shape, *stride):
        if type(number) is not int or not 0 <= number < 1 << 48:
            raise ValueError("a tensor has an impossible shape")
    if type(stored) is not Stored or len(shape) != len(stride) or len(shape) > 8:
        raise ValueError("a tensor is described in an unknown way")
    return TensorRecord(stored, offset, tuple(shape), tuple(stride))


class _Unpickler(pickle._Unpickler):  # pyright: ignore
    """The pure-Python unpickler; the one in C allots as much memory as a file claims."""

    stack: list[Any]

    def find_class(self, module: str, name: str) -> Name:
        return Name(module, name)

    def persistent_load(self, pid: Any) -> Stored:
        label, kind, key, _device, elements = pid
        types = type(label), type(kind), type(key), type(elements)
        if types != (str, Name, str, int) or label != "storage":
            raise ValueError("a storage is described in an unknown way")
        return Stored(kind.name, key, elements)

    def load_new(self) -> None:
        self.stack[-2:] = [Made()]

    # Tuples read as lists: a deep tuple as the key of a dict overflows the C stack when hashed.
    def load_tuple1(self) -> None:
        self.stack[-1:] = [self.stack[-1:]]

    def load_tuple2(self) -> None:
        self.stack[-2:] = [self.stack[-2:]]

    def load_tuple3(self) -> None:
        self.stack[-3:] = [self.stack[-3:]]

    dispatch = {
        code: load
        for code, load in pickle._Unpickler.dispatch.items()  # pyright: ignore
        if code not in (pickle.BYTEARRAY8[0], pickle.NEWOBJ_EX[0])  # not of protocol 2
    } | {
        pickle.NEWOBJ[0]: load_new,
        pickle.TUPLE[0]: pickle._Unpickler.load_list,  # pyright: ignore
        pickle.TUPLE1[0]: load_tuple1,
        pickle.TUPLE2[0]: load_tuple2,
        pickle.TUPLE3[0]: load_tuple3,
    }


def read_pickle(program: bytes) -> Any:
    """What a pickle describes, as dicts, lists, plain values and inert objects."""
    try:
        return _Unpickler(io.BytesIO(program)).load()
    except InputError:
        raise
    except DAMAGED as error:
        raise InputError(f"the file holds a damaged pickle ({printable(error)})") from error


class TorchFile:
    """The object tree of one file, and its tensors on demand."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            if (size := self.path.stat().st_size) > LIMITS.bytes:
                raise InputError(f"{path} has {size} bytes ({raised_by()})")
            self._archive = zipfile.ZipFile(self.path)
            programs = [name for name in self._archive.namelist() if name.endswith("/data.pkl")]
            if len(programs) != 1:
                raise InputError(f"{path} is a zip archive, but not one written by torch.save")
            self._folder = programs[0].removesuffix("data.pkl")
            order = f"{self._folder}byteorder"
            if order in self._archive.namelist() and self._bytes(order) != b"little":
                raise InputError(f"{path} holds big-endian numbers; save it again on another CPU")
            program = self._bytes(programs[0])
        except InputError:
            raise
        except DAMAGED as error:
            raise InputError(
                f"{path} is truncated or was not written by torch.save ({printable(error)})"
            ) from error
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
        if len(program) > LIMITS.object_bytes:
            raise InputError(f"{path}: its pickle is too large ({raised_by(LIMITS.object_bytes)})")
        try:
            self.root = read_pickle(program)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error

    def __enter__(self) -> TorchFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def tensor(self, record: TensorRecord) -> Tensor:
        """The numbers of a floating-point tensor, as float32."""
        stored, where = record.stored, f"{self.path}: record {printable(record.stored.key)}"
        dtype = FLOATS.get(stored.kind)
        if dtype is None:
            kind = printable(stored.kind)
            raise InputError(f"{where} holds {kind}, but weights are floating point")
        try:
            data = self._bytes(f"{self._folder}data/{stored.key}")
        except InputError:
            raise
        except (*DAMAGED, OSError) as error:
            raise InputError(f"{where} is missing or damaged ({printable(error)})") from error
        spans = zip(record.shape, record.stride, strict=True)
        last = record.offset + sum((size - 1) * step for size, step in spans)
        if 0 in record.shape or (last + 1) * dtype.itemsize > len(data):
            raise InputError(f"{where} is shorter than the tensor that is read from it")
        if math.prod(record.shape) * 4 > LIMITS.bytes:
            raise InputError(f"{where} has the shape {record.shape}, which is too large")
        flat = torch.frombuffer(bytearray(data), dtype=dtype, count=len(data) // dtype.itemsize)
        return flat.as_strided(record.shape, record.stride, record.offset).float().contiguous()

    def _bytes(self, name: str) -> bytes:
        entry = self._archive.getinfo(name)
        # torch.save never compresses, so nothing that it wrote unpacks to more than the file.
        if entry.compress_type != zipfile.ZIP_STORED:
            raise InputError(f"{self.path}: {printable(name)} is compressed")
        return self._archive.read(entry)
