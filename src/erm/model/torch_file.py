"""Reading files of `torch.save` without executing them.

A pickle is a program; here it is only read. Nothing that it names is imported or called: a
class or function becomes an inert `Name`, a call of it an inert `Made`, and a tensor a
`TensorRecord` that says where its bytes are in the archive. A file that asks for a call which
no checkpoint needs is refused as a whole: it was made to do harm.

`pickle.Unpickler` with a `find_class` that refuses would be shorter, but not as safe: a key of a
dict that nests a million tuples, a file of one megabyte, ends it with a segmentation fault, and it
makes room for whatever place of its memo an instruction names.
"""

from __future__ import annotations

import math
import pickletools
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from erm.errors import InputError
from erm.limits import LIMITS

MAX_KEY = 1 << 31
"""Whole numbers that a dict may have for keys; larger ones can be chosen to collide."""
MAX_DIMENSIONS = 8

FLOATS = {
    "FloatStorage": torch.float32,
    "DoubleStorage": torch.float64,
    "HalfStorage": torch.float16,
    "BFloat16Storage": torch.bfloat16,
}

HARMLESS_MODULES = ("collections", "datetime", "numpy", "pathlib", "torch._utils", "omegaconf")
HARMLESS_CALLS = {
    *("_codecs.encode", "copyreg._reconstructor", "torch.Size", "torch.device"),
    *("builtins.set", "builtins.frozenset", "builtins.bytearray", "builtins.complex"),
    *("__builtin__.set", "__builtin__.frozenset", "__builtin__.bytearray", "__builtin__.complex"),
}
"""Calls by which containers, arrays and paths are pickled; they are kept as descriptions."""

DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError),
    *(RuntimeError, ValueError, KeyError, OverflowError),
)
"""What the standard library raises on archives that are torn or made up."""


def printable(text: object) -> str:
    """A stranger's text for a message: one short line without control characters."""
    if isinstance(text, int) and text.bit_length() > 1024:
        return "a huge number"
    line = " ".join(str(text).split())
    line = line if line.isprintable() else ascii(line)
    return line if len(line) <= 160 else f"{line[:160]}…"


@dataclass(frozen=True, eq=False)
class Name:
    """A class or function that the pickle mentions."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(eq=False)
class Made:
    """What a pickle would have made by calling something: kept as a description."""

    maker: Any
    arguments: Any
    state: Any = None
    contents: list[Any] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Stored:
    """Bytes of the archive: type, record name and number of elements as the file claims them."""

    kind: str
    key: str
    elements: int


@dataclass(frozen=True, eq=False)
class TensorRecord:
    """A tensor that has not been read yet."""

    stored: Stored
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]


class TorchFile:
    """The object tree of one file, and its tensors on demand."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self._read()
        except InputError:
            raise
        except DAMAGED as error:
            raise InputError(
                f"{self.path} is truncated or was not written by torch.save ({printable(error)})"
            ) from error
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {error.strerror or error}") from error

    def __enter__(self) -> TorchFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def _read(self) -> None:
        self._archive = zipfile.ZipFile(self.path)
        programs = [name for name in self._archive.namelist() if name.endswith("/data.pkl")]
        if len(programs) != 1:
            raise InputError(f"{self.path} is a zip archive, but not one written by torch.save")
        self._folder = programs[0].removesuffix("data.pkl")
        order = f"{self._folder}byteorder"
        if order in self._archive.namelist() and self._bytes(order, 16) != b"little":
            raise InputError(f"{self.path} holds big-endian numbers; save it again on another CPU")
        self.root = read_pickle(self._bytes(programs[0], LIMITS.pickle_bytes), str(self.path))

    def tensor(self, record: TensorRecord) -> Tensor:
        """The numbers of a floating-point tensor, as float32."""
        stored, where = record.stored, f"{self.path}: record {printable(record.stored.key)}"
        dtype = FLOATS.get(stored.kind)
        if dtype is None:
            kind = printable(stored.kind)
            raise InputError(f"{where} holds {kind}, but weights are floating point")
        if math.prod(record.shape) > LIMITS.tensor_elements:
            raise InputError(f"{where} has the shape {record.shape}, which is too large")
        name = f"{self._folder}data/{stored.key}"
        try:
            data = self._bytes(name, LIMITS.tensor_elements * 8)
        except InputError:
            raise
        except (*DAMAGED, OSError) as error:
            raise InputError(f"{where} is missing or damaged ({printable(error)})") from error
        if len(data) != stored.elements * dtype.itemsize:
            raise InputError(f"{where} has {len(data)} bytes, not {stored.elements} {dtype}")
        spans = zip(record.shape, record.stride, strict=True)
        last = record.offset + sum((size - 1) * step for size, step in spans)
        if 0 in record.shape or last >= stored.elements:
            raise InputError(f"{where} is shorter than the tensor that is read from it")
        flat = torch.frombuffer(bytearray(data), dtype=dtype)
        return flat.as_strided(record.shape, record.stride, record.offset).float().contiguous()

    def _bytes(self, name: str, limit: int) -> bytes:
        entry = self._archive.getinfo(name)
        # torch.save never compresses, so nothing that it wrote unpacks to more than the file.
        if entry.compress_type != zipfile.ZIP_STORED or entry.file_size > limit:
            raise InputError(f"{self.path}: {printable(name)} is compressed or too large")
        return self._archive.read(entry)


