"""`erm hint`: the next step of a puzzle, with the rule and the cells that force it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import tyro

if TYPE_CHECKING:
    import numpy as np
    from rich.console import Console

    from erm.rulebook.explain import Explanation, Step
    from erm.rulebook.task import Task
    from erm.types import Puzzle


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
    task: str | None = None
    """The task, for a text of your own."""
    json: bool = False
    """Print one JSON object for machines."""

    def run(self) -> int:
        from erm.cli.given import read_given
        from erm.cli.main import UNSOLVED
        from erm.rulebook.explain import explain, hint, take
        from erm.rulebook.partial import mistake, partial_domain
        from erm.rulebook.registry import load_task

        arguments = (self.puzzle,) if self.puzzle else ()
        puzzle = read_given(arguments, self.task, limit=1).puzzles[0]
        task = load_task(puzzle.task)
        rules = task.rules(puzzle)
        domain = rules.domain
        if self.partial is not None:
            domain = partial_domain(task, puzzle, self.partial)
            wrong = mistake(rules, domain)
            if wrong is not None:
                self.say(task, puzzle, *wrong, mistaken=True)
                return UNSOLVED
        if self.all:
            explanation = explain(rules, domain)
            if self.json:
                print(json.dumps(chain_json(task, puzzle, domain, explanation)))
            else:
                print("\n".join(chain_lines(task, puzzle, domain, explanation)))
            return 0 if explanation.solved else UNSOLVED
        step = hint(rules, domain)
        if step is not None:
            self.say(task, puzzle, domain, step)
            return 0 if take(domain, step)[step.cell].any() else UNSOLVED
        print("null" if self.json else "every cell is settled")
        return 0

    def say(
        self, task: Task, puzzle: Puzzle, domain: np.ndarray, step: Step, mistaken: bool = False
    ) -> None:
        """One step; `mistaken` where it rules out what is filled in."""
        from erm.rulebook.words import cell_name, say, step_json

        if self.json:
            print(json.dumps(step_json(task, puzzle, domain, step) | {"mistaken": mistaken}))
        else:
            wrong = f"{cell_name(puzzle, step.cell)} is filled in wrongly: " if mistaken else ""
            print(wrong + say(task, puzzle, domain, step))


def chain_lines(
    task: Task, puzzle: Puzzle, domain: np.ndarray, explanation: Explanation
) -> Iterator[str]:
    """An explanation as numbered sentences, and what it amounts to."""
    from erm.rulebook.explain import take
    from erm.rulebook.words import say

    for number, step in enumerate(explanation.steps, 1):
        yield f"{number}. {say(task, puzzle, domain, step)}"
        domain = take(domain, step)
    if explanation.contradiction:
        yield "no answer: the clues contradict each other"
    elif not explanation.solved:
        yield "no answer follows: every trial that is left fails"
    else:
        yield f"grade {int(explanation.grade)} of 4: {explanation.grade.words}"


def print_chain(console: Console, puzzle: Puzzle) -> None:
    """The whole chain of a puzzle, for `erm solve --explain`."""
    from erm.rulebook.explain import explain
    from erm.rulebook.registry import load_task

    task = load_task(puzzle.task)
    explanation = explain(task.rules(puzzle))
    for line in chain_lines(task, puzzle, task.domain(puzzle), explanation):
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def chain_json(
    task: Task, puzzle: Puzzle, domain: np.ndarray, explanation: Explanation
) -> dict[str, object]:
    from erm.rulebook.explain import take
    from erm.rulebook.words import step_json

    steps: list[dict[str, object]] = []
    for step in explanation.steps:
        steps.append(step_json(task, puzzle, domain, step))
        domain = take(domain, step)
    grade = explanation.grade
    return {
        "solved": explanation.solved,
        "grade": int(grade),
        "asks_for": grade.words,
        "steps": steps,
    }


COMMAND = Hint
