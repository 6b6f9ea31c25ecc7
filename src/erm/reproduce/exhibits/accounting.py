"""The appendix' table of parameters and compute, and what the runs of this study cost."""

from __future__ import annotations

from dataclasses import asdict

from erm.evaluate.accounting import NOTES, Account, paper_accounts, shipped_accounts
from erm.report.document import Section
from erm.report.outcome import Row
from erm.report.table import Table
from erm.reproduce.exhibits import advice, ptrm, solver, table1, transformer
from erm.reproduce.exhibits.advice import cost_of
from erm.reproduce.study import Exhibit, Run, Study
from erm.reproduce.suites import Budget

COLUMNS = {
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
SPENT = {
    "run": "run",
    "lane": "lane",
    "evaluations": "model evaluations",
    "propagations": "propagations",
    "seconds": "seconds",
    "share": "of them propagation",
    "network": "network",
}
SEARCHES = (table1, advice, transformer, ptrm, solver)


def no_runs(budget: Budget) -> list[Run]:
    return []


def _row(account: Account) -> Row:
    marks = "".join(f" ({mark})" for mark in account.notes)
    row = {**asdict(account), "model": account.model + marks}
    del row["notes"]
    return {**row, "millions": account.parameters / 1e6}


def build(study: Study) -> Section:
    printed = paper_accounts()
    used = sorted({mark for account in printed for mark in account.notes})
    notes = [f"({mark}) {NOTES[mark]}." for mark in used]
    digits = {"millions": 3}
    caption = (
        "The paper's models, recounted: parameters on a real model of the published sizes, "
        "equivalent layers as H cycles x (L cycles + 1) x blocks per step."
    )
    tables = [Table("accounting", caption, COLUMNS, list(map(_row, printed)), notes, digits)]
    if shipped := shipped_accounts(study.budget.depth, study.budget.width):
        caption = f"Shipped networks at D = {study.budget.depth}, K = {study.budget.width}."
        rows = list(map(_row, shipped))
        tables.append(Table("accounting-shipped", caption, COLUMNS, rows, (), digits))
    if spent := _spent(study):
        caption = (
            "What a puzzle costs on average in the runs of this study: model evaluations (one "
            "candidate, one step), boards that the rules propagate, and seconds."
        )
        tables.append(Table("accounting-runs", caption, SPENT, spent))
    return Section(tables)


def _spent(study: Study) -> list[Row]:
    every = {run.name: run for one in SEARCHES for run in one.runs(study.budget)}
    rows: list[Row] = []
    for name, run in every.items():
        if study.folder(run).is_done and not run.energies:
            group = study.gather([run])
            lane = group.origins[0].lanes
            rows.append({"run": name, "lane": lane, **cost_of(group), "network": group.networks})
    return rows


ACCOUNTING = Exhibit("accounting", "Appendix: parameters and compute", no_runs, build)
