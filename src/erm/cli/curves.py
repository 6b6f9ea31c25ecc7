"""`erm curves`: how checkpoints learned, from their cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tyro

from erm.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {"cells": "cells right", "exact": "puzzles solved when they leave the batch"}
"""What a learning curve measures, in the words of the figure."""


@dataclass
class Curves:
    """Draw learning curves: cells and puzzles right in training, against minutes.

    Example: erm curves sudoku runs/mine/checkpoint --out curves
    """

    checkpoints: tyro.conf.Positional[tuple[str, ...]] = ()
    """Names of shipped checkpoints or checkpoint folders; all that ship if none is named."""
    out: Path = Path("curves")
    """Writes OUT.png, OUT.svg and OUT.csv."""

    def run(self) -> int:
        from erm import zoo
        from erm.progress import console
        from erm.report.plot import save
        from erm.report.table import write_csv

        rows = []
        for name in self.checkpoints or zoo.names():
            try:
                own = list(_points(name, zoo.find(name).card))
            except (KeyError, TypeError, AttributeError):
                raise InputError(f"the stages in the card of {name} are damaged") from None
            if not own and self.checkpoints:
                raise InputError(f"the card of {name} has no learning curve; was it imported?")
            rows += own
        save(_figure(rows), self.out)
        write_csv(self.out.with_name(self.out.name + ".csv"), rows)
        console.print(f"written to {self.out}.png, .svg and .csv", highlight=False)
        return 0


def _points(name: str, card: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A card's curve, its stages one after the other in time."""
    before = 0.0
    for number, stage in enumerate(card.get("stages", ()), 1):
        for point in stage.get("curve", ()):
            minutes = round((before + point["seconds"]) / 60, 3)
            shares = {key: 100 * point[key] for key in TITLES if key in point}
            yield {"checkpoint": name, "stage": number, "minutes": minutes, **shares}
        before += stage["seconds"]


def _figure(rows: Sequence[Mapping[str, Any]]) -> Figure:
    from erm.report import plot

    names = list(dict.fromkeys(row["checkpoint"] for row in rows))
    looks = [(colour, dashes) for dashes in ("-", "--") for colour in plot.LINE_COLOURS]
    look_of = dict(zip(names, cycle(looks), strict=False))
    with plot.style():
        figure, panels = plot.panels(len(TITLES), width=4.6)
        for axes, (key, title) in zip(panels, TITLES.items(), strict=True):
            for (name, _), stage in groupby(rows, itemgetter("checkpoint", "stage")):
                points = [(row["minutes"], row[key]) for row in stage if key in row]
                colour, dashes = look_of[name]
                axes.plot(*zip(*points, strict=True), color=colour, linestyle=dashes, linewidth=1.4)
            axes.set_title(title)
            axes.set_xlabel("minutes of training")
            plot.percent_axis(axes, "in training (%)", bottom=-2)
        handles = [plot.line_handle(name, *look) for name, look in look_of.items()]
        plot.legend_below(figure, handles, min(len(handles), 6) or 1)
    return figure


COMMAND = Curves
