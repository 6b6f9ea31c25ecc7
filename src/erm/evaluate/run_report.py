"""The report of one run: its tables and figures as CSV, pictures, Markdown and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from erm.report import plot
from erm.report.document import Document, Figure, Section
from erm.report.figures import Bar, Line, bars, lines
from erm.report.outcome import Origin, Row, Search, Temper
from erm.report.table import Table
from erm.run_folder import RunFolder, Sample

BINS = 40
SEARCHED = {
    "selector": "selector",
    "exact": "exact (count, 95% interval)",
    "gap": "gap to the oracle",
    "valid": "break no rule",
    "ties": "ties",
    "above": "cost above the label",
}
SIZES = {
    "task": "puzzle",
    "band": "longer side",
    "certified": "certified",
    "energy": "energy",
    "oracle": "oracle",
    "evaluations": "evaluations per puzzle",
}
TEMPERED = {
    "energy": "energy",
    "selected": "selected (count, 95% interval)",
    "oracle_final": "oracle",
    "oracle_visited": "oracle of all visited",
    "valid": "break no rule",
    "swap_rate": "swap rate",
    "acceptance": "accepted",
}


def write_run_report(folder: Path) -> Path:
    """Read a finished run of evaluate or temper and write its report into its folder."""
    run = RunFolder(folder)
    results = run.read_results()
    origin = Origin(**results)
    if "energies" in results:
        section = _tempered(Temper(**results))
    else:
        section = _searched(Search(**results), run.read_samples())
    cost = f"{results['evaluations_mean']:.1f} model evaluations per puzzle."
    introduction = [origin.diagnosis, f"Lane: {origin}; {cost}"]
    return Document(f"erm {origin.command}: {folder.name}", introduction, [section]).write(folder)


def _searched(found: Search, samples: Sequence[Sample]) -> Section:
    rows: list[Row] = [{"selector": "one rollout, mean", "exact": found.base}] if found.base else []
    for name, tally in found.selectors.items():
        kept = tally.model_dump(include={"valid", "ties", "above", "gap" if tally.total else ""})
        rows.append({"selector": name, "exact": tally, **kept})
    sizes: list[Row] = [
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
    caption = (
        "Every selector on the same candidates. The gap counts puzzles; ties are puzzles in which "
        "different answers shared the best score."
    )
    tables = [
        Table("selectors", caption, SEARCHED, rows),
        Table("sizes", "By kind and by the longer side of the board.", SIZES, sizes),
    ]
    return Section(tables, _figures(found, samples), name="selectors", title="Selectors")


def _figures(found: Search, samples: Sequence[Sample]) -> list[Figure]:
    colours, figures = plot.SELECTOR_COLOURS, []
    if found.puzzles["labelled"]:
        drawn = [Bar(n, one, colours.get(n, plot.GREY)) for n, one in found.selectors.items()]
        figures.append(bars("selectors", "Exact accuracy, 95% intervals.", {"": drawn}))
    curves = {name: one["exact"] for name, one in found.depth_curve.items() if "exact" in one}
    if curves:
        drawn = [_line(n, range(1, len(shares) + 1), shares) for n, shares in curves.items()]
        caption = "Exact accuracy at every depth, of the whole pool."
        figures.append(lines("depth", caption, {"": drawn}, "recurrent depth D (steps)"))
    if widths := found.width_curve:
        drawn = [_line(name, widths["width"], widths[name]) for name in ("energy", "oracle")]
        caption = "Exact accuracy on the first k of K candidates at full depth."
        figures.append(lines("width", caption, {"": drawn}, "candidates k", log=True))
    return [*figures, *_margins(samples)]


def _line(name: str, x: Sequence[float], shares: Sequence[float]) -> Line:
    dashes = "--" if name == "oracle" else "-"
    return Line(name, x, [100 * share for share in shares], plot.SELECTOR_COLOURS[name], dashes)


def _margins(samples: Sequence[Sample]) -> list[Figure]:
    """Where the energy puts right candidates: before or behind the best wrong one."""
    rows: list[Row] = [
        {"index": sample["index"], "task": sample["task"], "margin": low["wrong"] - low["right"]}
        for sample in samples
        if (low := sample.get("lowest_energy")) and None not in (low["right"], low["wrong"])
    ]
    if not rows:
        return []
    margins = [row["margin"] for row in rows]
    sides = [[one for one in margins if one > 0], [one for one in margins if one <= 0]]
    labels = {"a right candidate is lowest": plot.BLUE, "a wrong one is": plot.VERMILION}
    with plot.style():
        figure, (axes,) = plot.panels(1, 5.6, 3.2)
        axes.hist(sides, bins=BINS, stacked=True, color=list(labels.values()))
        axes.axvline(0, color=plot.BLACK, linewidth=0.8)
        axes.set_xlabel("lowest energy of a wrong candidate minus that of a right one")
        axes.set_ylabel("puzzles")
        plot.legend_below(figure, [plot.patch_handle(*look) for look in labels.items()])
    caption = (
        f"Energy of right against wrong candidates where the pool has both: in {len(sides[0])} of "
        f"{len(rows)} puzzles the lowest energy is that of a right candidate."
    )
    return [Figure("margins", caption, figure, rows)]


def _tempered(found: Temper) -> Section:
    rows: list[Row] = [
        {"energy": name, "selected": row, **{key: getattr(row, key) for key in list(TEMPERED)[2:]}}
        for name, row in found.energies.items()
    ]
    caption = "Parallel tempering: what each energy selects from its last pool, and both oracles."
    table = Table("tempering", caption, TEMPERED, rows, digits={"swap_rate": 4, "acceptance": 4})
    drawn = [
        Bar(name, rate, plot.SELECTOR_COLOURS.get(name, plot.BLUE), series)
        for name, row in found.energies.items()
        for series, rate in (("selected", row), ("oracle of all visited", row.oracle_visited))
        if row.total
    ]
    caption = "What each energy selects, beside the oracle of all that it visited."
    figures = [bars("tempering", caption, {"": drawn})] if drawn else []
    return Section([table], figures, name="tempering", title="Tempering")
