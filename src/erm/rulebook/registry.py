"""Every task that is known: the packaged ones, other packages' and those of `--include`."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path

from erm.errors import InputError
from erm.plugins import TASKS, installed, somebodys
from erm.rulebook.task import Task

_registry: dict[str, type[Task]] = {}
_included: dict[Path, str] = {}
"""Files and folders that were run, and the module that each has become."""


def register(task: type[Task]) -> type[Task]:
    """Class decorator: makes a task known by its name for this process (for `--include`)."""
    _registry[task.name] = task
    task_of.cache_clear()
    return task


def task_names() -> list[str]:
    """Every task that can be loaded: the packaged ones, other packages' and registered ones."""
    return sorted({*_registry, *installed(TASKS)})


def load_task(name: str) -> Task:
    """The task of that name, from this process's registry or any package's `erm.tasks` entry."""
    if name in _registry:
        return _registry[name]()
    if name in installed(TASKS):
        with somebodys(f"the installed task {name!r}"):
            return installed(TASKS)[name].load()()
    raise InputError(f"there is no task {name!r}; known tasks: {', '.join(task_names())}")


@cache
def task_of(name: str) -> Task:
    """`load_task`, remembered, for those who ask a task for each of many puzzles."""
    return load_task(name)


def all_tasks() -> list[Task]:
    """Every known task, in the order of their names."""
    return [task_of(name) for name in task_names()]


def include(path: str | Path) -> None:
    """Run a user's own `my_task.py`, or a folder with an `__init__.py`, which registers its tasks
    (`--include`); once a process, however often it is named."""
    path = Path(path).resolve()
    if path in _included:
        return
    file = path / "__init__.py" if path.is_dir() else path
    name = f"erm_include_{path.stem}"
    if name in _included.values():
        name += f"_{len(_included)}"
    folders = [str(path)] if path.is_dir() else None
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=folders)
    if spec is None or spec.loader is None or not file.is_file():
        raise InputError(
            f"--include takes a Python file or a folder with __init__.py, but {path} is neither"
        )
    # Known before it runs: dataclasses and relative imports look for their own module.
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    with somebodys(f"--include {path}"):
        spec.loader.exec_module(module)
    _included[path] = name


def included_files() -> list[Path]:
    """What other processes have to `include` to know the same tasks."""
    return list(_included)
