"""The appendix' EqR + Energy Transformer table and figure."""

from __future__ import annotations

from erm.evaluate.results import selector_rows, summarise_temper
from erm.report import plot
from erm.report.document import Figure, Section
from erm.report.table import DASH, Row, Table, text
from erm.reproduce.budget import Budget
from erm.reproduce.catalogue import mixers, transformer_tempering
from erm.reproduce.columns import (
    DATA,
    NAMES,
    OURS,
    PAPER,
    PAPER_TOKEN,
    STATUS,
    TOKEN,
    ours,
    paper_table,
    theirs,
)
from erm.reproduce.exhibit import Exhibit
from erm.reproduce.findings import Findings
from erm.reproduce.paper.printed import TRANSFORMER, TRANSFORMER_WIDTH
from erm.reproduce.plan import Runs
from erm.reproduce.suites import MIXERS_SMALL
from erm.reproduce.suites import TRANSFORMER as TRANSFORMER_ROLE

SELECTED = ("first", "et", "confidence", "majority")
BEYOND = ("qhead", "convergence", "residual", "energy", "rules", "oracle")
PT = {"confidence": "PT-confidence", "energy": "PT-ERM"}
COLOURS = {"PT-confidence": plot.VERMILION, "PT-ERM": plot.BLUE}


def runs(budget: Budget) -> list[Runs]:
    return [mixers(budget), mixers(budget, MIXERS_SMALL), transformer_tempering(budget)]


def rows_of(findings: Findings) -> list[Row]:
    plain = findings.gather(_only(mixers(findings.budget), TRANSFORMER_ROLE))
    hot = findings.gather(transformer_tempering(findings.budget))
    found = selector_rows(plain.samples) if plain.samples else {}
    heated = summarise_temper(hot.samples)["energies"] if hot.samples else {}
    rows: list[Row] = [
        {
            "method": NAMES[name],
            "selector": name,
            **ours(found.get(name), plain.status),
            **theirs(TRANSFORMER.get(name)),
        }
        for name in SELECTED
    ]
    for name, label in PT.items():
        printed = TRANSFORMER.get(f"pt-{name}")
        row = {"method": label, "selector": label, **ours(heated.get(name), hot.status)}
        rows.append({**row, **theirs(printed), "notes": ("pt-name",)})
    rows += [
        {"method": NAMES[name], "selector": name, **ours(found.get(name), plain.status)}
        for name in BEYOND
    ]
    return rows


def _only(runs: Runs, role: str) -> Runs:
    return {role: runs[role]}


def build(findings: Findings) -> Section:
    rows = rows_of(findings)
    width = min(TRANSFORMER_WIDTH, findings.budget.width)
    plain = findings.gather(_only(mixers(findings.budget), TRANSFORMER_ROLE))
    caption = (
        f"EqR + Energy Transformer on Sudoku: ours at D = {findings.budget.depth}, K = {width}, "
        f"the paper's at D = 64, K = 16. Our checkpoint: {TRANSFORMER_ROLE}, trained on a laptop. "
        f"Our data: {plain.data or DASH}."
    )
    columns = [text("method", "method"), *OURS, TOKEN, *PAPER, PAPER_TOKEN, STATUS]
    table = paper_table("et", caption, columns, rows, ("transformer",))
    return Section([table, _mixers(findings, width)], [_figure(rows)])


def _mixers(findings: Findings, width: int) -> Table:
    """The same data and time of training, another mixer: what the transformer is worth."""
    rows: list[Row] = []
    both = (mixers(findings.budget), mixers(findings.budget, MIXERS_SMALL))
    for role, run in ((role, runs[role]) for role in both[0] for runs in both):
        group = findings.gather({role: run})
        found = selector_rows(group.samples) if group.samples else {}
        rows += [
            {
                "checkpoint": role,
                "method": NAMES[name],
                "data": group.data,
                **ours(found.get(name), group.status),
            }
            for name in ("first", "energy", "oracle")
        ]
    caption = (
        f"Small networks with other mixers, trained for the same time on the same data, D = "
        f"{findings.budget.depth}, K = {width} (beyond the paper)."
    )
    names = [text("checkpoint", "checkpoint"), DATA, text("method", "method")]
    columns = [*names, *OURS, TOKEN, STATUS]
    return paper_table("et-mixers", caption, columns, rows)


def _figure(rows: list[Row]) -> Figure:
    shown = [row for row in rows if row.get("paper_exact") or row["selector"] in COLOURS]
    with plot.style():
        figure, (axes,) = plot.panels(1, 5.6, 3.4)
        places = list(range(len(shown)))
        colours = [
            COLOURS.get(row["selector"]) or plot.SELECTOR_COLOURS[row["selector"]] for row in shown
        ]
        plot.bars(axes, places, shown, colours)
        plot.diamonds(axes, places, [row.get("paper_exact") for row in shown])
        axes.set_xticks(
            places, [row["method"].replace(" (one rollout)", "") for row in shown],
            rotation=20, ha="right", rotation_mode="anchor",
        )  # fmt: skip
        axes.grid(False, axis="x")
        plot.percent_axis(axes)
        handles = [plot.patch_handle("ours (bars)", plot.BLUE), plot.paper_handle()]
        if any(row["exact"] is None for row in shown):
            handles.append(plot.missing_handle())
        plot.legend_below(figure, handles)
    caption = "EqR + Energy Transformer: exact accuracy with 95% intervals; diamonds: the paper."
    return Figure("figure-et", caption, figure, shown)


ET = Exhibit("et", "Appendix: EqR + Energy Transformer", runs, build)
