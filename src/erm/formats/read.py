"""One way to read any text into a puzzle: every known task is asked whether it is its own."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from erm.errors import InputError
from erm.puzzles import links
from erm.rulebook.registry import all_tasks, load_task, task_of
from erm.rulebook.task import Task
from erm.types import Puzzle

T = TypeVar("T")


def read_text(text: str, task: str | None = None, prefer: Collection[str] = ()) -> Puzzle:
    """The puzzle of a text, of `task` where that is named; else the text has to tell it.

    Of several tasks that a text fits, one in `prefer` is taken; no other guess is made.
    """
    return (load_task(task) if task else tell(text, prefer)).parse(text)


def tell(text: str, prefer: Collection[str] = ()) -> Task:
    """The task that recognises a text, or the only one it resembles, which can say what is wrong;
    InputError where that is none, or where several fit."""
    if not text.strip():
        raise InputError(f"the puzzle is empty; {_wanted()}")
    fitting = recognising(text)
    if len(fitting) > 1:
        fitting = [task for task in fitting if task.name in prefer] or fitting
    if len(fitting) > 1:
        names = " and ".join(task.name for task in fitting)
        raise InputError(f"{_shown(text)} fits {names} alike; say which with --task")
    if fitting:
        return fitting[0]
    links.refuse_elsewhere(text)
    if links.is_address(text):
        known = sorted(name for task in all_tasks() for name in _link_names(task))
        raise InputError(
            f"{(links.name_of(text) or '')[:40]!r} names no puzzle of a link; known are "
            f"{', '.join(known)}, as in {links.SITE}{known[0]}/5/5/…"
        )
    resembling = [task for task in all_tasks() if task.resembles(text)]
    if len(resembling) == 1:
        return resembling[0]
    raise InputError(f"{_shown(text)} is no puzzle that we can read; {_wanted()}")


def recognising(text: str) -> list[Task]:
    """All tasks that take a text for their own."""
    return [task for task in all_tasks() if task.recognises(text)]


class Teller:
    """Reads one text after the other: those of a file mostly are of one task, so the last one is
    tried before the others are asked."""

    def __init__(self, task: str | None = None, prefer: Collection[str] = ()) -> None:
        self.named = task_of(task) if task else None
        self.prefer = prefer
        self.last = self.named

    def read(self, text: str, parse: Callable[[Task], T]) -> T:
        """`parse` with the task that a text is of.

        Where a task is named, texts that it cannot read but another can are that one's.
        """
        if self.last is None:
            self.last = tell(text, self.prefer)
            return parse(self.last)
        try:
            return parse(self.last)
        except InputError:
            if self.named:
                others = [] if self.named.recognises(text) else recognising(text)
            else:
                others = [tell(text, self.prefer)]
            if not others or others[0].name == self.last.name:
                raise
        if self.named is None:
            self.last = others[0]
        return parse(others[0])


def _link_names(task: Task) -> tuple[str, ...]:
    return task.alphabet.names if isinstance(task, links.Linked) else ()


def _wanted() -> str:
    """What every task would read, alike ones together."""
    names: dict[str, list[str]] = {}
    for task in all_tasks():
        names.setdefault(task.text_format, []).append(task.name)
    kinds = "; ".join(f"{', '.join(alike)}: {wanted}" for wanted, alike in names.items())
    return f"wanted are {kinds}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")
