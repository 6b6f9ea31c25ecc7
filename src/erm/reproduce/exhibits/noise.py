"""TRM and PTRM on our own backbones: a fixed start, and noise instead of random starts."""

from __future__ import annotations

from erm.evaluate.results import selector_rows
from erm.report.document import Section
from erm.report.table import Row, number, text
from erm.reproduce.budget import Budget
from erm.reproduce.catalogue import full_search, ptrm, sigmas, trm
from erm.reproduce.columns import DATA, OURS, STATUS, TOKEN, ours, paper_table, theirs
from erm.reproduce.exhibit import Exhibit
from erm.reproduce.findings import Findings
from erm.reproduce.paper.printed import (
    EQR,
    EQR_DATA,
    PTRM,
    PTRM_WIDTH,
    TASKS,
    TITLES,
    TRM_DEPTH,
    Printed,
)
from erm.reproduce.plan import Runs


def runs(budget: Budget) -> list[Runs]:
    groups: list[Runs] = []
    for task in TASKS:
        groups += [full_search(budget, task), trm(budget, task)]
        groups += [ptrm(budget, task, sigma) for sigma in sigmas(budget, task)]
    return groups


def rows_of(findings: Findings) -> list[Row]:
    rows: list[Row] = []
    for task in TASKS:
        printed = PTRM[task]
        notes = ("fixed-start", *printed.notes)
        depth = min(TRM_DEPTH, findings.budget.depth)
        rows += _rows(
            findings,
            trm(findings.budget, task),
            {
                "task": TITLES[task],
                "method": f"TRM: fixed start, D = {depth}",
                "notes": notes,
            },
            {"first": ("one rollout", printed.trm)},
        )
        for sigma in sigmas(findings.budget, task):
            published = sigma == printed.sigma
            depth = min(printed.depth, findings.budget.depth)
            width = min(PTRM_WIDTH, findings.budget.width)
            method = f"PTRM: sigma = {sigma:g}, D = {depth}, K = {width}"
            if not published:
                method += " (our sigma)"
            rows += _rows(
                findings,
                ptrm(findings.budget, task, sigma),
                {"task": TITLES[task], "method": method, "notes": notes},
                {
                    "qhead": ("q-head", printed.ptrm if published else None),
                    "energy": ("ERM", None),
                    "oracle": ("oracle", printed.oracle if published else None),
                },
            )
        rows += _random_starts(findings, task)
    return rows


def _random_starts(findings: Findings, task: str) -> list[Row]:
    """The same backbone as it was trained, for comparison."""
    eqr = EQR.get(task, {})
    method = f"EqR: random starts, D = {findings.budget.depth}, K = {findings.budget.width}"
    return _rows(
        findings,
        full_search(findings.budget, task),
        {"task": TITLES[task], "method": method, "notes": ("eqr-selector",)},
        {
            "first": ("one rollout", eqr.get("D64 B1")),
            "convergence": ("convergence (EqR)", eqr.get("D64 B128")),
            "energy": ("ERM", None),
            "oracle": ("oracle", None),
        },
    )


def _rows(
    findings: Findings, runs: Runs, head: Row, wanted: dict[str, tuple[str, float | None]]
) -> list[Row]:
    group = findings.gather(runs)
    found = selector_rows(group.samples) if group.samples else {}
    return [
        {
            **head,
            "selector": label,
            **ours(found.get(name), group.status),
            **theirs(None if exact is None else Printed(exact), "published"),
            "data": group.data,
        }
        for name, (label, exact) in wanted.items()
    ]


def build(findings: Findings) -> Section:
    columns = [
        text("task", "task"),
        text("method", "method"),
        text("selector", "selector"),
        *OURS,
        TOKEN,
        number("published %", "published_exact"),
        DATA,
        STATUS,
    ]
    caption = (
        "TRM and PTRM on our own backbones. Published: TRM, PTRM (D = 64, 48, 16; K = 100) and "
        "EqR (D = 64, B = 1 and 128) as their own papers print them, on their own networks: "
        + "; ".join(f"{TITLES[task]}: {PTRM[task].data}" for task in TASKS)
        + f". EqR: {', '.join(EQR_DATA.values())}."
    )
    return Section([paper_table("ptrm", caption, columns, rows_of(findings))])


NOISE = Exhibit("ptrm", "Beyond the paper: TRM and PTRM on our backbones", runs, build)
