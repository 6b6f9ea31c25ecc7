"""The rules alone: what the solver certifies, by kind and size of board."""

from __future__ import annotations

import numpy as np

from erm.evaluate.bands import BANDS, band_of
from erm.evaluate.results import tally
from erm.report.document import Section
from erm.report.outcome import Row, Tally
from erm.report.table import Table
from erm.reproduce.study import Exhibit, Run, Study, runs_of
from erm.reproduce.suites import SOLVER, Budget, of_budget
from erm.run_folder import Sample
from erm.search.options import SearchOptions

COLUMNS = {
    "suite": "suite",
    "task": "puzzle",
    "band": "longer side",
    "exact": "right (count, 95% interval)",
    "certified": "break no rule",
    "unique": "proved unique",
    "propagations": "propagations per puzzle",
    "seconds": "seconds, mean",
    "slowest": "seconds, most",
    "data": "data",
    "remark": "remark",
}


def runs(budget: Budget) -> list[Run]:
    options = SearchOptions(budget.depth, budget.width, "adaptive")
    suites = of_budget(SOLVER, budget)
    return [run for one in suites for run in runs_of(one, "rules", options, "none", cost=0.5)]


def build(study: Study) -> Section:
    rows: list[Row] = []
    for run in runs(study.budget):
        group = study.gather([run])
        about = {"suite": run.suite.title, "task": run.task, **group.about()}
        bands = {band: [s for s in group.samples if band_of(s["shape"]) == band] for band in BANDS}
        found = [{**about, "band": band, **_row(own)} for band, own in bands.items() if own]
        rows += found or [about]
    caption = "The rules alone, in mode adaptive and without a network: no network's number."
    digits = {"seconds": 3, "slowest": 3, "propagations": 1}
    return Section([Table("solver", caption, COLUMNS, rows, (), digits)])


def _row(samples: list[Sample]) -> Row:
    seconds = [one["seconds"] for one in samples]
    return {
        "exact": Tally(**tally(one["choices"]["energy"] for one in samples)),
        "certified": sum(one["certified"] for one in samples),
        "unique": sum(one["status"] == "unique" for one in samples),
        "propagations": float(np.mean([one.get("propagations", 0) for one in samples])),
        "seconds": float(np.mean(seconds)),
        "slowest": float(max(seconds)),
    }


RULES = Exhibit("solver", "The solver: rules alone", runs, build)
