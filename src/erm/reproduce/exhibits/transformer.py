"""The appendix' EqR + Energy Transformer."""

from __future__ import annotations

from collections.abc import Sequence

from erm.evaluate.intervals import mcnemar
from erm.report import plot
from erm.report.document import Section
from erm.report.figures import Bar, bars
from erm.report.outcome import Row
from erm.report.table import Table
from erm.reproduce import paper
from erm.reproduce.exhibits.table1 import NAMES, rates
from erm.reproduce.exhibits.table2 import ladders
from erm.reproduce.study import Exhibit, Run, Study, runs_of
from erm.reproduce.suites import SUITES, TRANSFORMER, Budget
from erm.run_folder import Sample
from erm.search.options import SearchOptions

SHOWN = ("base", "et", "confidence", "majority", "qhead", "convergence", "energy", "rules")
TEMPERED = {"confidence": "PT-confidence", "energy": "PT-ERM"}
CHANCE = 0.05


def plain(budget: Budget) -> list[Run]:
    width = min(paper.TRANSFORMER_WIDTH, budget.width)
    options = SearchOptions(budget.depth, width, "full")
    return runs_of(SUITES[TRANSFORMER], "et", options, "et", cost=2)


def tempered(budget: Budget) -> list[Run]:
    """One ladder of K replicas."""
    width = min(paper.TRANSFORMER_WIDTH, budget.width)
    options = ladders(budget, width, width)
    return runs_of(SUITES[TRANSFORMER], "et-temper", options, "et", tuple(TEMPERED), 2)


def runs(budget: Budget) -> list[Run]:
    return plain(budget) + tempered(budget)


def build(study: Study) -> Section:
    group, hot = study.gather(plain(study.budget)), study.gather(tempered(study.budget))
    found = rates(group)
    rows: list[Row] = [
        {"method": NAMES[name], "ours": found.get(name), "paper": paper.TRANSFORMER.get(name)}
        for name in SHOWN
    ]
    rows += [
        {
            "method": label,
            "ours": hot.temper.energies[name] if hot.temper else None,
            "paper": paper.TRANSFORMER.get(f"pt-{name}"),
        }
        for name, label in TEMPERED.items()
    ]
    rows.append({"method": NAMES["oracle"], "ours": found.get("oracle")})
    for row in rows:
        row["remark"] = group.remark
    columns = {
        "method": "method",
        "ours": "ours",
        "paper": "the paper, D = 64, K = 16",
        "remark": "remark",
    }
    caption = (
        f"EqR + Energy Transformer on {SUITES[TRANSFORMER].title}: D = {study.budget.depth}, "
        f"K = {min(paper.TRANSFORMER_WIDTH, study.budget.width)}. Network: "
        f"{group.networks or 'none'}; data: {group.data or 'none'}."
    )
    notes = [*verdict(group.samples), paper.ET_SIZE, paper.PT_NAME]
    panel = [
        Bar(row["method"].split(" (")[0], row.get(key), plot.BLUE, series)
        for row in rows
        for key, series in (("ours", "ours"), ("paper", "the paper"))
        if row.get("ours") or row.get("paper")
    ]
    figure = bars("et", "EqR + Energy Transformer, 95% intervals.", {"": panel})
    return Section([Table("et", caption, columns, rows, notes)], [figure])


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
    better = chance < CHANCE and energy > confidence
    count = (
        f"{energy} against {confidence} of {len(pairs)} puzzles ({only[0]} only by the ET energy, "
        f"{only[1]} only by confidence, exact McNemar test p = {chance:.2g})"
    )
    return [f"The ET energy {'beats' if better else 'does not beat'} confidence here: {count}."]


ET = Exhibit("et", "Appendix: EqR + Energy Transformer", runs, build)
