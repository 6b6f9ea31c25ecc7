"""Table 2 and Figure 3: parallel tempering with three energies."""

from __future__ import annotations

from collections.abc import Iterator

from erm.evaluate.diagnosis import diagnose_temper
from erm.evaluate.results import selector_rows, summarise_temper
from erm.report import plot
from erm.report.document import Figure, Section
from erm.report.table import Row, count, number, text
from erm.reproduce.budget import Budget
from erm.reproduce.catalogue import ENERGIES, full_search, tempering, tempering_variants
from erm.reproduce.columns import NAMES, OURS, STATUS, ours, paper_table, theirs
from erm.reproduce.exhibit import Exhibit
from erm.reproduce.findings import Findings
from erm.reproduce.paper.printed import TASKS, TEMPERING, TITLES
from erm.reproduce.plan import Runs


def runs(budget: Budget) -> list[Runs]:
    return [
        runs
        for task in TASKS
        for runs in (
            full_search(budget, task),
            tempering(budget, task),
            *tempering_variants(budget, task).values(),
        )
    ]


def rows_of(findings: Findings) -> list[Row]:
    """One row per task and energy: the same selector before, tempered, and both oracles."""
    rows: list[Row] = []
    for task in TASKS:
        plain, hot = (
            findings.gather(full_search(findings.budget, task)),
            findings.gather(tempering(findings.budget, task)),
        )
        before = selector_rows(plain.samples) if plain.samples else {}
        after = summarise_temper(hot.samples)["energies"] if hot.samples else {}
        for name in ENERGIES:
            found, printed = after.get(name), TEMPERING[task][name]
            rows.append(
                {
                    "task": TITLES[task],
                    "energy": NAMES[name],
                    **_prefixed("original", ours(before.get(name))),
                    **ours(found, hot.status),
                    **_oracle("final", found),
                    **_oracle("visited", found),
                    "swap_rate": found and found["swap_rate"],
                    **theirs(printed.original, "paper_original"),
                    **theirs(printed.selected),
                    **theirs(printed.oracle, "paper_oracle"),
                    "paper_swap_rate": printed.swap_rate,
                }
            )
    return rows


def variants_of(findings: Findings) -> list[Row]:
    """One row per task and variant of the ladder, with ERM."""
    rows: list[Row] = []
    for task in TASKS:
        for label, variant in tempering_variants(findings.budget, task).items():
            hot = findings.gather(variant)
            found = summarise_temper(hot.samples)["energies"]["energy"] if hot.samples else None
            rows.append(
                {
                    "task": TITLES[task],
                    "energy": f"{NAMES['energy']}, {label}",
                    **ours(found, hot.status),
                    **_oracle("final", found),
                    **_oracle("visited", found),
                    "swap_rate": found and found["swap_rate"],
                    "acceptance": found and found["acceptance"],
                    "paper_swap_rate": TEMPERING[task]["energy"].swap_rate,
                }
            )
    return rows


def _prefixed(prefix: str, row: Row) -> Row:
    kept = ("exact", "correct", "total", "low", "high")
    return {f"{prefix}_{key}": row.get(key) for key in kept}


def _oracle(kind: str, found: Row | None) -> Row:
    """The best of the last pool (final) or of everything that was ever visited."""
    tally = found and found[f"oracle_{kind}"]
    if not tally or not tally["total"]:
        return {f"oracle_{kind}": None}
    return {f"oracle_{kind}": 100 * tally["exact"], f"oracle_{kind}_correct": tally["correct"]}


def build_table(findings: Findings) -> Section:
    columns = [
        text("task", "task"),
        text("PT energy", "energy"),
        number("original %", "original_exact"),
        *OURS,
        number("oracle %", "oracle_final"),
        number("oracle of all visited %", "oracle_visited"),
        number("swap rate", "swap_rate", 4),
        number("moves accepted", "acceptance", 4),
        number("original % (paper)", "paper_original_exact"),
        number("selected % (paper)", "paper_exact"),
        count("count (paper)", "paper_correct", "paper_total"),
        number("oracle % (paper)", "paper_oracle_exact"),
        number("swap rate (paper)", "paper_swap_rate", 4),
        STATUS,
    ]
    budget = findings.budget
    caption = (
        f"Parallel tempering on a budget of D x K = {budget.depth} x {budget.width} model "
        f"evaluations ({budget.width // budget.rungs} ladders of {budget.rungs} temperatures). "
        "Original: the same score on the shared candidates; where the two runs have different "
        "numbers of puzzles, so have the columns."
    )
    rows = rows_of(findings)
    remarks = (*_different_sizes(rows), *_diagnoses(findings))
    notes = ("ladder", "ladder-rows", "verifier")
    every = [*rows, *variants_of(findings)]
    return Section([paper_table("table2", caption, columns, every, notes, remarks)])


def _diagnoses(findings: Findings) -> Iterator[str]:
    """What loses right answers in each task, beside plain rollouts on the same puzzles."""
    for task in TASKS:
        hot = findings.gather(tempering(findings.budget, task)).samples
        plain = findings.gather(full_search(findings.budget, task)).samples
        if hot:
            before = selector_rows(plain) if len(plain) == len(hot) else None
            yield f"{TITLES[task]}, {diagnose_temper(summarise_temper(hot), before)}"


def _different_sizes(rows: list[Row]) -> tuple[str, ...]:
    pairs = {
        row["task"]: (row["original_total"], row["total"])
        for row in rows
        if row["total"] and row["original_total"] and row["total"] != row["original_total"]
    }
    return tuple(
        f"{task}: the original column counts {before} puzzles, tempering the first {after}."
        for task, (before, after) in pairs.items()
    )


def build_figure(findings: Findings) -> Section:
    rows = rows_of(findings)
    with plot.style():
        figure, axes = plot.panels(len(TASKS))
        for one, task in zip(axes, TASKS, strict=True):
            own = [row for row in rows if row["task"] == TITLES[task]]
            colours = [plot.SELECTOR_COLOURS[name] for name in ENERGIES]
            left = [place - 0.21 for place in range(len(own))]
            right = [place + 0.21 for place in range(len(own))]
            plot.bars(one, left, own, colours, "original_", 0.36, hollow=True)
            plot.bars(one, right, own, colours, "", 0.36)
            plot.diamonds(one, left, [row["paper_original_exact"] for row in own])
            plot.diamonds(one, right, [row["paper_exact"] for row in own])
            one.set_xticks(range(len(own)), [row["energy"] for row in own])
            one.grid(False, axis="x")
            one.set_title(TITLES[task])
            plot.percent_axis(one)
        handles = [
            plot.patch_handle("original selection", plot.GREY, hollow=True),
            plot.patch_handle("parallel tempering", plot.GREY),
            plot.paper_handle(),
        ]
        if any(row["exact"] is None for row in rows):
            handles.append(plot.missing_handle())
        plot.legend_below(figure, handles)
    caption = (
        "Figure 3: the same energy as a selector (hollow) and in parallel tempering (solid), with "
        "95% Wilson intervals; diamonds are the paper's figures for the same bar."
    )
    return Section(figures=[Figure("figure3", caption, figure, rows)])


TABLE2 = Exhibit("table2", "Table 2: parallel tempering with three energies", runs, build_table)
FIGURE3 = Exhibit("figure3", "Figure 3: tempering against original selection", runs, build_figure)
