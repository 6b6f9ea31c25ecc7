"""What installed packages offer to erm: tasks and selectors, by entry point."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

TASKS, SELECTORS = "erm.tasks", "erm.selectors"


@cache
def installed(group: str) -> Mapping[str, EntryPoint]:
    """The entry points of a group by name, looked up once: it reads every installed package."""
    return {point.name: point for point in entry_points(group=group)}
