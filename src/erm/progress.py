"""One look for everything that takes more than two seconds: rate, ETA, on standard error."""

from __future__ import annotations

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

console = Console()
"""Results for people; machines read `--json` from standard output."""
messages = Console(stderr=True)
"""Progress, warnings and errors."""


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: "1 puzzle", "2 puzzles", "3 guesses"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def progress_bar(quiet: bool = False) -> Progress:
    """A rich progress bar with a free `note` field: `bar.update(task, note="loss 0.31")`."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("eta"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=messages,
        disable=quiet,
        transient=not messages.is_terminal,
    )
