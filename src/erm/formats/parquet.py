"""Parquet files, as the Hugging Face Hub keeps data: read a few rows at a time, and written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from erm.errors import InputError
from erm.files import atomic
from erm.formats import columnar
from erm.formats.csv_row import Columns, format_row
from erm.formats.parquet_pages import check_pages, row_groups
from erm.formats.signs import Signs
from erm.limits import LIMITS
from erm.types import Puzzle

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

ROW_GROUP = 10_000
"""Rows that we write together."""
OWN = ("task", "question", "answer", "meta")
"""Our columns: `meta` is a JSON object of whatever else is known of a puzzle."""


def read_columns(path: Path) -> Columns:
    """How a Parquet file is laid out."""
    with _opened(path) as (_, parquet):
        return columnar.columns_of(parquet.schema_arrow)


def rows_of(path: Path, columns: Columns) -> Iterator[columnar.Row | InputError]:
    """The rows of a Parquet file, one row group after the other, none larger than is believed."""
    with _opened(path) as (file, parquet):
        schema = parquet.schema_arrow
        if columnar.columns_of(schema) != columns:
            raise InputError("its columns are not those of the files before it")
        wanted = columnar.readable(schema)
        weighed = columnar.Weighed(columns, os.path.getsize(path))
        leaves = [parquet.schema.column(number).path for number in range(len(parquet.schema))]
        groups = row_groups(file)
        if len(groups) != parquet.num_row_groups:
            raise InputError("its footer is none of Parquet's")
        for number, group in enumerate(groups):
            if group.rows == 0:
                continue
            if len(group.chunks) != len(leaves):
                raise InputError("a part of it has other columns than the schema")
            for leaf, chunk in zip(leaves, group.chunks, strict=True):
                if leaf in wanted:
                    check_pages(file, chunk)
            batches = parquet.iter_batches(
                columnar.ROWS_AT_A_TIME, [number], wanted, use_threads=False
            )
            yield from weighed.rows(batches)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[IO[bytes], pyarrow.parquet.ParquetFile]]:
    """The bytes of a file and its reader; what is wrong with it in one sentence."""
    broken = columnar.library("pyarrow").ArrowException
    library = columnar.library("pyarrow.parquet")
    with open(path, "rb") as file:
        try:
            parquet = library.ParquetFile(
                path,
                pre_buffer=False,
                arrow_extensions_enabled=False,
                thrift_string_size_limit=LIMITS.line_bytes,
                thrift_container_size_limit=LIMITS.dataset_cells,
            )
            # Texts that repeat stay the numbers of a list until their lengths are known.
            schema = parquet.schema_arrow
            texts = [name for name in columnar.readable(schema) if columnar.is_text(schema, name)]
            parquet = library.ParquetFile(
                path,
                metadata=parquet.metadata,
                read_dictionary=texts,
                pre_buffer=False,
                arrow_extensions_enabled=False,
            )
            yield file, parquet
        except (broken, OSError, MemoryError, OverflowError, UnicodeError) as error:
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(f"it cannot be read as Parquet: {said[:200]}") from None


def write(
    puzzles: Iterable[Puzzle],
    path: Path,
    columns: Columns | None = None,
    signs: Signs | None = None,
) -> None:
    """One Parquet file, in our columns or in those of the file that the puzzles come from."""
    arrow, library = columnar.library("pyarrow"), columnar.library("pyarrow.parquet")
    own = columns is None or columns.names == OWN
    rows = (_own_row(one) if own else format_row(one, columns, signs) for one in puzzles)
    first = list(islice(rows, ROW_GROUP))
    if columns is None or own:
        schema = arrow.schema([(name, arrow.string()) for name in OWN])
    else:
        first += rows  # What type a column has, all of its values say.
        schema = _schema(arrow, columns, first)
    with (
        atomic(path) as temporary,
        library.ParquetWriter(temporary, schema, compression="zstd") as writer,
    ):
        while first:
            writer.write_table(arrow.Table.from_pylist(first, schema), ROW_GROUP)
            first = list(islice(rows, ROW_GROUP))


def _own_row(puzzle: Puzzle) -> dict[str, Any]:
    row = format_row(puzzle)
    return {
        "task": puzzle.task,
        "question": row["question"],
        "answer": row["answer"] or None,
        "meta": json.dumps(dict(puzzle.meta)),
    }


def _schema(arrow: Any, columns: Columns, rows: list[dict[str, Any]]) -> Any:
    """Numbers where all values of a column are such; what is empty is null."""
    types = {}
    for name in columns.names:
        kinds = {type(row[name]) for row in rows if row[name] != ""}
        types[name] = {int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}.get(
            kinds.pop() if len(kinds) == 1 else str, arrow.string()
        )
        for row in rows:
            empty = row[name] == ""
            row[name] = None if empty else str(row[name]) if types[name] == "string" else row[name]
    return arrow.schema(list(types.items()))
