"""TRM and PTRM on our own backbones: a fixed start, and noise instead of random starts."""

from __future__ import annotations

from erm.evaluate.results import selector_rows
from erm.reproduce.catalogue import ptrm, shared, sigmas, trm
from erm.reproduce.compare import DATA, OURS, STATUS, TOKEN, ours, theirs
from erm.reproduce.paper.printed import EQR, PTRM, PTRM_WIDTH, TASKS, TITLES, TRM_DEPTH, Printed
from erm.reproduce.part import Part, Section
from erm.reproduce.study import Runs, Study
from erm.reproduce.table import Row, Table, number, text


def runs(study: Study) -> list[Runs]:
    groups: list[Runs] = []
    for task in TASKS:
        groups += [shared(study, task), trm(study, task)]
        groups += [ptrm(study, task, sigma) for sigma in sigmas(study, task)]
    return groups


def rows_of(study: Study) -> list[Row]:
    rows: list[Row] = []
    for task in TASKS:
        printed = PTRM[task]
        notes = ("fixed-start", *(("ptrm-maze",) if task == "maze" else ()))
        depth = min(TRM_DEPTH, study.budget.depth)
        rows += _rows(
            study,
            trm(study, task),
            {
                "task": TITLES[task],
                "method": f"TRM: fixed start, D = {depth}",
                "notes": notes,
            },
            {"first": ("one rollout", printed.trm)},
        )
        for sigma in sigmas(study, task):
            published = sigma == printed.sigma
            depth = min(printed.depth, study.budget.depth)
            width = min(PTRM_WIDTH, study.budget.width)
            method = f"PTRM: sigma = {sigma:g}, D = {depth}, K = {width}"
            if not published:
                method += " (our sigma)"
            rows += _rows(
                study,
                ptrm(study, task, sigma),
                {"task": TITLES[task], "method": method, "notes": notes},
                {
                    "qhead": ("q-head", printed.ptrm if published else None),
                    "energy": ("ERM", None),
                    "oracle": ("oracle", printed.oracle if published else None),
                },
            )
        rows += _random_starts(study, task)
    return rows


def _random_starts(study: Study, task: str) -> list[Row]:
    """The same backbone as it was trained, for comparison."""
    eqr = EQR.get(task, {})
    method = f"EqR: random starts, D = {study.budget.depth}, K = {study.budget.width}"
    return _rows(
        study,
        shared(study, task),
        {"task": TITLES[task], "method": method, "notes": ("eqr-selector",)},
        {
            "first": ("one rollout", eqr.get("D64 B1")),
            "residual": ("residual", eqr.get("D64 B128")),
            "energy": ("ERM", None),
            "oracle": ("oracle", None),
        },
    )


def _rows(
    study: Study, runs: Runs, head: Row, wanted: dict[str, tuple[str, float | None]]
) -> list[Row]:
    group = study.gather(runs)
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


def build(study: Study) -> Section:
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
        + ". EqR: Sudoku-Extreme, Maze-Unique."
    )
    return Section([Table("ptrm", caption, columns, rows_of(study))])


NOISE = Part("ptrm", "Beyond the paper: TRM and PTRM on our backbones", runs, build)
