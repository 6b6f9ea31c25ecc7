"""Hints and walks ask inside long steps whether anybody waits, and so give way to others."""

import itertools
from collections.abc import Callable

import pytest

from erm.rulebook.registry import load_task
from erm.search.problem import Problem
from erm.web import reasons
from erm.web.jobs import Cancelled
from erm.web.reasons import Gone

WHITE = "https://puzz.link/p?lightup/30/30/" + "z" * 45
"""No rule and no trial says anything: one step takes longer than anybody waits."""


def hint(problem: Problem, gone: Gone) -> object:
    return reasons.next_hint(problem, "." * problem.puzzle.cells, gone)


@pytest.mark.parametrize("reason", [hint, reasons.whole_walk])
def test_one_long_step_is_left_when_nobody_waits(reason: Callable, monkeypatch):
    monkeypatch.setattr(reasons, "SECONDS", 1e9)
    task = load_task("lightup")
    asked = itertools.count()
    with pytest.raises(Cancelled):
        reason(Problem(task, task.parse(WHITE)), lambda: next(asked) == 10)
