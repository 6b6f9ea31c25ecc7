"""Token arrays: .npz files and folders of .npy files."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from hostile.cases import MEGABYTE, case, convert


def npy_header(shape: tuple[int, ...], dtype: str = "|u1") -> bytes:
    file = io.BytesIO()
    facts = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, facts)
    return file.getvalue()


def npz(path: Path, members: Mapping[str, np.ndarray], packing: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, array in members.items():
            file = io.BytesIO()
            np.save(file, array, allow_pickle=array.dtype.hasobject)
            archive.writestr(f"{name}.npy", file.getvalue())
    return path


def bomb(path: Path, name: str, value: int, megabytes: int) -> Path:
    """Rows of 81 equal tokens, a thousand to one."""
    rows = megabytes * MEGABYTE // 81
    block = bytes([value]) * MEGABYTE
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(f"{name}.npy", "w", force_zip64=True) as file,
    ):
        file.write(npy_header((rows, 81)))
        left = rows * 81
        while left:
            left -= file.write(block[: min(left, MEGABYTE)])
    return path


@case
def npz_of_much_in_little(folder: Path) -> list[str]:
    return convert(bomb(folder / "bomb.npz", "test_inputs", 1, 96))


@case
def npz_packed_with_bzip2_and_damaged(folder: Path) -> list[str]:
    path = npz(folder / "b.npz", {"test_inputs": np.ones((200, 81), np.uint8)}, zipfile.ZIP_BZIP2)
    data = bytearray(path.read_bytes())
    data[70:80] = b"\xff" * 10
    path.write_bytes(data)
    return convert(path)


@case
def npz_that_is_encrypted(folder: Path) -> list[str]:
    path = npz(folder / "e.npz", {"test_inputs": np.ones((2, 81), np.uint8)})
    data = bytearray(path.read_bytes())
    for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(sign) + at] |= 1
    path.write_bytes(data)
    return convert(path)


@case
def npz_with_a_pickle(folder: Path) -> list[str]:
    return convert(npz(folder / "p.npz", {"test_inputs": np.array([{}], dtype=object)}))


@case
def npz_whose_header_claims_exabytes(folder: Path) -> list[str]:
    path = folder / "c.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("test_inputs.npy", npy_header((1 << 50, 81)) + b"\1" * 810)
    return convert(path)


def blank_boards(folder: Path, rows: int) -> list[str]:
    """A sparse file: it takes no room and claims it all."""
    (folder / "test").mkdir()
    header = npy_header((rows, 81))
    with open(folder / "test" / "all__inputs.npy", "wb") as file:
        file.write(header)
        file.truncate(len(header) + rows * 81)
    return convert(folder)


@case
def npy_that_claims_810_gigabytes(folder: Path) -> list[str]:
    return blank_boards(folder, 10_000_000_000)


@case
def npy_of_a_gigabyte_of_blank_boards(folder: Path) -> list[str]:
    return blank_boards(folder, 12_000_000)


@case
def npy_with_a_header_that_never_ends(folder: Path) -> list[str]:
    (folder / "test").mkdir()
    (folder / "test" / "all__inputs.npy").write_bytes(
        b"\x93NUMPY\x02\x00" + struct.pack("<I", 9_000_000) + b"(" * 9_000_000
    )
    return convert(folder)


@case
def npz_of_more_boards_than_are_read(folder: Path) -> list[str]:
    """Packed as tightly as honest arrays can be, but of 140 million cells."""
    path = folder / "many.npz"
    draw, rows = np.random.default_rng(0), 10_000
    block = np.ones((rows, 81), np.uint8)
    block.flat[draw.integers(0, block.size, rows // 2)] = draw.integers(2, 11, rows // 2)
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("test_inputs.npy", "w", force_zip64=True) as file,
    ):
        file.write(npy_header((170 * rows, 81)))
        for _ in range(170):
            file.write(block.data)
    return convert(path)


@case
def npz_of_long_numbers(folder: Path) -> list[str]:
    """Few cells of many bytes each."""
    path = folder / "wide.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("test_inputs.npy", npy_header((16, 81), "|S1000000") + b"1" * MEGABYTE)
    return convert(path)
