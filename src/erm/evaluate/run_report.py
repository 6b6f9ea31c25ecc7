"""The report of one run: its tables and figures as CSV, pictures, Markdown and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from erm.progress import counted
from erm.report import plot
from erm.report.document import Document, Figure, Section
from erm.report.figures import Bar, Line, bars, lines
from erm.report.outcome import Origin, Row, Search, Temper
from erm.report.table import Table
from erm.run_folder import RunFolder, Sample

BINS = 40


def write_run_report(folder: Path) -> Path:
    """Read a finished run of evaluate or temper and write its report into its folder."""
    run = RunFolder(folder)
    results, samples = run.read_results(), run.read_samples()
    origin = Origin(**results)
    section = (
        _tempered(Temper(**results))
        if "energies" in results
        else _searched(Search(**results), samples)
    )
    networks = ", ".join(
        f"{one.name} (sha256 {one.sha256[:12]})" if one.sha256 else one.name
        for one in origin.weights
    )
    introduction = [
        f"Lane: {origin.lanes}. {origin.diagnosis}",
        f"Checkpoint {networks}; data {origin.data.path} "
        f"({counted(origin.data.count, 'puzzle')}, sha256 {origin.data.sha256[:12]}); "
        f"{results['evaluations_mean']:.1f} model evaluations per puzzle; "
        f"commit {origin.short_commit}.",
    ]
    title = f"erm {origin.command}: {folder.name}"
    return Document(title, introduction, [section]).write(folder)


def _searched(found: Search, samples: Sequence[Sample]) -> Section:
    rows: list[Row] = [{"selector": "one rollout, mean", "exact": found.base}] if found.base else []
    for name, tally in found.selectors.items():
        token = None if tally.token is None else 100 * tally.token
        kept = {key: getattr(tally, key) for key in ("valid", "ties", "above")}
        gap = tally.gap if tally.total else None
        rows.append({"selector": name, "exact": tally, "token": token, "gap": gap, **kept})
    columns = {
        "selector": "selector",
        "exact": "exact (count, 95% interval)",
        "token": "token %",
        "gap": "gap to the oracle",
        "valid": "break no rule",
        "ties": "ties",
        "above": "cost above the label",
    }
    caption = (
        "Every selector on the same candidates. The gap counts puzzles; ties are puzzles in which "
        "different answers shared the best score."
    )
    tables = [Table("selectors", caption, columns, rows), _sizes(found)]
    figures = [_selector_bars(found)] if found.puzzles.labelled else []
    if any(curve.exact for curve in found.depth_curve.values()):
        figures.append(_over_depth(found))
    if found.width_curve is not None:
        figures.append(_over_width(found))
    figures += filter(None, [_margins(samples)])
    return Section(tables, figures, name="selectors", title="Selectors")


def _sizes(found: Search) -> Table:
    rows: list[Row] = [
        {
            "task": task,
            "band": band,
            "certified": f"{own.certified}/{own.total}",
            "energy": own.selectors.get("energy"),
            "oracle": own.selectors["oracle"],
            "evaluations": own.evaluations_mean,
        }
        for task, kind in found.tasks.items()
        for band, own in kind.sizes.items()
    ]
    columns = {
        "task": "puzzle",
        "band": "longer side",
        "certified": "certified",
        "energy": "energy",
        "oracle": "oracle",
        "evaluations": "evaluations per puzzle",
    }
    return Table("sizes", "By kind and by the longer side of the board.", columns, rows)


def _selector_bars(found: Search) -> Figure:
    drawn = [
        Bar(name, tally, plot.SELECTOR_COLOURS.get(name, plot.GREY))
        for name, tally in found.selectors.items()
    ]
    return bars("selectors", "Exact accuracy of every selector, 95% intervals.", {"": drawn})


def _over_depth(found: Search) -> Figure:
    drawn = [
        _line(name, range(1, len(curve.exact) + 1), curve.exact)
        for name, curve in found.depth_curve.items()
        if curve.exact
    ]
    caption = "Exact accuracy at every depth, of the whole pool."
    return lines("depth", caption, {"": drawn}, "recurrent depth D (steps)")


def _over_width(found: Search) -> Figure:
    curve = found.width_curve
    assert curve is not None
    drawn = [_line(name, curve.width, getattr(curve, name)) for name in ("energy", "oracle")]
    caption = "Exact accuracy on the first k of K candidates at full depth."
    return lines("width", caption, {"": drawn}, "candidates k", log=True)


def _line(name: str, x: Sequence[float], shares: Sequence[float]) -> Line:
    dashes = "--" if name == "oracle" else "-"
    return Line(name, x, [100 * share for share in shares], plot.SELECTOR_COLOURS[name], dashes)


def _margins(samples: Sequence[Sample]) -> Figure | None:
    """Where the energy puts right candidates: before or behind the best wrong one."""
    rows: list[Row] = [
        {"index": sample["index"], "task": sample["task"], "margin": low["wrong"] - low["right"]}
        for sample in samples
        if (low := sample.get("lowest_energy")) and None not in (low["right"], low["wrong"])
    ]
    if not rows:
        return None
    margins = [row["margin"] for row in rows]
    before = [margin for margin in margins if margin > 0]
    behind = [margin for margin in margins if margin <= 0]
    labels = {"a right candidate is lowest": plot.BLUE, "a wrong one is": plot.VERMILION}
    with plot.style():
        figure, (axes,) = plot.panels(1, 5.6, 3.2)
        edges = (min(*margins, 0.0), max(*margins, 1e-9))
        looks = {"stacked": True, "color": list(labels.values())}
        axes.hist([before, behind], bins=BINS, range=edges, **looks)
        axes.axvline(0, color=plot.BLACK, linewidth=0.8)
        axes.set(xlabel="lowest energy of a wrong candidate minus that of a right one")
        axes.set_ylabel("puzzles")
        plot.legend_below(figure, [plot.patch_handle(*look) for look in labels.items()])
    caption = (
        f"Energy of right against wrong candidates, in {counted(len(rows), 'puzzle')} whose pool "
        f"has both: in {len(before)} of them the lowest energy is that of a right candidate."
    )
    return Figure("margins", caption, figure, rows)


def _tempered(found: Temper) -> Section:
    rows: list[Row] = [
        {
            "energy": name,
            "selected": row,
            "oracle": row.oracle_final,
            "visited": row.oracle_visited,
            "valid": row.valid,
            "swap_rate": row.swap_rate,
            "acceptance": row.acceptance,
        }
        for name, row in found.energies.items()
    ]
    columns = {
        "energy": "energy",
        "selected": "selected (count, 95% interval)",
        "oracle": "oracle",
        "visited": "oracle of all visited",
        "valid": "break no rule",
        "swap_rate": "swap rate",
        "acceptance": "accepted",
    }
    caption = "Parallel tempering: what each energy selects from its last pool, and both oracles."
    table = Table("tempering", caption, columns, rows, digits={"swap_rate": 4, "acceptance": 4})
    drawn = [
        Bar(name, rate, plot.SELECTOR_COLOURS.get(name, plot.BLUE), series)
        for name, row in found.energies.items()
        for series, rate in (("selected", row), ("oracle of all visited", row.oracle_visited))
        if row.total
    ]
    caption = "What each energy selects, beside the oracle of all that it visited."
    figures = [bars("tempering", caption, {"": drawn})] if drawn else []
    return Section([table], figures, name="tempering", title="Tempering")
