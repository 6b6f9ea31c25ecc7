"""The appendix' EqR + Energy Transformer."""

from __future__ import annotations

from collections.abc import Sequence

from erm.evaluate.intervals import mcnemar
from erm.report import plot
from erm.report.document import Section
from erm.report.figures import Bar, bars
from erm.report.outcome import Rate
from erm.report.table import Table
from erm.reproduce import paper
from erm.reproduce.exhibits.rows import COLUMNS, NAMES, of_group, selected
from erm.reproduce.exhibits.table2 import ladders
from erm.reproduce.study import Exhibit, Run, Study, runs_of
from erm.reproduce.suites import SUITES, TRANSFORMER, Budget
from erm.run_folder import Sample
from erm.search.options import SearchOptions

SHOWN = ("base", "et", "confidence", "majority", "qhead", "energy", "rules", "oracle")
TEMPERED = ("confidence", "energy")
CHANCE = 0.05


def plain(budget: Budget) -> list[Run]:
    options = SearchOptions(budget.depth, min(paper.TRANSFORMER_WIDTH, budget.width), "full")
    return runs_of(SUITES[TRANSFORMER], "et", options, "et", cost=2)


def tempered(budget: Budget) -> list[Run]:
    """One ladder of K replicas."""
    width = min(paper.TRANSFORMER_WIDTH, budget.width)
    options = ladders(budget, width, width)
    return runs_of(SUITES[TRANSFORMER], "et-temper", options, "et", TEMPERED, 2)


def runs(budget: Budget) -> list[Run]:
    return plain(budget) + tempered(budget)


def build(study: Study) -> Section:
    group, hot = study.gather(plain(study.budget)), study.gather(tempered(study.budget))
    title = SUITES[TRANSFORMER].title
    rows = of_group(title, "selection", group, SHOWN)
    if hot.temper is not None:
        energies: dict[str, Rate] = dict(hot.temper.energies)
        rows += selected(title, "tempering (PT)", energies, TEMPERED, **hot.about())
    rows += selected("the paper: Sudoku", "selection", paper.TRANSFORMER, SHOWN)
    rows += selected("the paper: Sudoku", "tempering (PT)", paper.TRANSFORMER_PT, TEMPERED)
    width = min(paper.TRANSFORMER_WIDTH, study.budget.width)
    caption = (
        f"EqR + Energy Transformer: ours at D = {study.budget.depth}, K = {width}, the paper at "
        "D = 64, K = 16."
    )
    notes = [*verdict(group.samples), paper.ET_NOTE]
    panel = [
        Bar(NAMES[name], rates.get(name), plot.BLUE, series)
        for series, rates in (("ours", group.rates), ("the paper", paper.TRANSFORMER))
        for name in SHOWN[:4]
    ]
    figure = bars("et", "EqR + Energy Transformer, 95% intervals.", {"": panel})
    return Section([Table("et", caption, COLUMNS, rows, notes)], [figure])


def verdict(samples: Sequence[Sample]) -> list[str]:
    """Whether the ET energy beats confidence on the same candidates, puzzle by puzzle."""
    pairs = [
        (one["choices"]["et"]["correct"], one["choices"]["confidence"]["correct"])
        for one in samples
        if "et" in one["choices"] and "oracle" in one
    ]
    if not pairs:
        return []
    energy, confidence = (sum(pair[side] for pair in pairs) for side in (0, 1))
    only = sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)
    chance = mcnemar(*only)
    beats = "beats" if chance < CHANCE and energy > confidence else "does not beat"
    return [
        f"The ET energy {beats} confidence here: {energy} against {confidence} of {len(pairs)} "
        f"puzzles ({only[0]} only by the ET energy, {only[1]} only by confidence, exact McNemar "
        f"test p = {chance:.2g})."
    ]


ET = Exhibit("et", "Appendix: EqR + Energy Transformer", runs, build)
