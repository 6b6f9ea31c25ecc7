"""A document of tables and figures: Markdown, and one page that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from erm.files import atomic
from erm.report import plot
from erm.report.outcome import Row
from erm.report.table import Table, write_csv

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


@dataclass(frozen=True)
class Figure:
    """A picture, its caption, and the numbers behind it."""

    name: str
    """Of its files."""
    caption: str
    drawing: Drawing
    rows: Sequence[Row]


@dataclass(frozen=True)
class Section:
    """Tables and figures under one heading."""

    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    text: str = ""
    name: str = ""
    """Of its anchor on the page."""
    title: str = ""
    command: str = ""
    """What makes it again."""
    notes: Sequence[str] = ()
    """Small print at its end."""


@dataclass(frozen=True)
class Document:
    """A whole report; in texts, `...` is a command."""

    title: str
    introduction: Sequence[str]
    sections: Sequence[Section]
    runs: Sequence[str] = field(default=())
    """How each number was made, a paragraph per run."""

    def write(self, folder: Path) -> Path:
        """CSVs, pictures, report.md and report.html; the path of the page."""
        for section in self.sections:
            for table in section.tables:
                write_csv(folder / "tables" / f"{table.name}.csv", table.rows)
            for figure in section.figures:
                write_csv(folder / "figures" / f"{figure.name}.csv", figure.rows)
                plot.save(figure.drawing, folder / "figures" / figure.name)
        for name in ("report.md", "report.html"):
            template = _templates().get_template(f"{name}.jinja")
            with atomic(folder / name) as temporary:
                text = template.render(document=self, pictures=folder / "figures")
                temporary.write_text(text, "utf-8")
        return folder / "report.html"


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("erm.report", "."),
        autoescape=select_autoescape(enabled_extensions=("html.jinja",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["code"] = _code
    environment.filters["inline"] = plot.inline
    return environment


def _code(text: str) -> Markup:
    """Text in which `...` is a command."""
    return Markup(re.sub("`([^`]*)`", r"<code>\1</code>", str(escape(text))))