def read_pickle(program: bytes, where: str) -> Any:
    """What a pickle describes, as dicts, lists, plain values and inert descriptions."""
    try:
        return _Reader(where).read(program)
    except InputError:
        raise
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise InputError(f"{where} holds a damaged pickle ({printable(error)})") from error


_MARK = object()
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
# Sets read as lists: their items need no hash that way.
_CONTAINERS = {"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple, "EMPTY_SET": list}
_LITERALS = {
    *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
    *("STRING", "BINSTRING", "SHORT_BINSTRING", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8"),
    *("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BYTEARRAY8"),
}


class _Reader:
    """A pickle machine whose every instruction only moves or describes data."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def read(self, program: bytes) -> Any:
        for opcode, argument, _ in islice(pickletools.genops(program), LIMITS.pickle_steps):
            if opcode.name == "STOP":
                return self.stack.pop()
            self._do(opcode.name, argument)
        raise ValueError(f"it does not stop within {LIMITS.pickle_steps} instructions")

    def _do(self, name: str, argument: Any) -> None:
        stack = self.stack
        if name in ("PROTO", "FRAME"):
            return
        if name in _LITERALS:
            stack.append(argument)
        elif name in _CONSTANTS:
            stack.append(_CONSTANTS[name])
        elif name in _CONTAINERS:
            stack.append(_CONTAINERS[name]())
        elif name in ("PUT", "BINPUT", "LONG_BINPUT"):
            self.memo[int(argument)] = stack[-1]
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            stack.append(self.memo[int(argument)])
        elif step := getattr(self, f"_{name.lower()}", None):
            step(argument)
        else:
            raise ValueError(f"instruction {name} is not expected here")

    def _since_mark(self) -> list[Any]:
        at = len(self.stack) - 1
        while self.stack[at] is not _MARK:
            at -= 1
            if at < 0:
                raise ValueError("a mark is missing")
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items

    def _mark(self, _: Any) -> None:
        self.stack.append(_MARK)

    def _memoize(self, _: Any) -> None:
        self.memo[len(self.memo)] = self.stack[-1]

    def _pop(self, _: Any) -> None:
        self.stack.pop()

    def _pop_mark(self, _: Any) -> None:
        self._since_mark()

    def _dup(self, _: Any) -> None:
        self.stack.append(self.stack[-1])

    def _tuple(self, _: Any) -> None:
        self.stack.append(tuple(self._since_mark()))

    def _tuple1(self, _: Any) -> None:
        self._short_tuple(1)

    def _tuple2(self, _: Any) -> None:
        self._short_tuple(2)

    def _tuple3(self, _: Any) -> None:
        self._short_tuple(3)

    def _short_tuple(self, size: int) -> None:
        self.stack[-size:] = [tuple(self.stack[-size:])]

    def _list(self, _: Any) -> None:
        self.stack.append(self._since_mark())

    def _frozenset(self, _: Any) -> None:
        self._tuple(_)

    def _dict(self, _: Any) -> None:
        items = self._since_mark()
        self.stack.append({})
        self._set(items)

    def _append(self, _: Any) -> None:
        item = self.stack.pop()
        self._extend([item])

    def _appends(self, _: Any) -> None:
        self._extend(self._since_mark())

    def _additems(self, _: Any) -> None:
        self._appends(_)

    def _extend(self, items: list[Any]) -> None:
        target = self.stack[-1]
        (target.contents if isinstance(target, Made) else target).extend(items)

    def _setitem(self, _: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._set([key, value])

    def _setitems(self, _: Any) -> None:
        self._set(self._since_mark())

    def _set(self, items: list[Any]) -> None:
        target, pairs = self.stack[-1], list(zip(items[::2], items[1::2], strict=True))
        # Hashing a key that nests a million tuples would exhaust the C stack.
        if not all(_is_plain_key(key) for key, _ in pairs):
            raise ValueError("a dict has a key that is no plain value")
        if isinstance(target, Made):
            target.contents.extend(pairs)
        elif isinstance(target, dict):
            target.update(pairs)
        else:
            raise ValueError("items are set on something that is no dict")

    def _global(self, argument: str) -> None:
        self.stack.append(Name(*argument.split(" ", 1)))

    def _stack_global(self, _: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        # Anything but text could be nested so that spelling it out exhausts the memory.
        if type(name) is not str or type(module) is not str:
            raise ValueError("a class is named by something that is no text")
        self.stack.append(Name(module, name))

    def _reduce(self, _: Any) -> None:
        arguments, maker = self.stack.pop(), self.stack.pop()
        if not _is_harmless(maker):
            name = printable(maker) if isinstance(maker, Name) else "a computed function"
            raise InputError(
                f"{self.where} asks to call {name} when it is loaded, which no official "
                "checkpoint does; it is refused and nothing of it was executed"
            )
        self.stack.append(_describe(str(maker), arguments))

    def _newobj(self, _: Any) -> None:
        arguments, maker = self.stack.pop(), self.stack.pop()
        self.stack.append(Made(maker, arguments))

    def _newobj_ex(self, _: Any) -> None:
        keywords, arguments, maker = (self.stack.pop() for _ in range(3))
        self.stack.append(Made(maker, (arguments, keywords)))

    def _build(self, _: Any) -> None:
        state = self.stack.pop()
        if isinstance(self.stack[-1], Made):
            self.stack[-1].state = state

    def _binpersid(self, _: Any) -> None:
        label, kind, key, _device, elements = self.stack.pop()
        described = type(label), type(key), type(elements)
        if described != (str, str, int) or label != "storage" or not isinstance(kind, Name):
            raise ValueError("a storage is described in an unknown way")
        self.stack.append(Stored(kind.name, key, elements))


def _is_plain_key(key: Any) -> bool:
    parts = key if isinstance(key, tuple) else (key,)
    return all(
        abs(part) < MAX_KEY
        if isinstance(part, int)
        else isinstance(part, str | bytes | float | Name | None)
        for part in parts
    )


def _is_harmless(maker: Any) -> bool:
    if not isinstance(maker, Name):
        return False
    package = maker.module.split(".")[0]
    return str(maker) in HARMLESS_CALLS or bool({package, maker.module} & set(HARMLESS_MODULES))


def _describe(name: str, arguments: Any) -> Any:
    """The few calls that torch.save relies on, understood; all others kept as they are."""
    if name == "collections.OrderedDict" and arguments == ():
        return {}
    if name == "torch._utils._rebuild_parameter":
        return arguments[0]
    if name == "torch._utils._rebuild_tensor_v2":
        stored, offset, shape, stride = arguments[:4]
        if not isinstance(stored, Stored) or not _are_sizes(shape, stride, (offset,)):
            raise ValueError("a tensor is described in an unknown way")
        if len(shape) != len(stride):
            raise ValueError("a tensor has other dimensions than strides")
        return TensorRecord(stored, offset, shape, stride)
    return Made(name, arguments)


def _are_sizes(*groups: Any) -> bool:
    """Whether these are tuples of a few whole numbers that a tensor can have."""
    return all(
        type(group) is tuple
        and len(group) <= MAX_DIMENSIONS
        and all(type(size) is int and 0 <= size < 1 << 48 for size in group)
        for group in groups
    )
