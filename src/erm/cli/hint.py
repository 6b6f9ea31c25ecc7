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

    from erm.rulebook.explain import Explanation, Level, Step
    from erm.rulebook.task import Task
    from erm.types import Puzzle

OPEN = ".?"
"""What stands for an open cell in a partial answer."""


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
        from erm.rulebook.registry import load_task

        arguments = (self.puzzle,) if self.puzzle else ()
        puzzle = read_given(arguments, self.task, limit=1).puzzles[0]
        task = load_task(puzzle.task)
        domain = partial_domain(task, puzzle, self.partial)
        rules = task.rules(puzzle)
        if self.all:
            explanation = explain(rules, domain)
            if self.json:
                print(json.dumps(chain_json(task, puzzle, domain, explanation)))
            else:
                print("\n".join(chain_lines(task, puzzle, domain, explanation)))
            return 0 if explanation.solved else UNSOLVED
        step = hint(rules, domain)
        if self.json:
            print(json.dumps(step and step_json(task, puzzle, domain, step)))
        elif step is None:
            print("every cell is settled")
        else:
            from erm.rulebook.words import say

            print(say(task, puzzle, domain, step))
        return UNSOLVED if step is not None and not take(domain, step)[step.cell].any() else 0


def partial_domain(task: Task, puzzle: Puzzle, partial: str | None) -> np.ndarray:
    """What is left to each cell once a partial answer is filled in."""
    from erm.rulebook.answers import parse_answer

    domain = task.domain(puzzle)
    if partial is None:
        return domain
    if len(partial) != puzzle.cells:
        raise InputError(
            f"--partial has {len(partial)} characters, but the board has {puzzle.cells} cells; "
            "write . for an open one"
        )
    filled = [cell for cell, written in enumerate(partial) if written not in OPEN]
    answer = parse_answer("".join(partial[cell] for cell in filled), len(filled))
    states = answer.astype(int) - task.first_state
    if ((states < 0) | (states >= domain.shape[1])).any():
        raise InputError(f"--partial has a state that no cell of this {task.name} takes")
    clash = [cell for cell, state in zip(filled, states, strict=True) if not domain[cell, state]]
    if clash:
        from erm.rulebook.words import cell_name

        raise InputError(f"--partial contradicts what is printed at {cell_name(puzzle, clash[0])}")
    domain[filled] = False
    domain[filled, states] = True
    return domain


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
        yield f"grade {int(explanation.grade)} of 4: {grade_words(explanation.grade)}"


def print_chain(console: Console, puzzle: Puzzle) -> None:
    """The whole chain of a puzzle, for `erm solve --explain`."""
    from erm.rulebook.explain import explain
    from erm.rulebook.registry import load_task

    task = load_task(puzzle.task)
    explanation = explain(task.rules(puzzle))
    for line in chain_lines(task, puzzle, task.domain(puzzle), explanation):
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def grade_words(level: Level) -> str:
    from erm.rulebook.explain import Level

    return {
        Level.ONE_RULE: "one rule at a time",
        Level.SEVERAL_RULES: "several rules at once",
        Level.TRIAL: "trials of one state",
        Level.GUESS: "guesses",
    }[level]


def step_json(task: Task, puzzle: Puzzle, domain: np.ndarray, step: Step) -> dict[str, object]:
    from erm.rulebook.words import say

    return {
        "cell": step.cell,
        "ruled_out": [state + task.first_state for state in step.ruled_out],
        "level": step.level.name.lower(),
        "rule": step.rule,
        "scope": list(step.scope),
        "because": list(step.because),
        "words": say(task, puzzle, domain, step),
    }


def chain_json(
    task: Task, puzzle: Puzzle, domain: np.ndarray, explanation: Explanation
) -> dict[str, object]:
    from erm.rulebook.explain import take

    steps: list[dict[str, object]] = []
    for step in explanation.steps:
        steps.append(step_json(task, puzzle, domain, step))
        domain = take(domain, step)
    return {"solved": explanation.solved, "grade": int(explanation.grade), "steps": steps}


COMMAND = Hint
