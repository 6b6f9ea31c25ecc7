"""Tables in columns: Parquet and Arrow."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

from hostile.cases import SUDOKU, case, convert, write


def parquet(folder: Path, texts: Any, **options: Any) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"question": texts}), folder / "a.parquet", **options)
    return folder / "a.parquet"


@case
def parquet_of_much_in_little(folder: Path) -> list[str]:
    """One text of 96 MB in a few kilobytes."""
    return convert(parquet(folder, ["1" * (96 << 20)], compression="zstd"))


@case
def parquet_whose_footer_plays_it_down(folder: Path) -> list[str]:
    path = parquet(folder, ["1" * (96 << 20)], compression="zstd", use_dictionary=False)
    data = path.read_bytes()
    size = (96 << 20) // 1_000_000

    def varint(number: int, length: int) -> bytes:
        parts = [(number << 1 >> 7 * at) & 127 | 128 for at in range(length)]
        return bytes([*parts[:-1], parts[-1] & 127])

    from pyarrow.parquet import read_metadata

    chunk = read_metadata(path).row_group(0).column(0)
    told = varint(chunk.total_uncompressed_size, 4)
    footer = data.rindex(b"PAR1", 0, -4) if b"PAR1" in data[4:-4] else 4
    path.write_bytes(data[:footer] + data[footer:].replace(told, varint(size, 4)))
    return convert(path)


@case
def parquet_of_one_text_a_million_times(folder: Path) -> list[str]:
    import pyarrow as pa

    indices = pa.array(np.zeros(3_000_000, np.int32))
    return convert(parquet(folder, pa.DictionaryArray.from_arrays(indices, [SUDOKU * 12])))


@case
def parquet_of_long_texts_that_repeat(folder: Path) -> list[str]:
    import pyarrow as pa

    indices = pa.array(np.zeros(500, np.int32))
    texts = pa.DictionaryArray.from_arrays(indices, ["1" * 4_000_000])
    return convert(parquet(folder, texts))


@case
def parquet_that_is_cut_off(folder: Path) -> list[str]:
    path = parquet(folder, [SUDOKU] * 100)
    path.write_bytes(path.read_bytes()[:-20])
    return convert(path)


@case
def parquet_whose_footer_claims_much(folder: Path) -> list[str]:
    path = parquet(folder, [SUDOKU] * 100)
    path.write_bytes(path.read_bytes()[:-8] + struct.pack("<I", 1 << 31) + b"PAR1")
    return convert(path)


@case
def parquet_whose_statistics_fit_no_column(folder: Path) -> list[str]:
    """Where pyarrow is asked about such a column, it ends the process."""
    path = parquet(folder, [SUDOKU] * 3)
    optional, required = b"\x25\x02\x18\x08question", b"\x25\x00\x18\x08question"
    assert optional in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(optional, required))
    return convert(path)


@case
def parquet_of_nothing(folder: Path) -> list[str]:
    (folder / "a.parquet").write_bytes(b"")
    return convert(folder / "a.parquet")


def arrow(folder: Path, text: str, packing: str | None = None) -> Path:
    """A stream of one row."""
    import pyarrow as pa

    path, table = folder / "a.arrow", pa.table({"question": [text]})
    options = pa.ipc.IpcWriteOptions(compression=packing)
    with pa.ipc.new_stream(path, table.schema, options=options) as writer:
        writer.write_table(table)
    return path


@case
def arrow_that_claims_a_terabyte(folder: Path) -> list[str]:
    import pyarrow as pa

    path = arrow(folder, SUDOKU)
    _, batch = pa.ipc.MessageReader.open_stream(path.read_bytes())
    size = struct.pack("<q", batch.body.size)
    assert size in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(size, struct.pack("<q", 1 << 40)))
    return convert(path)


@case
def arrow_with_packed_batches(folder: Path) -> list[str]:
    return convert(arrow(folder, "1" * (96 << 20), "zstd"))


@case
def a_folder_of_files_elsewhere(folder: Path) -> list[str]:
    write(folder / "state.json", '{"_data_files": [{"filename": "/etc/passwd"}]}')
    return convert(folder)


@case
def parquet_with_a_column_of_no_text(folder: Path) -> list[str]:
    path = parquet(folder, [SUDOKU] * 3)
    path.write_bytes(path.read_bytes().replace(b"question", b"qu\xcdstion"))
    return convert(path)


@case
def arrow_with_a_column_of_no_text(folder: Path) -> list[str]:
    path = arrow(folder, SUDOKU)
    path.write_bytes(path.read_bytes().replace(b"question", b"qu\xe9stion"))
    return convert(path)
