"""`erm hint`: the next step of a puzzle, with the rule and the cells that force it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import tyro

from erm.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from rich.console import Console

    from erm.rulebook.explain import Explanation, Step, Walk
    from erm.rulebook.task import Task
    from erm.search.problem import Problem
    from erm.types import Puzzle

SECONDS = 60.0
"""Time for a chain of steps: a large board with many answers would take hours."""


@dataclass
class Hint:
    """Say what follows next, by which rule and from which cells; no network is asked.

    Examples:

    erm hint 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79

    erm hint 'https://puzz.link/p?nurikabe/8/8/q4g5n6w3o4o6h1' --json
    """

    puzzle: Annotated[str, tyro.conf.Positional] = ""
    """A puzzle as `erm solve` takes it; of a file or of what is piped in, the first."""
    partial: str | None = None
    """What is filled in so far: an answer with . for every open cell, row by row."""
    all: bool = False
    """The whole chain to the answer, and the puzzle's grade."""
    seconds: float = SECONDS
    """Most time to find it; boards that people solve take a fraction of a second."""
    task: str | None = None
    """The task, for a text of your own."""
    json: bool = False
    """Print one JSON object for machines."""

    def run(self) -> int:
        from erm.cli.given import read_given
        from erm.cli.main import UNSOLVED
        from erm.rulebook.explain import Walk, take
        from erm.rulebook.partial import mistake, partial_domain
        from erm.rulebook.registry import load_task

        if not self.seconds > 0:
            raise InputError(f"--seconds must be above 0, got {self.seconds:g}")
        arguments = (self.puzzle,) if self.puzzle else ()
        puzzle = read_given(arguments, self.task, limit=1).puzzles[0]
        task = load_task(puzzle.task)
        rules = task.rules(puzzle)
        domain = rules.domain
        if self.partial is not None:
            domain = partial_domain(task, puzzle, self.partial)
            wrong = mistake(rules, domain, self.seconds)
            if wrong is not None:
                self.say(task, puzzle, *wrong, mistaken=True)
                return UNSOLVED
        walk = Walk(rules, domain, self.seconds)
        if self.all:
            for line in chain_lines(task, puzzle, walk):
                if not self.json:
                    print(line, flush=True)
            if self.json:
                print(json.dumps(chain_json(task, puzzle, domain, walk.explanation)))
            return 0 if walk.explanation.solved else UNSOLVED
        step = next(walk, None)
        if step is not None:
            self.say(task, puzzle, domain, step)
            return 0 if take(domain, step)[step.cell].any() else UNSOLVED
        if self.json:
            print("null")
        else:
            print("no step was found in time" if walk.late else "every cell is settled")
        return UNSOLVED if walk.late else 0

    def say(
        self, task: Task, puzzle: Puzzle, domain: np.ndarray, step: Step, mistaken: bool = False
    ) -> None:
        """One step; `mistaken` where it rules out what is filled in."""
        from erm.drawing.words import cell_name, say, step_json

        if self.json:
            print(json.dumps(step_json(task, puzzle, domain, step) | {"mistaken": mistaken}))
        else:
            wrong = f"{cell_name(puzzle, step.cell)} is filled in wrongly: " if mistaken else ""
            print(wrong + say(task, puzzle, domain, step))


def chain_lines(task: Task, puzzle: Puzzle, walk: Walk) -> Iterator[str]:
    """A chain of steps as numbered sentences, each as it is found, and what it amounts to."""
    from erm.drawing.words import ending, say

    before = walk.domain
    for number, step in enumerate(walk, 1):
        yield f"{number}. {say(task, puzzle, before, step)}"
        before = walk.domain
    yield ending(walk.explanation)


def print_chain(console: Console, puzzle: Puzzle, seconds: float | None) -> None:
    """The whole chain of a puzzle, for `erm solve --explain`."""
    from erm.rulebook.explain import Walk
    from erm.rulebook.registry import load_task

    task = load_task(puzzle.task)
    for line in chain_lines(task, puzzle, Walk(task.rules(puzzle), seconds=seconds or SECONDS)):
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def explained_json(problem: Problem, seconds: float | None) -> dict[str, object] | None:
    """The whole chain for `erm solve --explain --json`; null where the cheapest answer is chosen,
    not forced."""
    from erm.rulebook.explain import explain

    rules = problem.rules
    if rules.preferences:
        return None
    explanation = explain(rules, seconds=seconds or SECONDS)
    return chain_json(problem.task, problem.puzzle, rules.domain, explanation)


def chain_json(
    task: Task, puzzle: Puzzle, domain: np.ndarray, explanation: Explanation
) -> dict[str, object]:
    from erm.drawing.words import ending, step_json
    from erm.rulebook.explain import take

    steps: list[dict[str, object]] = []
    for step in explanation.steps:
        steps.append(step_json(task, puzzle, domain, step))
        domain = take(domain, step)
    grade = explanation.grade
    return {
        "solved": explanation.solved,
        "grade": int(grade),
        "asks_for": grade.words,
        "words": ending(explanation),
        "steps": steps,
    }


COMMAND = Hint
