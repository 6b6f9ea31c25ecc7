"""A table: raw numbers for the CSV, the same numbers formatted for people."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from erm.files import atomic
from erm.report.outcome import Rate, Row

DASH = "–"


@dataclass(frozen=True)
class Table:
    """Rows by column. A cell is a text, a number, a `Rate`, or None where there is no value."""

    name: str
    """Of its CSV."""
    caption: str
    columns: Mapping[str, str]
    """What people read above each key, in order; other keys of a row are for the CSV alone."""
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    """Sentences under it."""
    digits: Mapping[str, int] | None = None
    """Digits behind the point, where they are not 2."""

    def head(self) -> list[tuple[str, bool]]:
        """Labels of the columns that have a value, and whether each holds text."""
        return [(self.columns[key], self._is_text(key)) for key in self._shown()]

    def cells(self) -> Iterator[list[str]]:
        return ([self._cell(row, key) for key in self._shown()] for row in self.rows)

    def markdown(self) -> str:
        lines = [
            _line(label for label, _ in self.head()),
            _line(":--" if is_text else "--:" for _, is_text in self.head()),
            *map(_line, self.cells()),
        ]
        return "\n".join(lines) + "".join(f"\n\n{note}" for note in self.notes)

    def _shown(self) -> list[str]:
        kept = (key for key in self.columns if any(self._cell(r, key) != DASH for r in self.rows))
        return list(kept)

    def _is_text(self, key: str) -> bool:
        return any(isinstance(row.get(key), str) for row in self.rows)

    def _cell(self, row: Row, key: str) -> str:
        value = row.get(key)
        if isinstance(value, float):
            return f"{value:,.{(self.digits or {}).get(key, 2)}f}"
        text = "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
        return text or DASH


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def write_csv(path: Path, rows: Sequence[Mapping]) -> None:
    """All raw values; a rate becomes a column for each of its numbers."""
    flat = [dict(_flat(row)) for row in rows]
    keys = list(dict.fromkeys(key for row in flat for key in row))
    with atomic(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, keys, lineterminator="\n")
        writer.writeheader()
        writer.writerows(flat)


def _flat(row: Mapping) -> Iterator[tuple[str, object]]:
    for key, value in row.items():
        if isinstance(value, Rate):
            for name, number in value.raw().items():
                yield f"{key}_{name}", _rounded(number)
        else:
            yield key, _rounded(value)


def _rounded(value: object) -> object:
    return round(value, 6) if isinstance(value, float) else value
