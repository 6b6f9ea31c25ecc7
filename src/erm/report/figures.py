"""The two kinds of figures of the reports: bars with intervals, and lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from erm.report import plot
from erm.report.document import Figure
from erm.report.outcome import Rate, Row


class Bar(NamedTuple):
    """One accuracy; a cross on the axis where there is none."""

    label: str
    rate: Rate | None
    colour: str = plot.BLUE
    series: str = ""
    """Bars of one label stand side by side; the second series is hollow."""


class Line(NamedTuple):
    """Values over an axis."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    colour: str
    dashes: str = "-"
    percent: bool = True
    """An accuracy, else a score with an axis of its own on the left."""


def bars(name: str, caption: str, panels: Mapping[str, Sequence[Bar]]) -> Figure:
    """One panel a title."""
    every = [bar for own in panels.values() for bar in own]
    series = list(dict.fromkeys(bar.series for bar in every))
    width = 0.72 / len(series)
    with plot.style():
        figure, axes = plot.panels(len(panels), 3.4 if len(panels) > 1 else 6.0, 3.5)
        for one, (title, own) in zip(axes, panels.items(), strict=True):
            labels = list(dict.fromkeys(bar.label for bar in own))
            for bar in own:
                place = series.index(bar.series)
                x = labels.index(bar.label) + width * (place - (len(series) - 1) / 2)
                plot.bar(one, x, bar.rate, bar.colour, 0.9 * width, hollow=place > 0)
            turned = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
            one.set_xticks(range(len(labels)), labels, **turned)
            one.grid(False, axis="x")
            one.set_title(title)
            plot.percent_axis(one)
        if len(series) > 1:
            looks = [plot.patch_handle(n, plot.GREY, p > 0) for p, n in enumerate(series)]
            plot.legend_below(figure, looks)
    rows: list[Row] = [
        {"panel": title, "series": bar.series, "label": bar.label, **(bar.rate or Rate()).raw()}
        for title, own in panels.items()
        for bar in own
    ]
    return Figure(name, caption, figure, rows)


def lines(
    name: str, caption: str, panels: Mapping[str, Sequence[Line]], across: str, log: bool = False
) -> Figure:
    """One panel a title; scores on the left axis, then accuracies on the right one."""
    every = [line for own in panels.values() for line in own]
    with plot.style():
        figure, axes = plot.panels(len(panels), 3.7 if len(panels) > 1 else 5.6, 3.4)
        for one, (title, own) in zip(axes, panels.items(), strict=True):
            scores = [line.label for line in own if not line.percent]
            right = one.twinx() if scores else one
            for line in own:
                target = right if line.percent else one
                target.plot(line.x, line.y, line.dashes, color=line.colour, linewidth=1.8)
            if scores:
                one.set_ylabel(scores[0])
                right.grid(False)
                right.spines["right"].set_visible(True)
            if log:
                one.set_xscale("log", base=2)
                one.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            one.set_xlabel(across)
            one.set_title(title)
            plot.percent_axis(right, bottom=-3)
        looks = dict.fromkeys((line.label, line.colour, line.dashes) for line in every)
        plot.legend_below(figure, [plot.line_handle(*look) for look in looks], min(len(looks), 4))
    rows: list[Row] = [
        {"panel": title, "line": line.label, across: x, "percent" if line.percent else "score": y}
        for title, own in panels.items()
        for line in own
        for x, y in zip(line.x, line.y, strict=True)
    ]
    return Figure(name, caption, figure, rows)
