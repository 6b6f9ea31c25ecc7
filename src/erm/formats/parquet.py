"""Writing Parquet files, as the Hugging Face Hub keeps data."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from erm.files import atomic
from erm.formats import columnar
from erm.formats.csv_row import Columns, format_row
from erm.formats.signs import Signs
from erm.types import Puzzle

ROW_GROUP = 10_000
"""Rows that we write together."""
OWN = ("task", "question", "answer", "meta")
"""Our columns: `meta` is a JSON object of whatever else is known of a puzzle."""


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
