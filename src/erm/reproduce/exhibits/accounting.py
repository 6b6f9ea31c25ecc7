"""The appendix' table of parameters and compute, counted on real models."""

from __future__ import annotations

from typing import Any

from erm.report.document import Section
from erm.report.table import Row, number, text
from erm.reproduce.columns import paper_table
from erm.reproduce.exhibit import Exhibit, no_runs
from erm.reproduce.findings import Findings
from erm.reproduce.plan import ModelCount

SHOWN = (
    "parameters",
    "paper_millions",
    "depth",
    "width",
    "evaluations",
    "layers_per_step",
    "layers",
    "paper_layers",
    "selector",
)


def _row(account: dict[str, Any]) -> Row:
    """An account as `erm.evaluate.accounting` writes it."""
    return {
        "model": " ".join([account["model"], *(f"({mark})" for mark in account["notes"])]),
        "millions": account["parameters"] / 1e6,
        **{name: account[name] for name in SHOWN},
    }


def build(findings: Findings) -> Section:
    columns = [
        text("model", "model"),
        number("M parameters", "millions", 3),
        number("M (paper)", "paper_millions"),
        number("D", "depth", 0),
        number("K", "width", 0),
        number("model evaluations", "evaluations", 0),
        number("layers per step", "layers_per_step", 0),
        number("equivalent layers", "layers", 0),
        number("(paper)", "paper_layers", 0),
        text("selector", "selector"),
    ]
    counted = findings.results(ModelCount())
    paper, shipped = counted["paper"], counted["shipped"]
    used = sorted({mark for account in paper for mark in account["notes"]})
    tables = [
        paper_table(
            "accounting",
            "The paper's models, recounted: parameters on a real model of the published sizes, "
            "equivalent layers as H cycles x (L cycles + 1) x blocks per step.",
            columns,
            [_row(account) for account in paper],
            remarks=tuple(f"({mark}) {counted['notes'][mark]}." for mark in used),
        )
    ]
    if shipped:
        caption = "The checkpoints that ship with erm, at the paper's D = 64, K = 128."
        rows = [_row(account) for account in shipped]
        tables.append(paper_table("accounting-shipped", caption, columns, rows))
    text_ = "" if shipped else "No checkpoint ships with this version of erm."
    return Section(tables, text=text_)


ACCOUNTING = Exhibit(
    "accounting", "Appendix: parameters and compute", no_runs, build, counts_models=True
)
