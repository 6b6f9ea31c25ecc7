"""The appendix' table of parameters and compute, counted on real models."""

from __future__ import annotations

from erm.evaluate import accounting
from erm.evaluate.accounting import Account
from erm.reproduce.part import Part, Section, no_runs
from erm.reproduce.study import Study
from erm.reproduce.table import Row, Table, number, text


def _row(account: Account) -> Row:
    return {
        "model": " ".join([account.model, *(f"({mark})" for mark in account.notes)]),
        "parameters": account.parameters,
        "millions": account.parameters / 1e6,
        "paper_millions": account.paper_millions,
        "depth": account.depth,
        "width": account.width,
        "evaluations": account.evaluations,
        "layers_per_step": account.layers_per_step,
        "layers": account.layers,
        "paper_layers": account.paper_layers,
        "selector": account.selector,
    }


def build(study: Study) -> Section:
    columns = [
        text("model", "model"),
        number("M parameters", "millions", 3),
        number("M (paper)", "paper_millions"),
        number("D", "depth", 0),
        number("K", "width", 0),
        number("model evaluations", "evaluations", 0),
        number("layers a step", "layers_per_step", 0),
        number("equivalent layers", "layers", 0),
        number("(paper)", "paper_layers", 0),
        text("selector", "selector"),
    ]
    paper = accounting.paper_accounts()
    used = sorted({mark for account in paper for mark in account.notes})
    tables = [
        Table(
            "accounting",
            "The paper's models, recounted: parameters on a real model of the published sizes, "
            "equivalent layers as H cycles x (L cycles + 1) x blocks a step.",
            columns,
            [_row(account) for account in paper],
            remarks=tuple(f"({mark}) {accounting.NOTES[mark]}." for mark in used),
        )
    ]
    shipped = accounting.shipped_accounts()
    if shipped:
        caption = "The checkpoints that ship with erm, at the paper's D = 64, K = 128."
        rows = [_row(account) for account in shipped]
        tables.append(Table("accounting-shipped", caption, columns, rows))
    text_ = "" if shipped else "No checkpoint ships with this version of erm."
    return Section(tables, text=text_)


ACCOUNTING = Part("accounting", "Appendix: parameters and compute", no_runs, build)
