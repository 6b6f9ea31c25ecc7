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
from erm.reproduce.exhibits.rows import NAMES
from erm.reproduce.study import Exhibit, Group, Run, Study, full, runs_of
from erm.reproduce.suites import MAIN, Budget, Suite, of_budget
from erm.search.temper import TemperOptions

ENERGIES = ("qhead", "confidence", "energy")
"""What the paper tempers with."""
COLUMNS = {
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


def ladders(budget: Budget, width: int, rungs: int) -> TemperOptions:
    """D x K as in the plain search."""
    return TemperOptions(budget.depth, max(1, width // rungs), rungs)


def tempering(budget: Budget, suite: Suite) -> dict[str, list[Run]]:
    """The three energies; and ERM alone, with another ladder or with Metropolis acceptance."""
    options, erm = ladders(budget, budget.width, budget.rungs), ("energy",)
    absolute = replace(options, temperatures=paper.TEMPERATURES)
    metropolis = replace(options, metropolis=True)
    return {
        "": runs_of(suite, "temper", options, "alone", ENERGIES, 6),
        "T {:g} to {:g}".format(*paper.TEMPERATURES): runs_of(
            suite, "temper-absolute", absolute, "alone", erm
        ),
        "Metropolis": runs_of(suite, "temper-metropolis", metropolis, "alone", erm),
    }


def runs(budget: Budget) -> list[Run]:
    suites = of_budget(MAIN, budget)
    groups = [[full(budget, suite), *tempering(budget, suite).values()] for suite in suites]
    return [run for own in groups for group in own for run in group]


def rows_of(study: Study) -> list[Row]:
    """One row per task and energy: the same selector before, tempered, and both oracles."""
    rows: list[Row] = []
    for suite in of_budget(MAIN, study.budget):
        plain = study.gather(full(study.budget, suite)).rates
        for label, own in tempering(study.budget, suite).items():
            hot = study.gather(own)
            for name in own[0].energies:
                energy = ", ".join(filter(None, (NAMES[name], label)))
                row = {"task": suite.title, "energy": energy, "selector": "" if label else name}
                rows.append({**row, "original": plain.get(name), **_tempered(hot, name)})
    for task, energies in paper.TEMPERING.items():
        for name, (*percents, swap_rate) in energies.items():
            numbers = (paper.printed(one, paper.TOTALS[task]) for one in percents)
            kept = dict(zip(("original", "selected", "oracle"), numbers, strict=True))
            row = {"task": f"the paper: {task}", "energy": NAMES[name], "selector": name}
            rows.append({**row, **kept, "swap_rate": swap_rate})
    return rows


def _tempered(hot: Group, name: str) -> Row:
    if hot.temper is None:
        return hot.about()
    found = hot.temper.energies[name]
    oracles = {"oracle": found.oracle_final, "visited": found.oracle_visited}
    rates = {"swap_rate": found.swap_rate, "acceptance": found.acceptance}
    return {"selected": found, **oracles, **rates, **hot.about()}


def build_table(study: Study) -> Section:
    budget = study.budget
    caption = (
        f"Parallel tempering of networks alone on D x K = {budget.depth} x {budget.width} model "
        f"evaluations ({budget.width // budget.rungs} ladders of {budget.rungs} temperatures). "
        "Original: the same score on the shared candidates."
    )
    notes = [paper.LADDER]
    for suite in of_budget(MAIN, budget):
        hot = study.gather(tempering(budget, suite)[""]).samples
        plain = study.gather(full(budget, suite)).samples
        if hot:
            before = selector_rows(plain) if len(plain) == len(hot) else None
            notes.append(f"{suite.title}, {diagnose_temper(summarise_temper(hot), before)}")
    digits = {"swap_rate": 4, "acceptance": 4}
    return Section([Table("table2", caption, COLUMNS, rows_of(study), notes, digits)])


def build_figure(study: Study) -> Section:
    panels: dict[str, list[Bar]] = {}
    for row in rows_of(study):
        if row["selector"]:
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
