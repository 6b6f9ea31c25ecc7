"""Links and files of puzzles, asked of their tasks."""

from __future__ import annotations

import numpy as np

from erm.puzzles import pzprv3
from erm.puzzles.links import Linked
from erm.rulebook.registry import all_tasks, task_of
from erm.types import Puzzle


def linked_task(puzzle: Puzzle) -> Linked:
    task = task_of(puzzle.task)
    assert isinstance(task, Linked)
    return task


def link(puzzle: Puzzle, answer: np.ndarray | None = None) -> str:
    return linked_task(puzzle).link(puzzle, answer)


def file(puzzle: Puzzle, answer: np.ndarray | None = None) -> str:
    return pzprv3.format(puzzle, linked_task(puzzle).alphabet.file, answer)


def names() -> list[str]:
    """Every name that a link may have."""
    linked = [task for task in all_tasks() if isinstance(task, Linked)]
    return sorted(name for task in linked for name in task.alphabet.names)
