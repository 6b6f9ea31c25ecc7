"""Boards of other sizes than those trained on: what one checkpoint makes of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from erm.evaluate.bands import BANDS, band_of
from erm.evaluate.results import tally
from erm.reproduce import plot
from erm.reproduce.catalogue import adaptive, guided
from erm.reproduce.compare import DATA, OURS, STATUS, ours
from erm.reproduce.part import Figure, Part, Section
from erm.reproduce.study import Runs, Study
from erm.reproduce.table import Row, Table, number, text
from erm.run_folder import Sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUITES = ("ppbench", "wild", "maze", "maze-large")
SEARCHES = {"adaptive search": adaptive, "guided search": guided}
COLOURS = {
    "lightup": plot.ORANGE,
    "nurikabe": plot.BLUE,
    "heyawake": plot.GREEN,
    "tapa": plot.PURPLE,
    "maze": plot.BLACK,
}
MARKERS = {"lightup": "o", "nurikabe": "s", "heyawake": "^", "tapa": "v", "maze": "P"}


def runs(study: Study) -> list[Runs]:
    return [search(study, suite) for suite in SUITES for search in SEARCHES.values()]


def rows_of(study: Study) -> list[Row]:
    """One row a kind of puzzle, band of sizes and search."""
    rows: list[Row] = []
    for label, search in SEARCHES.items():
        cells: dict[tuple[str, str], list[Sample]] = {}
        data: dict[str, str] = {}
        absent: dict[str, str] = {}
        for suite in SUITES:
            for task, run in search(study, suite).items():
                if task == "sudoku":
                    continue
                group = study.gather({task: run})
                if not group.samples:
                    absent[task] = group.status
                    continue
                data[task] = ", ".join(filter(None, (data.get(task, ""), group.data)))
                for sample in group.samples:
                    cells.setdefault((task, band_of(sample["shape"])), []).append(sample)
        for task in COLOURS:
            bands = [band for band in BANDS if (task, band) in cells]
            for band in bands:
                rows.append(_row(task, band, label, cells[task, band], data[task]))
            if not bands:
                status = absent.get(task, "")
                rows.append({"task": task, "band": "", "search": label, **ours(None, status)})
    return rows


def _row(task: str, band: str, search: str, samples: list[Sample], data: str) -> Row:
    found = tally(sample["choices"]["energy"] for sample in samples)
    evaluations = [sample["evaluations"] for sample in samples]
    return {
        "task": task,
        "band": band,
        "search": search,
        **ours(found),
        "certified": sum(sample["certified"] for sample in samples),
        "evaluations": sum(evaluations) / len(evaluations),
        "data": data,
    }


def build(study: Study) -> Section:
    rows = rows_of(study)
    columns = [
        text("puzzle", "task"),
        text("longer side", "band"),
        text("search", "search"),
        *OURS,
        number("certified", "certified", 0),
        number("evaluations a puzzle", "evaluations", 0),
        DATA,
        STATUS,
    ]
    budget = study.budget
    caption = (
        "Accuracy by the longer side of the board, one checkpoint for all sizes; adaptive and "
        f"guided search with D = {budget.adaptive_depth}, K <= {budget.adaptive_width}."
    )
    table = Table("sizes", caption, columns, rows, ("adaptive", "guided"))
    drawn = [row for row in rows if row["total"]]
    return Section([table], [_figure(drawn)] if drawn else [])


def _figure(rows: list[Row]) -> Figure:
    tasks = [task for task in COLOURS if any(row["task"] == task for row in rows)]
    with plot.style():
        figure, panels = plot.panels(len(SEARCHES), 4.6, 3.5)
        for axes, search in zip(panels, SEARCHES, strict=True):
            axes.set_title(search)
            _draw(axes, tasks, [row for row in rows if row["search"] == search])
        handles = [plot.line_handle(task, COLOURS[task], marker=MARKERS[task]) for task in tasks]
        plot.legend_below(figure, handles)
    caption = "Accuracy by board size, one checkpoint a puzzle, with 95% Wilson intervals."
    return Figure("sizes", caption, figure, rows)


def _draw(axes: Axes, tasks: list[str], rows: list[Row]) -> None:
    for place, task in enumerate(tasks):
        own = [row for row in rows if row["task"] == task]
        shift = 0.14 * (place - (len(tasks) - 1) / 2)
        axes.errorbar(
            [BANDS.index(row["band"]) + shift for row in own],
            [row["exact"] for row in own],
            [
                [max(0.0, row["exact"] - row["low"]) for row in own],
                [max(0.0, row["high"] - row["exact"]) for row in own],
            ],
            color=COLOURS[task],
            marker=MARKERS[task],
            markersize=6,
            linewidth=1,
            capsize=2,
        )
    axes.set_xticks(range(len(BANDS)), BANDS)
    axes.set_xlim(-0.5, len(BANDS) - 0.5)
    axes.set_xlabel("longer side of the board (cells)")
    plot.percent_axis(axes, bottom=-3)


SIZES = Part("sizes", "Beyond the paper: board sizes", runs, build)
