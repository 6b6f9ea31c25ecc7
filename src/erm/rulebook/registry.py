"""Every task that is known: the packaged ones, other packages' and those of `--include`."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from erm.errors import InputError
from erm.plugins import TASKS, installed
from erm.rulebook.task import Task

_registry: dict[str, type[Task]] = {}


def register(task: type[Task]) -> type[Task]:
    """Class decorator: makes a task known by its name for this process (for `--include`)."""
    _registry[task.name] = task
    return task


def task_names() -> list[str]:
    """Every task that can be loaded: the packaged ones, other packages' and registered ones."""
    return sorted({*_registry, *installed(TASKS)})


def load_task(name: str) -> Task:
    """The task of that name, from this process's registry or any package's `erm.tasks` entry."""
    if name in _registry:
        return _registry[name]()
    if name in installed(TASKS):
        return installed(TASKS)[name].load()()
    raise InputError(f"there is no task {name!r}; known tasks: {', '.join(task_names())}")


def include(path: str | Path) -> None:
    """Run a user's own `my_task.py`, which registers its tasks (`--include`)."""
    path = Path(path)
    spec = importlib.util.spec_from_file_location(f"erm_include_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputError(f"--include takes a Python file, but {path} is none")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
