"""`erm ls`: what can be loaded by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from erm.model.card import tasks_of
from erm.progress import console


@dataclass
class List:
    """List the tasks, and the shipped checkpoints with their size and accuracy.

    Example: erm ls --json
    """

    json: bool = False
    """Print one JSON object for machines instead of tables."""

    def run(self) -> int:
        import sys

        from erm import zoo
        from erm.plugins import TASKS, installed

        tasks = sorted(installed(TASKS))
        if "erm.rulebook.registry" in sys.modules:
            # An --include has loaded it, and torch with it; without, listing does without both.
            from erm.rulebook.registry import task_names

            tasks = task_names()
        cards = {name: found.card for name, found in zoo.shelf().items()}
        if self.json:
            import json

            listing = [{"name": name, **card} for name, card in cards.items()]
            print(json.dumps({"tasks": tasks, "checkpoints": listing}, indent=2))
            return 0
        console.print(f"tasks: {', '.join(tasks)}", highlight=False)
        console.print("shipped checkpoints:" if cards else "shipped checkpoints: none")
        for name, card in cards.items():
            console.print(f"\n[bold]{name}[/bold]: {', '.join(tasks_of(card))}", highlight=False)
            for line in (_made(card), *map(_accuracy, card.get("accuracy") or [])):
                console.print(f"  {line}", highlight=False, soft_wrap=True)
        return 0


def _made(card: Mapping[str, Any]) -> str:
    """The network in a line: "structured, 28,611 parameters, advice none, trained 66 min"."""
    seconds = card.get("seconds")
    parts = [
        str(card.get("architecture", "")),
        f"{card.get('parameters', 0):,} parameters",
        f"advice {card['advice']}",
        f"trained {seconds / 60:.0f} min" if seconds else "",
    ]
    return ", ".join(filter(None, parts))


def _accuracy(entry: dict[str, Any]) -> str:
    """One measurement of a card in a line: "Sudoku-Extreme, energy: 812/1000 (81.2%)"."""
    what = ", ".join(str(entry[key]) for key in ("data", "how") if entry.get(key))
    correct, total = entry.get("correct"), entry.get("total")
    if not isinstance(correct, int) or not isinstance(total, int) or not total:
        return what
    return f"{what}: {correct}/{total} ({100 * correct / total:.1f}%)"


COMMAND = List
