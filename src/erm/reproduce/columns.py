"""Our counts and somebody's printed numbers in one row."""

from __future__ import annotations

from functools import partial
from typing import Any

from erm.evaluate.energies import DECODED
from erm.report.table import Column, Row, Table, count, interval, number, text
from erm.reproduce.paper.notes import NOTES
from erm.reproduce.paper.printed import Printed

NAMES = {
    "first": "base (one rollout)",
    "majority": "majority",
    "cell-majority": "cell majority",
    "qhead": "q-head",
    "confidence": "confidence",
    "convergence": "convergence (EqR)",
    "residual": "residual of z_H",
    "energy-mu0": "ERM, mu = 0",
    "energy-gamma": "ERM + confidence, gamma = 64",
    "rules": "rule checker",
    "energy": "ERM",
    DECODED: "ERM on decoded answers (Eq. 7)",
    "et": "ET energy",
    "oracle": "oracle",
}
"""Selectors as people read them."""

paper_table = partial(Table, texts=NOTES)
"""A table whose footnotes are those on the printed numbers."""


def name_of(selector: str) -> str:
    """A selector, or an energy under other settings, as people read it."""
    return NAMES.get(selector) or f"ERM, {selector.removeprefix('energy:')}"


def ours(tally: dict[str, Any] | None, status: str = "") -> Row:
    """A tally of `evaluate.results` in percent; without one, only the reason."""
    if tally is None or not tally["total"]:
        return {"exact": None, "correct": None, "total": None, "status": status}
    low, high = tally["interval"]
    return {
        "exact": 100 * tally["exact"],
        "correct": tally["correct"],
        "total": tally["total"],
        "low": 100 * low,
        "high": 100 * high,
        "token": 100 * tally["token"],
        "ties": tally.get("ties"),
        "status": status,
    }


def theirs(printed: Printed | None, prefix: str = "paper") -> Row:
    """A printed accuracy with its count and interval, where it has them."""
    if printed is None:
        return {}
    row: Row = {f"{prefix}_exact": printed.exact, f"{prefix}_token": printed.token}
    if printed.interval is not None:
        low, high = printed.interval
        row |= {
            f"{prefix}_correct": printed.correct,
            f"{prefix}_total": printed.total,
            f"{prefix}_low": 100 * low,
            f"{prefix}_high": 100 * high,
        }
    return row


OURS: tuple[Column, ...] = (
    number("ours %", "exact"),
    count("count", "correct", "total"),
    interval("95% interval", "low", "high"),
)
TOKEN = number("token %", "token")
TIES = Column("ties", lambda row: "" if row.get("ties") is None else str(row["ties"]))
PAPER: tuple[Column, ...] = (
    number("paper %", "paper_exact"),
    count("count (paper)", "paper_correct", "paper_total"),
    interval("95% (paper)", "paper_low", "paper_high"),
)
PAPER_TOKEN = number("token % (paper)", "paper_token")
DATA = text("our data", "data")
STATUS = text("remark", "status")
