"""A part of the report: the runs it needs and the section it makes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from erm.reproduce.missing import Missing
from erm.reproduce.runs import Run
from erm.reproduce.study import Runs, Study
from erm.reproduce.table import Row, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


@dataclass(frozen=True)
class Figure:
    """A picture, what it says in words, and the numbers behind it."""

    name: str
    caption: str
    drawing: Drawing
    rows: Sequence[Row]


@dataclass(frozen=True)
class Section:
    """What a part contributes to the report."""

    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    text: str = ""


@dataclass(frozen=True)
class Part:
    """One table or figure, or a few that belong together."""

    name: str
    """As `--only` takes it."""
    title: str
    runs: Callable[[Study], Sequence[Runs]]
    build: Callable[[Study], Section]

    def needs(self, study: Study) -> list[Run]:
        """Every run that can be made, each once."""
        named = {
            run.name: run
            for group in self.runs(study)
            for run in group.values()
            if not isinstance(run, Missing)
        }
        return list(named.values())


def no_runs(study: Study) -> list[Runs]:
    return []
