"""`erm mine`: memories from solved boards, for a rulebook that is not finished."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tyro

from erm.errors import InputError

if TYPE_CHECKING:
    from erm.rulebook.mined import Mined

SHOWN = 6


@dataclass(kw_only=True)
class Mine:
    """Find what solved boards never show though chance would: rules, each with a confidence.

    Example: erm mine nurikabe --solved train.jsonl --out mined.json

    Example: erm mine nurikabe --solved train.jsonl --without 'no 2x2 of sea' --test held.jsonl

    A rulebook takes the file with Mined.load(path).factors(self, puzzle); see docs/new-task.md.
    """

    task: tyro.conf.Positional[str]
    """Whose boards they are."""
    solved: Path
    """Boards with answers, in any supported format."""
    scopes: tuple[str, ...] = ()
    """Where to look: window:HxW; beside or around (the cells around a clue, by clue); pairs (in a
    group of the task's partitions); or what Task.scopes names. Small windows and beside if none."""
    confidence: float = 0.9
    """Leave out what is less sure to hold on the next board."""
    doubt: float = 0.01
    """How likely a pattern may be missing by chance; more doubt finds more, right and wrong."""
    out: Path | None = None
    """File to write; only shown if not given."""
    without: tuple[str, ...] = ()
    """Rules of the task to do without in the comparison."""
    test: Path | None = None
    """Other boards with answers: solve them by the rules, by the memories, and by both."""
    pools: Path | None = None
    """A run of erm evaluate: select from its candidates by the rules, by the memories, by both."""
    json: bool = False
    """Print one JSON object instead of tables."""
    quiet: bool = False
    """No progress."""

    def run(self) -> int:
        from erm.evaluate.mined import check_rules, describe, rulebooks, select_all, solve_all
        from erm.formats.dataset import load_dataset
        from erm.rulebook.mining import KINDS, mine
        from erm.rulebook.registry import load_task

        if not 0 <= self.confidence <= 1:
            raise InputError(f"--confidence must be 0 to 1, got {self.confidence}")
        if not 0 < self.doubt <= 1:
            raise InputError(f"--doubt must be above 0 and at most 1, got {self.doubt}")
        task = load_task(self.task)
        boards = list(load_dataset(self.solved, self.task))
        check_rules(task, boards[:64], self.without)
        mined = mine(task, boards, self.scopes or KINDS, self.confidence, self.doubt, self.quiet)
        books = rulebooks(task, mined, self.without)
        report: dict[str, Any] = {
            "task": task.name,
            "boards": mined.boards,
            "rules": [rule.describe() for rule in mined.rules],
        }
        if self.test is not None:
            held = list(load_dataset(self.test, self.task))
            report["solving"] = describe(solve_all(task, held, books, self.quiet))
        if self.pools is not None:
            report["selection"] = select_all(task, self.pools, books, quiet=self.quiet)
        if self.out is not None:
            mined.save(self.out)
        if self.json:
            print(json.dumps(report, indent=2))
        else:
            _print(mined, report, self.out)
        return 0


def _print(mined: Mined, report: dict[str, Any], out: Path | None) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    from erm.progress import console

    title = f"{len(mined.rules)} memories from {mined.boards} solved boards"
    table = Table(title=title, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    for name in ("where", "never", "by chance on", "confidence"):
        table.add_column(name, overflow="fold", justify="left" if name == "never" else "right")
    table.columns[0].justify = "left"
    for rule in mined.rules:
        patterns = rule.describe()["forbidden"]
        more = f" and {len(patterns) - SHOWN} more" if len(patterns) > SHOWN else ""
        where = f"{rule.kind} {rule.key}".rstrip()
        never = " ".join(patterns[:SHOWN]) + more
        table.add_row(where, never, f"{rule.expected:.0f} boards", f"{100 * rule.confidence:.1f}%")
    console.print(table)
    if "solving" in report:
        table = Table("solving by", title="complete search", title_justify="left", box=SIMPLE)
        for name in ("right", "several", "wrong", "undecided"):
            table.add_column(name, justify="right")
        for name, row in report["solving"].items():
            table.add_row(name, *(str(count) for count in row.values()))
        console.print(table)
    if "selection" in report:
        rows = dict(report["selection"])
        total = rows.pop("pools")
        table = Table("selecting by", title="lowest energy", title_justify="left", box=SIMPLE)
        table.add_column("correct", justify="right")
        for name in sorted(rows, key="oracle".__eq__):
            table.add_row(name, f"{rows[name]}/{total}")
        console.print(table)
    if out is not None:
        console.print(f"written to {out}", soft_wrap=True, highlight=False)


COMMAND = Mine
