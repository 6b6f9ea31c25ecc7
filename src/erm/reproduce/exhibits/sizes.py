"""Boards of other sizes than those trained on: what one checkpoint makes of each."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

from erm.evaluate.bands import BANDS, band_of
from erm.evaluate.results import tally
from erm.report import plot
from erm.report.document import Figure, Section
from erm.report.table import Row, number, text
from erm.reproduce.budget import Budget
from erm.reproduce.catalogue import adaptive_search, rules_search
from erm.reproduce.columns import DATA, OURS, STATUS, ours, paper_table
from erm.reproduce.exhibit import Exhibit
from erm.reproduce.findings import Findings
from erm.reproduce.plan import Runs
from erm.reproduce.suites import OF_MANY_SIZES, SUITES
from erm.run_folder import Sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TASKS = tuple(dict.fromkeys(task for suite in OF_MANY_SIZES for task in SUITES[suite].tasks))
SEARCHES = {"adaptive search": adaptive_search, "rules": rules_search}
MARKERS = "o", "s", "^", "v", "P", "D", "X"
Look = tuple[str, str]
"""Colour and marker."""


def runs(budget: Budget) -> list[Runs]:
    return [search(budget, suite) for suite in OF_MANY_SIZES for search in SEARCHES.values()]


def rows_of(findings: Findings) -> list[Row]:
    """One row per kind of puzzle, band of sizes and search."""
    rows: list[Row] = []
    for label, search in SEARCHES.items():
        cells: dict[tuple[str, str], list[Sample]] = {}
        data: dict[str, str] = {}
        absent: dict[str, str] = {}
        for suite in OF_MANY_SIZES:
            for task, run in search(findings.budget, suite).items():
                group = findings.gather({task: run})
                if not group.samples:
                    absent[task] = group.status
                    continue
                data[task] = ", ".join(filter(None, (data.get(task, ""), group.data)))
                for sample in group.samples:
                    cells.setdefault((task, band_of(sample["shape"])), []).append(sample)
        for task in TASKS:
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
        **_oracle(samples),
        "certified": sum(sample["certified"] for sample in samples),
        "evaluations": sum(evaluations) / len(evaluations),
        "data": data,
    }


def _oracle(samples: list[Sample]) -> Row:
    found = ours(tally(sample["oracle"] for sample in samples if "oracle" in sample))
    return {"oracle_exact": found["exact"], "oracle_correct": found["correct"]}


def build(findings: Findings) -> Section:
    rows = rows_of(findings)
    columns = [
        text("puzzle", "task"),
        text("longer side", "band"),
        text("search", "search"),
        *OURS,
        number("certified", "certified", 0),
        number("evaluations per puzzle", "evaluations", 0),
        DATA,
        STATUS,
    ]
    budget = findings.budget
    caption = (
        "Accuracy by the longer side of the board, one checkpoint for all sizes; adaptive and "
        f"the rules first with D = {budget.adaptive_depth}, K <= {budget.adaptive_width}."
    )
    table = paper_table("sizes", caption, columns, rows, ("adaptive", "rules"))
    drawn = [row for row in rows if row["total"]]
    return Section([table], [_figure(drawn)] if drawn else [])


def _figure(rows: list[Row]) -> Figure:
    tasks = [task for task in TASKS if any(row["task"] == task for row in rows)]
    looks = dict(zip(tasks, zip(cycle(plot.LINE_COLOURS), cycle(MARKERS)), strict=False))
    with plot.style():
        figure, panels = plot.panels(len(SEARCHES), 4.6, 3.5)
        for axes, search in zip(panels, SEARCHES, strict=True):
            axes.set_title(search)
            _draw(axes, looks, [row for row in rows if row["search"] == search])
        handles = [
            plot.line_handle(task, colour, marker=marker)
            for task, (colour, marker) in looks.items()
        ]
        plot.legend_below(figure, handles)
    caption = "Accuracy by board size, one checkpoint per kind, with 95% Wilson intervals."
    return Figure("sizes", caption, figure, rows)


def _draw(axes: Axes, looks: dict[str, Look], rows: list[Row]) -> None:
    for place, (task, (colour, marker)) in enumerate(looks.items()):
        own = [row for row in rows if row["task"] == task]
        shift = 0.14 * (place - (len(looks) - 1) / 2)
        axes.errorbar(
            [BANDS.index(row["band"]) + shift for row in own],
            [row["exact"] for row in own],
            [
                [max(0.0, row["exact"] - row["low"]) for row in own],
                [max(0.0, row["high"] - row["exact"]) for row in own],
            ],
            color=colour,
            marker=marker,
            markersize=6,
            linewidth=1,
            capsize=2,
        )
    axes.set_xticks(range(len(BANDS)), BANDS)
    axes.set_xlim(-0.5, len(BANDS) - 0.5)
    axes.set_xlabel("longer side of the board (cells)")
    plot.percent_axis(axes, bottom=-3)


SIZES = Exhibit("sizes", "Beyond the paper: board sizes", runs, build)
