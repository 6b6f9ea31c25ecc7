"""The report of one run: its tables and figures as CSV, pictures, Markdown and a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from erm.evaluate.results import Sample
from erm.progress import counted
from erm.report import plot
from erm.report.document import Document, Figure, Section
from erm.report.table import DASH, Column, Row, Table, count, interval, number, text
from erm.run_folder import RunFolder

BINS = 40


def write_run_report(folder: Path) -> Path:
    """Read a finished run of evaluate or temper and write its report into its folder."""
    run = RunFolder(folder)
    results, samples = run.read_results(), run.read_samples()
    section = _tempered(results) if "energies" in results else _searched(results, samples)
    data = results["data"]
    introduction = [
        f"Lane: {results['lane']}. {results['diagnosis']}",
        f"Checkpoint {_checkpoints(results['checkpoint'])}; data {data['path']} "
        f"({counted(data['count'], 'puzzle')}, sha256 {data['sha256'][:12]}); "
        f"{results['evaluations_mean']:.1f} model evaluations per puzzle; commit "
        f"{(results.get('commit') or 'unknown')[:10]}.",
    ]
    title = f"erm {results['command']}: {folder.name}"
    return Document(title, introduction, section).write(folder)


def _checkpoints(described: Mapping[str, Any]) -> str:
    several = [described] if "name" in described else described.values()
    return ", ".join(
        f"{one['name']} (sha256 {one['sha256'][:12]})" if "sha256" in one else one["name"]
        for one in several
    )


def _tally(row: Mapping[str, Any], prefix: str = "") -> Row:
    """A tally in percent."""
    if not row["total"]:
        return {f"{prefix}{key}": None for key in ("correct", "total", "exact", "low", "high")}
    low, high = row["interval"]
    return {
        f"{prefix}correct": row["correct"],
        f"{prefix}total": row["total"],
        f"{prefix}exact": 100 * row["exact"],
        f"{prefix}low": 100 * low,
        f"{prefix}high": 100 * high,
        f"{prefix}token": 100 * row["token"],
    }


_COUNTED = (
    count("count", "correct", "total"),
    number("exact %", "exact"),
    interval("95% interval", "low", "high"),
)


def _searched(results: dict[str, Any], samples: Sequence[Sample]) -> list[Section]:
    selectors = results["selectors"]
    oracle = selectors["oracle"]
    rows: list[Row] = [
        {
            "selector": name,
            **_tally(row),
            "gap": row["gap"] if row["total"] else None,
            "valid": row.get("valid"),
            "ties": row.get("ties"),
            "above": row.get("above"),
            "oracle": 100 * oracle["exact"] if oracle["total"] else None,
        }
        for name, row in selectors.items()
    ]
    columns = [
        text("selector", "selector"),
        *_COUNTED,
        number("token %", "token"),
        number("gap to the oracle", "gap", 0),
        number("break no rule", "valid", 0),
        number("ties", "ties", 0),
        *([number("cost above the label", "above")] if any(row["above"] for row in rows) else []),
    ]
    caption = (
        "Every selector on the same candidates. The gap counts puzzles; ties are puzzles in which "
        "different answers shared the best score."
    )
    tables = [Table("selectors", caption, columns, rows), _sizes(results["tasks"])]
    figures = [_bars(rows)] if oracle["total"] else []
    figures += [figure for figure in (_over_depth(results), _over_width(results)) if figure]
    figures += [figure for figure in [_margins(samples)] if figure]
    return [Section(tables, figures, name="selectors", title="Selectors")]


def _sizes(tasks: Mapping[str, Any]) -> Table:
    rows: list[Row] = [
        {
            "task": task,
            "band": band,
            "certified": own["certified"],
            "total": own["total"],
            **_tally(own["selectors"].get("energy", own["selectors"]["oracle"]), "exact_"),
            **_tally(own["selectors"]["oracle"], "oracle_"),
            "evaluations": own["evaluations_mean"],
        }
        for task, kind in tasks.items()
        for band, own in kind["sizes"].items()
    ]
    columns = [
        text("puzzle", "task"),
        text("longer side", "band"),
        count("certified", "certified", "total"),
        number("energy %", "exact_exact"),
        number("oracle %", "oracle_exact"),
        number("evaluations per puzzle", "evaluations", 1),
    ]
    return Table("sizes", "By kind and by the longer side of the board.", columns, rows)


def _bars(rows: Sequence[Row]) -> Figure:
    with plot.style():
        figure, (axes,) = plot.panels(1, 7.2, 3.6)
        places = list(range(len(rows)))
        colours = [plot.SELECTOR_COLOURS.get(row["selector"], plot.GREY) for row in rows]
        plot.bars(axes, places, rows, colours)
        names = [row["selector"] for row in rows]
        axes.set_xticks(places, names, rotation=35, ha="right", rotation_mode="anchor")
        axes.grid(False, axis="x")
        plot.percent_axis(axes)
    caption = "Exact accuracy of every selector with Wilson's 95% intervals."
    return Figure("selectors", caption, figure, rows)


def _over_depth(results: Mapping[str, Any]) -> Figure | None:
    curves = {
        name: curve["exact"]
        for name, curve in results.get("depth_curve", {}).items()
        if "exact" in curve
    }
    if "oracle" not in curves:
        return None
    depths = list(range(1, len(curves["oracle"]) + 1))
    rows: list[Row] = [
        {"depth": depth, **{name: 100 * curve[depth - 1] for name, curve in curves.items()}}
        for depth in depths
    ]
    caption = "Exact accuracy at every depth, of the whole pool."
    return _lines("depth", "recurrent depth D (steps)", caption, rows)


def _over_width(results: Mapping[str, Any]) -> Figure | None:
    curve = results.get("width_curve")
    if not curve:
        return None
    rows: list[Row] = [
        {"width": width, **{name: 100 * curve[name][place] for name in ("energy", "oracle")}}
        for place, width in enumerate(curve["width"])
    ]
    caption = "Exact accuracy on the first k of K candidates at full depth."
    return _lines("width", "candidates k", caption, rows)


def _lines(key: str, label: str, caption: str, rows: list[Row]) -> Figure:
    names = [name for name in rows[0] if name != key]
    with plot.style():
        figure, (axes,) = plot.panels(1, 5.6, 3.4)
        for name in names:
            colour = plot.SELECTOR_COLOURS[name]
            dashes = "--" if name == "oracle" else "-"
            values = [row[name] for row in rows]
            axes.plot([row[key] for row in rows], values, dashes, color=colour, linewidth=1.8)
        if key == "width":
            axes.set_xscale("log", base=2)
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xlabel(label)
        plot.percent_axis(axes, bottom=-3)
        handles = [
            plot.line_handle(name, plot.SELECTOR_COLOURS[name], "--" if name == "oracle" else "-")
            for name in names
        ]
        plot.legend_below(figure, handles)
    return Figure(key, caption, figure, rows)


def _margins(samples: Sequence[Sample]) -> Figure | None:
    """Where the energy puts right candidates: before or behind the best wrong one."""
    rows: list[Row] = [
        {
            "index": sample["index"],
            "task": sample["task"],
            "right": lowest["right"],
            "wrong": lowest["wrong"],
            "margin": lowest["wrong"] - lowest["right"],
            "oracle": sample["oracle"]["correct"],
        }
        for sample in samples
        if (lowest := sample.get("lowest_energy"))
        and lowest["right"] is not None
        and lowest["wrong"] is not None
    ]
    if not rows:
        return None
    margins = [row["margin"] for row in rows]
    with plot.style():
        figure, (axes,) = plot.panels(1, 5.6, 3.2)
        before = [margin for margin in margins if margin > 0]
        behind = [margin for margin in margins if margin <= 0]
        edges = (min(*margins, 0.0), max(*margins, 1e-9))
        looks = {"stacked": True, "color": [plot.BLUE, plot.VERMILION]}
        axes.hist([before, behind], bins=BINS, range=edges, **looks)
        axes.axvline(0, color=plot.BLACK, linewidth=0.8)
        axes.set_xlabel("lowest energy of a wrong candidate minus that of a right one")
        axes.set_ylabel("puzzles")
        axes.locator_params(axis="y", integer=True)
        handles = [
            plot.patch_handle("a right candidate is lowest", plot.BLUE),
            plot.patch_handle("a wrong one is", plot.VERMILION),
        ]
        plot.legend_below(figure, handles)
    caption = (
        f"Energy of right against wrong candidates, in {counted(len(rows), 'puzzle')} whose pool "
        f"has both: in {len(before)} of them the lowest energy is that of a right candidate."
    )
    return Figure("margins", caption, figure, rows)


def _tempered(results: dict[str, Any]) -> list[Section]:
    rows: list[Row] = [
        {
            "energy": name,
            **_tally(row),
            **_tally(row["oracle_final"], "oracle_"),
            **_tally(row["oracle_visited"], "visited_"),
            "valid": row.get("valid"),
            "swap_rate": row["swap_rate"],
            "acceptance": row["acceptance"],
        }
        for name, row in results["energies"].items()
    ]
    columns = [
        text("energy", "energy"),
        *_COUNTED,
        number("oracle %", "oracle_exact"),
        number("oracle of all visited %", "visited_exact"),
        number("break no rule", "valid", 0),
        number("swap rate", "swap_rate", 4),
        Column("accepted", lambda row: f"{100 * row['acceptance']:.1f}%" if row else DASH),
    ]
    caption = "Parallel tempering: what each energy selects from its last pool, and both oracles."
    table = Table("tempering", caption, columns, rows)
    figures = [_tempered_bars(rows)] if any(row["total"] for row in rows) else []
    return [Section([table], figures, name="tempering", title="Tempering")]


def _tempered_bars(rows: Sequence[Row]) -> Figure:
    with plot.style():
        figure, (axes,) = plot.panels(1, 5.6, 3.4)
        colours = [plot.SELECTOR_COLOURS.get(row["energy"], plot.BLUE) for row in rows]
        places = range(len(rows))
        plot.bars(axes, [place - 0.2 for place in places], rows, colours, width=0.36)
        oracles = [place + 0.2 for place in places]
        plot.bars(axes, oracles, rows, colours, "visited_", 0.36, hollow=True)
        axes.set_xticks(list(places), [row["energy"] for row in rows])
        axes.grid(False, axis="x")
        plot.percent_axis(axes)
        handles = [
            plot.patch_handle("selected", plot.GREY),
            plot.patch_handle("oracle of all visited", plot.GREY, hollow=True),
        ]
        plot.legend_below(figure, handles)
    caption = "What each energy selects, beside the oracle of all that it visited."
    return Figure("tempering", caption, figure, rows)
