"""What the first searches would wait for, done in advance: networks are loaded, kernels
compiled where this machine has not done so yet."""

from __future__ import annotations

from threading import Thread

from erm.rulebook.compiling import notice
from erm.rulebook.explain import explain
from erm.rulebook.registry import load_task, task_names
from erm.web.checkpoints import Checkpoints

SECONDS = 0.5
"""Time to explain one small board, which needs every kernel of the rules."""


def warm_up_aside(checkpoints: Checkpoints) -> Thread:
    """In a thread of its own, which ends with the server."""
    notice.always = True
    thread = Thread(target=warm_up, args=(checkpoints,), name="warm up", daemon=True)
    thread.start()
    return thread


def warm_up(checkpoints: Checkpoints) -> None:
    """Look at the first example of every task that has one and can be searched."""
    for name in task_names():
        task = load_task(name)
        examples = task.look.gallery()
        if not examples or not checkpoints.of_task(name):
            continue
        puzzle = task.parse(examples[0].text)
        _, solver = checkpoints.solver(name)
        solver.solve(puzzle, width=1, depth=2, mode="full")
        solver.solve(puzzle, width=1, depth=2)
        explain(solver.problem(puzzle).rules, seconds=SECONDS)
