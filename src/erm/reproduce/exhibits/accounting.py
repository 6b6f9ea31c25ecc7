"""The appendix' table of parameters and compute, and what the runs of this study cost."""

from __future__ import annotations

from dataclasses import asdict

from erm.evaluate.accounting import NOTES, Account, paper_accounts, shipped_accounts
from erm.report.document import Section
from erm.report.outcome import Row
from erm.report.table import Table
from erm.reproduce.exhibits import advice, ptrm, solver, table1, transformer
from erm.reproduce.exhibits.rows import COLUMNS, cost
from erm.reproduce.study import Exhibit, Study

COUNTED = {
    "model": "model",
    "millions": "M parameters",
    "paper_millions": "M (paper)",
    "depth": "D",
    "width": "K",
    "evaluations": "model evaluations",
    "layers_per_step": "layers per step",
    "layers": "equivalent layers",
    "paper_layers": "(paper)",
    "selector": "selector",
}
SEARCHES = (table1, advice, transformer, ptrm, solver)


def _row(account: Account) -> Row:
    marks = "".join(f" ({mark})" for mark in account.notes)
    row = {**asdict(account), "model": account.model + marks, "notes": ""}
    return {**row, "millions": account.parameters / 1e6}


def build(study: Study) -> Section:
    printed, budget = paper_accounts(), study.budget
    used = sorted({mark for account in printed for mark in account.notes})
    notes = [f"({mark}) {NOTES[mark]}." for mark in used]
    caption = (
        "The paper's models, recounted: parameters on a real model of the published sizes, "
        "equivalent layers as H cycles x (L cycles + 1) x blocks per step."
    )
    rows, digits = [_row(one) for one in printed], {"millions": 3}
    tables = [Table("accounting", caption, COUNTED, rows, notes, digits)]
    if shipped := [_row(one) for one in shipped_accounts(budget.depth, budget.width)]:
        caption = f"Shipped networks at D = {budget.depth}, K = {budget.width}."
        tables.append(Table("accounting-shipped", caption, COUNTED, shipped, (), digits))
    every = {run.name: run for one in SEARCHES for run in one.runs(budget) if not run.energies}
    groups = {name: study.gather([run]) for name, run in every.items()}
    spent = [
        {"method": n, "task": one.origins[0].lane, **cost(one), **one.about()}
        for n, one in groups.items()
        if one.samples
    ]
    if spent:
        caption = (
            "What a puzzle costs on average in the runs of this study: model evaluations (one "
            "candidate, one step), boards that the rules propagate, and seconds."
        )
        tables.append(
            Table("accounting-runs", caption, {**COLUMNS, "method": "run", "task": "lane"}, spent)
        )
    return Section(tables)


ACCOUNTING = Exhibit("accounting", "Appendix: parameters and compute", lambda budget: [], build)
