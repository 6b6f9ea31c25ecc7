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
from erm.reproduce.paper.printed import TITLES, TRANSFORMER, TRANSFORMER_TASK, TRANSFORMER_WIDTH
from erm.reproduce.plan import Runs
from erm.reproduce.suites import MIXERS, TRANSFORMERS

SELECTED = ("first", "et", "confidence", "majority")
BEYOND = ("qhead", "convergence", "residual", "energy", "rules", "oracle")
PT = {"confidence": "PT-confidence", "energy": "PT-ERM"}
COLOURS = {"PT-confidence": plot.VERMILION, "PT-ERM": plot.BLUE}


def runs(budget: Budget) -> list[Runs]:
    return [search(budget, suite) for suite in MIXERS for search in (mixers, transformer_tempering)]


def rows_of(findings: Findings, suite: str) -> list[Row]:
    """Every selector on the candidates of a suite's energy transformer; the paper's figures stand
    beside the first suite's."""
    paper = TRANSFORMER if suite == TRANSFORMER_TASK else {}
    plain = findings.gather(_plain(findings.budget, suite))
    hot = findings.gather(transformer_tempering(findings.budget, suite))
    found = selector_rows(plain.samples) if plain.samples else {}
    heated = summarise_temper(hot.samples)["energies"] if hot.samples else {}
    rows: list[Row] = [
        {
            "method": NAMES[name],
            "selector": name,
            **ours(found.get(name), plain.status),
            **theirs(paper.get(name)),
        }
        for name in SELECTED
    ]
    for name, label in PT.items():
        printed = paper.get(f"pt-{name}")
        row = {"method": label, "selector": label, **ours(heated.get(name), hot.status)}
        rows.append({**row, **theirs(printed), "notes": ("pt-name",)})
    rows += [
        {"method": NAMES[name], "selector": name, **ours(found.get(name), plain.status)}
        for name in BEYOND
    ]
    return rows


def _plain(budget: Budget, suite: str) -> Runs:
    role = TRANSFORMERS[suite]
    return {role: mixers(budget, suite)[role]}


def build(findings: Findings) -> Section:
    width = min(TRANSFORMER_WIDTH, findings.budget.width)
    hard, easy = (_selectors(findings, suite, width) for suite in MIXERS)
    return Section(
        [hard, easy, _mixers(findings, width)], [_figure(rows_of(findings, TRANSFORMER_TASK))]
    )


def _selectors(findings: Findings, suite: str, width: int) -> Table:
    data = findings.gather(_plain(findings.budget, suite)).data
    size = f"D = {findings.budget.depth}, K = {width}"
    theirs_too = suite == TRANSFORMER_TASK
    caption = (
        f"EqR + Energy Transformer on {TITLES.get(suite, 'easier puzzles')}: ours at "
        f"{size}{', the paper at D = 64, K = 16' if theirs_too else ''}. Our checkpoint: "
        f"{TRANSFORMERS[suite]}, trained on a laptop. Our data: {data or DASH}."
    )
    paper = (*PAPER, PAPER_TOKEN) if theirs_too else ()
    columns = [text("method", "method"), *OURS, TOKEN, *paper, STATUS]
    name = "et" if theirs_too else "et-easy"
    return paper_table(name, caption, columns, rows_of(findings, suite), ("transformer",))


def _mixers(findings: Findings, width: int) -> Table:
    """Another mixer on the same data: what the transformer is worth."""
    rows: list[Row] = []
    every = [item for suite in MIXERS for item in mixers(findings.budget, suite).items()]
    for role, run in every:
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
        "Small networks with other mixers, on hard puzzles and on easy ones, D = "
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
