"""Table 2 and Figure 3: parallel tempering with three energies."""

from __future__ import annotations

from dataclasses import replace

from erm.evaluate.diagnosis import diagnose_temper
from erm.evaluate.results import selector_rows, summarise_temper
from erm.report import plot
from erm.report.document import Section
from erm.report.figures import Bar, bars
from erm.report.outcome import Row
from erm.report.table import Table
from erm.reproduce import paper
from erm.reproduce.exhibits.table1 import NAMES
from erm.reproduce.study import Exhibit, Group, Run, Study, full, runs_of
from erm.reproduce.suites import MAIN, Budget, Suite, of_budget
from erm.search.temper import TemperOptions

ENERGIES = ("qhead", "confidence", "energy")
"""What the paper tempers with."""


def ladders(budget: Budget, width: int, rungs: int) -> TemperOptions:
    """D x K as in the plain search."""
    return TemperOptions(budget.depth, max(1, width // rungs), rungs)


def tempering(budget: Budget, suite: Suite) -> list[Run]:
    options = ladders(budget, budget.width, budget.rungs)
    return runs_of(suite, "temper", options, energies=ENERGIES, cost=6)


def variants(budget: Budget, suite: Suite) -> dict[str, list[Run]]:
    """ERM alone, with another ladder or with Metropolis acceptance."""
    options = ladders(budget, budget.width, budget.rungs)
    absolute = replace(options, temperatures=paper.TEMPERATURES)
    metropolis = replace(options, metropolis=True)
    coldest, hottest = paper.TEMPERATURES
    return {
        f"T {coldest:g} to {hottest:g}": runs_of(
            suite, "temper-absolute", absolute, energies=("energy",)
        ),
        "Metropolis": runs_of(suite, "temper-metropolis", metropolis, energies=("energy",)),
    }


def runs(budget: Budget) -> list[Run]:
    return [
        run
        for suite in of_budget(MAIN, budget)
        for group in (
            full(budget, suite),
            tempering(budget, suite),
            *variants(budget, suite).values(),
        )
        for run in group
    ]


def rows_of(study: Study) -> list[Row]:
    """One row per task and energy: the same selector before, tempered, and both oracles."""
    rows: list[Row] = []
    for suite in of_budget(MAIN, study.budget):
        plain = study.gather(full(study.budget, suite))
        hot = study.gather(tempering(study.budget, suite))
        for name in ENERGIES:
            before = plain.search.selectors[name] if plain.search else None
            label = NAMES[name]
            rows.append({"energy": label, "selector": name, "original": before, **_row(hot, name)})
            rows[-1]["task"] = suite.title
        for label, variant in variants(study.budget, suite).items():
            row = _row(study.gather(variant), "energy")
            rows.append({"task": suite.title, "energy": f"ERM, {label}", **row})
    return rows


def _row(hot: Group, name: str) -> Row:
    if hot.temper is None:
        return {"remark": hot.remark}
    found = hot.temper.energies[name]
    return {
        "selected": found,
        "oracle": found.oracle_final,
        "visited": found.oracle_visited,
        "swap_rate": found.swap_rate,
        "acceptance": found.acceptance,
        "remark": hot.remark,
    }


def printed_rows() -> list[Row]:
    rows: list[Row] = []
    for task, energies in paper.TEMPERING.items():
        for name, (*percents, swap_rate) in energies.items():
            numbers = (paper.printed(one, paper.TOTALS[task]) for one in percents)
            kept = dict(zip(("original", "selected", "oracle"), numbers, strict=True))
            row = {"task": f"the paper: {task}", "energy": NAMES[name], "selector": name}
            rows.append({**row, **kept, "swap_rate": swap_rate})
    return rows


def build_table(study: Study) -> Section:
    columns = {
        "task": "task",
        "energy": "PT energy",
        "original": "original",
        "selected": "selected",
        "oracle": "oracle",
        "visited": "oracle of all visited",
        "swap_rate": "swap rate",
        "acceptance": "moves accepted",
        "remark": "remark",
    }
    budget = study.budget
    caption = (
        f"Parallel tempering of networks alone on D x K = {budget.depth} x {budget.width} model "
        f"evaluations ({budget.width // budget.rungs} ladders of {budget.rungs} temperatures). "
        "Original: the same score on the shared candidates."
    )
    notes = [paper.LADDER, *_diagnoses(study)]
    rows = [*rows_of(study), *printed_rows()]
    digits = {"swap_rate": 4, "acceptance": 4}
    return Section([Table("table2", caption, columns, rows, notes, digits)])


def _diagnoses(study: Study) -> list[str]:
    """What loses right answers in each task, beside plain rollouts on the same puzzles."""
    found = []
    for suite in of_budget(MAIN, study.budget):
        hot = study.gather(tempering(study.budget, suite)).samples
        plain = study.gather(full(study.budget, suite)).samples
        if hot:
            before = selector_rows(plain) if len(plain) == len(hot) else None
            found.append(f"{suite.title}, {diagnose_temper(summarise_temper(hot), before)}")
    return found


def build_figure(study: Study) -> Section:
    panels: dict[str, list[Bar]] = {}
    for row in [*rows_of(study), *printed_rows()]:
        if "selector" in row:
            colour = plot.SELECTOR_COLOURS[row["selector"]]
            panels.setdefault(row["task"], []).extend(
                Bar(row["energy"], row.get(key), colour, series)
                for key, series in (("selected", "tempered"), ("original", "original selection"))
            )
    caption = (
        "Figure 3: the same energy in parallel tempering (solid) and as a selector (hollow), with "
        "95% intervals; the last three panels are the paper's."
    )
    return Section(figures=[bars("figure3", caption, panels)])


TABLE2 = Exhibit("table2", "Table 2: parallel tempering with three energies", runs, build_table)
FIGURE3 = Exhibit("figure3", "Figure 3: tempering against original selection", runs, build_figure)
