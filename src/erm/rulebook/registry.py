"""Every task that is known: the packaged ones, other packages' and those of `--include`."""

from __future__ import annotations

import importlib.util
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from erm.errors import InputError
from erm.rulebook.task import Task

_registry: dict[str, type[Task]] = {}


def register(task: type[Task]) -> type[Task]:
    """Class decorator: makes a task known by its name for this process (for `--include`)."""
    _registry[task.name] = task
    return task


@cache
def _installed() -> dict[str, EntryPoint]:
    """The `erm.puzzles` entry points of all packages, looked up once: it reads every package."""
    return {point.name: point for point in entry_points(group="erm.tasks")}


def task_names() -> list[str]:
    """Every task that can be loaded: the packaged ones, other packages' and registered ones."""
    return sorted({*_registry, *_installed()})


def load_task(name: str) -> Task:
    """The task of that name, from this process's registry or any package's `erm.puzzles` entry."""
    if name in _registry:
        return _registry[name]()
    if name in _installed():
        return _installed()[name].load()()
    raise InputError(f"there is no task {name!r}; known tasks: {', '.join(task_names())}")


def include(path: str | Path) -> None:
    """Run a user's own `my_task.py`, which registers its tasks (`--include`)."""
    path = Path(path)
    spec = importlib.util.spec_from_file_location(f"erm_include_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputError(f"--include takes a Python file, but {path} is none")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
