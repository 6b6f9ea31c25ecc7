"""Accuracy against model evaluations: the paper's D x K, certified search, the rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from erm.evaluate.results import tally
from erm.report import plot
from erm.report.document import Figure, Section
from erm.report.table import Row, number, text
from erm.reproduce.budget import Budget
from erm.reproduce.catalogue import adaptive_search, full_search, rules_search
from erm.reproduce.columns import OURS, STATUS, ours, paper_table
from erm.reproduce.exhibit import Exhibit
from erm.reproduce.findings import Findings
from erm.reproduce.paper.printed import TASKS, TITLES
from erm.reproduce.plan import Runs
from erm.run_folder import Sample

SEARCHES = {"full": full_search, "adaptive": adaptive_search, "rules": rules_search}
STYLES: dict[str, tuple[str, Any, str]] = {
    "full, K grows": (plot.ORANGE, "-", "o"),
    "full, D grows": (plot.GREEN, "--", ""),
    "adaptive": (plot.BLUE, "-", ""),
    "rules": (plot.VERMILION, "-.", ""),
}
STEPPED = ("adaptive", "rules")
POINTS = 60


def runs(budget: Budget) -> list[Runs]:
    return [search(budget, task) for task in TASKS for search in SEARCHES.values()]


def rows_of(findings: Findings) -> list[Row]:
    rows: list[Row] = []
    for task in TASKS:
        groups = {
            name: findings.gather(search(findings.budget, task))
            for name, search in SEARCHES.items()
        }
        cost = {name: _mean(group.samples) for name, group in groups.items()}
        for name, group in groups.items():
            found = tally(s["choices"]["energy"] for s in group.samples) if group.samples else None
            mean, base = cost[name], cost["full"]
            rows.append(
                {
                    "task": TITLES[task],
                    "search": name,
                    **ours(found, group.status),
                    "certified": sum(s["certified"] for s in group.samples) if found else None,
                    "evaluations": mean,
                    "times_fewer": base / mean if base and mean else None,
                    "notes": (name,) if name != "full" else (),
                }
            )
    return rows


def _mean(samples: list[Sample]) -> float | None:
    return float(np.mean([sample["evaluations"] for sample in samples])) if samples else None


def curves(findings: Findings, task: str) -> list[Row]:
    """Share of puzzles answered rightly within so many evaluations of each."""
    full = [s for s in findings.gather(full_search(findings.budget, task)).samples if "oracle" in s]
    rows: list[Row] = []

    def add(curve: str, evaluations: float, exact: float, count: int, oracle: float) -> None:
        rows.append(
            {
                "task": TITLES[task],
                "curve": curve,
                "evaluations": evaluations,
                "exact": 100 * exact,
                "oracle": 100 * oracle,
                "puzzles": count,
            }
        )

    if full:
        depth, width = full[0]["depth"], full[0]["candidates"]
        for place, narrow in enumerate(full[0]["widths"]["width"]):
            share = np.mean([sample["widths"]["energy"][place] for sample in full])
            best = np.mean([sample["widths"]["oracle"][place] for sample in full])
            add("full, K grows", narrow * depth, float(share), len(full), float(best))
        for step in range(depth):
            share = np.mean([sample["curve"]["energy"]["correct"][step] for sample in full])
            best = np.mean([sample["curve"]["oracle"]["correct"][step] for sample in full])
            add("full, D grows", width * (step + 1), float(share), len(full), float(best))
    for name, search in (("adaptive", adaptive_search), ("rules", rules_search)):
        samples = [
            s for s in findings.gather(search(findings.budget, task)).samples if "oracle" in s
        ]
        if samples:
            spent = np.array([sample["evaluations"] for sample in samples])
            right = np.array([sample["choices"]["energy"]["correct"] for sample in samples])
            found = np.array([sample["oracle"]["correct"] for sample in samples])
            most = max(findings.budget.adaptive_depth * findings.budget.adaptive_width, 2)
            for limit in np.unique(np.geomspace(1, most, POINTS).round()):
                share = (right & (spent <= limit)).mean()
                best = (found & (spent <= limit)).mean()
                add(name, float(limit), float(share), len(samples), float(best))
    return rows


def build(findings: Findings) -> Section:
    columns = [
        text("task", "task"),
        text("search", "search"),
        *OURS,
        number("certified", "certified", 0),
        number("evaluations per puzzle", "evaluations", 1),
        number("times fewer than full", "times_fewer", 1),
        STATUS,
    ]
    budget = findings.budget
    caption = (
        f"Model evaluations (one candidate, one step): full search spends D x K = {budget.depth} "
        f"x {budget.width} on every puzzle; adaptive search, and the rules with it, at most "
        f"{budget.adaptive_depth} x {budget.adaptive_width}."
    )
    table = paper_table("compute", caption, columns, rows_of(findings))
    drawn = {task: curves(findings, task) for task in TASKS}
    rows = [row for own in drawn.values() for row in own]
    return Section([table], [_figure(drawn, rows)] if rows else [])


def _figure(drawn: dict[str, list[Row]], rows: list[Row]) -> Figure:
    from matplotlib.lines import Line2D

    with plot.style():
        figure, axes = plot.panels(len(TASKS), 3.4, 3.4)
        for one, task in zip(axes, TASKS, strict=True):
            for name, (colour, line, marker) in STYLES.items():
                own = [row for row in drawn[task] if row["curve"] == name]
                one.plot(
                    [row["evaluations"] for row in own],
                    [row["exact"] for row in own],
                    color=colour, linestyle=line, marker=marker, markersize=4, linewidth=1.8,
                    drawstyle="steps-post" if name in STEPPED else "default",
                )  # fmt: skip
            one.set_xscale("log", base=2)
            one.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
            if not drawn[task]:
                one.set_xlim(1, 2**13)
                one.text(0.5, 0.5, "not run", transform=one.transAxes, ha="center", color=plot.GREY)
            one.set(xlabel="model evaluations per puzzle", title=TITLES[task])
            one.grid(True, axis="x")
            plot.percent_axis(one, bottom=-3)
        handles = [
            Line2D([], [], color=colour, linestyle=line, marker=marker, markersize=4, label=name)
            for name, (colour, line, marker) in STYLES.items()
        ]
        plot.legend_below(figure, handles)
    caption = (
        "Exact accuracy against model evaluations per puzzle. Full: ERM on the first k of K "
        "candidates at depth D (K grows), and on all K after d steps (D grows). Adaptive and "
        "rules: puzzles answered rightly within so many evaluations."
    )
    return Figure("compute", caption, figure, rows)


COMPUTE = Exhibit("compute", "Beyond the paper: accuracy against model evaluations", runs, build)
