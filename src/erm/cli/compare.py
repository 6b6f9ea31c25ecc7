"""`erm compare`: two runs on the same puzzles, with a paired test."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import tyro

from erm.errors import InputError


@dataclass
class Compare:
    """Which of two runs solved more of the same puzzles, and whether that is more than chance.

    Example: erm compare runs/plain runs/guided

    Example: erm compare runs/plain runs/plain --select qhead energy
    """

    first: tyro.conf.Positional[Path]
    """Folder of a run of erm evaluate, temper or rescore."""
    second: tyro.conf.Positional[Path]
    """Another, or the same one to compare two of its selectors."""
    select: tuple[str, ...] = ("energy",)
    """Whose answers count: one selector for both, or one for each; oracle too."""
    json: bool = False
    """Print one JSON object instead of a table."""

    def run(self) -> int:
        from rich.box import SIMPLE
        from rich.table import Table

        from erm.evaluate.compare import compare
        from erm.evaluate.intervals import wilson
        from erm.progress import console

        if len(self.select) not in (1, 2):
            raise InputError(f"--select takes one selector or two, got {len(self.select)}")
        found = compare(self.first, self.second, (self.select[0], self.select[-1]))
        if self.json:
            print(json.dumps({**asdict(found), "verdict": found.verdict()}))
            return 0
        table = Table("", "run", "selector", box=SIMPLE, padding=(0, 1, 0, 0))
        for column in table.columns:
            column.overflow = "fold"
        for name in ("correct", "95% interval", "only it", "evaluations"):
            table.add_column(name, justify="right")
        sides = (
            ("first", found.first, found.only_first),
            ("second", found.second, found.only_second),
        )
        for label, side, only in sides:
            low, high = wilson(side.correct, found.total)
            table.add_row(
                label,
                side.run,
                side.selector,
                f"{side.correct}/{found.total}",
                f"{100 * low:.1f} to {100 * high:.1f}",
                str(only),
                f"{side.evaluations_mean:.1f}",
            )
        console.print(table)
        console.print(found.verdict(), highlight=False)
        return 0


COMMAND = Compare
