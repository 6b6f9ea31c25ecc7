"""`erm ls`: what can be loaded by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class List:
    """List the tasks, and the shipped checkpoints with their size and accuracy.

    Example: erm ls --json
    """

    json: bool = False
    """Print one JSON object for machines instead of tables."""

    def run(self) -> int:
        from erm import zoo
        from erm.model.checkpoint import read_card
        from erm.task import task_names

        cards = {name: read_card(zoo.path(name)) for name in zoo.names()}
        if self.json:
            import json

            listing = [{"name": name, **card} for name, card in cards.items()]
            print(json.dumps({"tasks": task_names(), "checkpoints": listing}, indent=2))
            return 0
        from rich.table import Table

        from erm.progress import console

        console.print(f"tasks: {', '.join(task_names())}", highlight=False)
        if not cards:
            console.print("shipped checkpoints: none")
            return 0
        table = Table(title="Shipped checkpoints")
        table.add_column("name")
        table.add_column("task")
        table.add_column("architecture")
        table.add_column("parameters", justify="right")
        table.add_column("accuracy")
        for name, card in cards.items():
            table.add_row(
                name,
                card["task"],
                str(card.get("architecture", "")),
                f"{card.get('parameters', 0):,}",
                "\n".join(map(_accuracy, card.get("accuracy") or [])),
            )
        console.print(table)
        return 0


def _accuracy(entry: dict[str, Any]) -> str:
    """One measurement of a card in a line: "Sudoku-Extreme, energy: 812/1000 (81.2%)"."""
    what = ", ".join(str(entry[key]) for key in ("data", "how") if entry.get(key))
    correct, total = entry.get("correct"), entry.get("total")
    if not isinstance(correct, int) or not isinstance(total, int) or not total:
        return what
    return f"{what}: {correct}/{total} ({100 * correct / total:.1f}%)"


COMMAND = List
