"""A table: raw numbers for the CSV, the same numbers formatted for people."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import TextIOBase
from pathlib import Path
from typing import Any

from erm.files import atomic

Row = dict[str, Any]
"""Raw values by column; `notes` holds keys of footnotes."""
DASH = "–"


@dataclass(frozen=True)
class Column:
    """How a person reads one column."""

    label: str
    show: Callable[[Row], str]
    left: bool = False
    """Text rather than numbers."""


@dataclass(frozen=True)
class Table:
    """Rows behind one table of the report."""

    name: str
    """Of its CSV."""
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    notes: tuple[str, ...] = ()
    """Footnotes of the table as a whole."""
    remarks: tuple[str, ...] = ()
    """Plain sentences under it."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The footnotes by their keys."""

    def footnotes(self) -> list[str]:
        """Keys of all footnotes, in the order of their marks."""
        own = [key for row in self.rows for key in row.get("notes", ())]
        return list(dict.fromkeys([*self.notes, *own]))

    def marks(self, row: Row) -> str:
        order = self.footnotes()
        return "".join(f"[{order.index(key) + 1}]" for key in row.get("notes", ()))

    def shown_columns(self) -> list[Column]:
        """Columns that are empty from top to bottom are left out."""
        return [
            column
            for column in self.columns
            if any(column.show(row) not in ("", DASH) for row in self.rows)
        ]

    def cells(self) -> Iterator[list[str]]:
        """The body as text, a footnote's mark behind the first cell."""
        columns = self.shown_columns()
        for row in self.rows:
            first, *rest = (column.show(row) for column in columns)
            marks = self.marks(row)
            yield [f"{first} {marks}" if marks else first, *rest]

    def under(self) -> list[str]:
        """What stands under the table: remarks, then the footnotes with their marks."""
        notes = [f"[{mark}] {self.texts[key]}" for mark, key in enumerate(self.footnotes(), 1)]
        return [*self.remarks, *notes]

    def markdown(self) -> str:
        columns = self.shown_columns()
        lines = [
            _line(column.label for column in columns),
            _line(":--" if column.left else "--:" for column in columns),
            *(_line(cells) for cells in self.cells()),
        ]
        under = self.under()
        return "\n".join(lines) + ("\n\n" + "  \n".join(under) if under else "")


def _line(cells: Any) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """All raw values of the rows; a column for every key that any row has."""
    keys = list(dict.fromkeys(key for row in rows for key in row))

    def write(file: TextIOBase) -> None:
        writer = csv.DictWriter(file, keys, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: _plain(value) for key, value in row.items()})

    with atomic(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        write(file)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6)
    return " ".join(map(str, value)) if isinstance(value, tuple | list) else value


def text(label: str, key: str) -> Column:
    return Column(label, lambda row: str(row.get(key) or ""), left=True)


def number(label: str, key: str, digits: int = 2) -> Column:
    """A plain number; a dash where there is none."""

    def show(row: Row) -> str:
        value = row.get(key)
        return DASH if value is None else f"{value:,.{digits}f}"

    return Column(label, show)


def count(label: str, correct: str, total: str) -> Column:
    def show(row: Row) -> str:
        return DASH if row.get(total) is None else f"{row[correct]}/{row[total]}"

    return Column(label, show)


def interval(label: str, low: str, high: str) -> Column:
    def show(row: Row) -> str:
        return DASH if row.get(low) is None else f"{row[low]:.1f} to {row[high]:.1f}"

    return Column(label, show)
