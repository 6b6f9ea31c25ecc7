"""How figures look: colours that colour-blind people tell apart, quiet axes, legends outside."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from erm.files import atomic
from erm.report.outcome import Rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILION, PURPLE, GREY = "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#666666"
"""Okabe and Ito's palette."""
LINE_COLOURS = BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK
"""For lines that have no colour of their own."""
SELECTOR_COLOURS = {
    "base": SKY,
    "first": SKY,
    "majority": YELLOW,
    "qhead": ORANGE,
    "confidence": GREEN,
    "energy": BLUE,
    "oracle": GREY,
    "et": PURPLE,
}
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "figure.dpi": 100,
    "savefig.dpi": 160,
    "savefig.facecolor": "white",
    # Letters as outlines, so that the picture looks the same everywhere; fixed ids, so that the
    # same numbers give the same file.
    "svg.fonttype": "path",
    "svg.hashsalt": "erm",
}


@contextmanager
def style():
    import matplotlib

    with matplotlib.rc_context(STYLE):
        yield


def panels(count: int, width: float = 3.3, height: float = 3.2) -> tuple[Figure, list[Axes]]:
    """So many axes, up to four side by side, on a canvas of their own that needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(count, 4)
    rows = -(-count // columns)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for spare in axes[count:]:
        spare.remove()
    return figure, axes[:count]


def bar(
    axes: Axes, x: float, rate: Rate | None, colour: str, width: float, hollow: bool = False
) -> None:
    """An accuracy with its 95% interval; a cross on the axis where there is none."""
    if rate is None or rate.percent is None or rate.interval is None:
        axes.plot([x], [1.5], marker="x", color=GREY, markersize=5, clip_on=False)
        return
    value, (low, high) = rate.percent, rate.interval
    face = "white" if hollow else colour
    axes.bar(x, value, width, color=face, edgecolor=colour, linewidth=1.4, zorder=2)
    error = [[max(0.0, value - 100 * low)], [max(0.0, 100 * high - value)]]
    axes.errorbar(x, value, error, fmt="none", ecolor="#333333", capsize=2, linewidth=0.9, zorder=3)


def patch_handle(label: str, colour: str, hollow: bool = False) -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor="white" if hollow else colour, edgecolor=colour, label=label)


def line_handle(label: str, colour: str, dashes: Any = "-", marker: str = "") -> Any:
    from matplotlib.lines import Line2D

    look = {"color": colour, "linewidth": 1.2, "linestyle": dashes}
    return Line2D([], [], **look, marker=marker, markersize=6, label=label)


def percent_axis(axes: Axes, label: str = "exact accuracy (%)", bottom: float = 0.0) -> None:
    """0 to 100; curves ask for a little room below, so that a line at 0 is seen."""
    axes.set_ylim(bottom, 104)
    axes.set_yticks(range(0, 101, 20))
    axes.set_ylabel(label)


def legend_below(figure: Figure, handles: Sequence[Any], columns: int | None = None) -> None:
    figure.legend(handles=list(handles), loc="outside lower center", ncols=columns or len(handles))


def save(figure: Figure, stem: Path) -> None:
    """As SVG and as PNG."""
    with style():
        # The layout is worked out once: it costs more than the drawing.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        for suffix in (".svg", ".png"):
            with atomic(stem.with_name(stem.name + suffix)) as temporary:
                metadata = {"Date": None} if suffix == ".svg" else None
                figure.savefig(temporary, format=suffix[1:], metadata=metadata)


def inline(svg: Path) -> str:
    """A picture as an address that a page can hold in itself."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.read_bytes()).decode()
