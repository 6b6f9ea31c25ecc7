"""What the rulebook tells a network at each step, next to what the network then believes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from erm.model.narration import Moment, narrate
from erm.rulebook.retrieve import EMPTY, REFUTED, Remark
from erm.rulebook.task import Task
from erm.rulebook.words import cell_name, rule_words
from erm.search.problem import Problem
from erm.search.solver import Solver
from erm.types import Puzzle

STEPS = 6
"""Steps of the first candidate that are told."""
EVERYTHING = 1 << 30
MOST = 4
"""Of what is said or changed in a step, before the rest is only counted."""


def print_narration(console: Console, solver: Solver, problem: Problem, seed: int) -> None:
    """The first candidate's first steps, for `erm solve --explain`."""
    if not solver.has_network:
        return
    task, puzzle = problem.task, problem.puzzle
    console.print("what the first candidate heard and then believed", style="bold")
    for moment in narrate(solver.reasoner, problem.inputs, STEPS, problem.draw(seed, 0)):
        for line in narration_lines(task, puzzle, moment):
            console.print(line, soft_wrap=True, highlight=False, markup=False)


def narration_lines(task: Task, puzzle: Puzzle, moment: Moment) -> Iterator[str]:
    """One step: the rulebook's word, the guesses that stand, and the cells that turned."""
    said = moment.remarks(most=EVERYTHING)
    likeliest = moment.believed.argmax(-1)
    against = [one for one in said if _objects(one, int(likeliest[one.cell]))]
    heard = _few([_said(task, puzzle, remark) for remark in against])
    if moment.channels is None:
        heard = "nothing: this network does not hear the rulebook"
    yield f"step {moment.step}: the rulebook says {heard or 'nothing against it'}"
    held = [one for one in moment.guesses if one.holds]
    if held:
        guesses = [f"{cell_name(puzzle, one.cell)} {task.state_word(one.state)}" for one in held]
        yield f"  it assumes {_few(guesses)}"
    turned = [f"{cell_name(puzzle, cell)} {task.state_word(s)}" for cell, s in moment.turned()]
    sure = moment.believes.max(-1).mean()
    yield f"  it now believes {_few(turned) or 'what it did'} ({sure:.0%} sure per cell)"


def _objects(remark: Remark, likeliest: int) -> bool:
    """Whether it speaks against what was believed of its cell."""
    return remark.state is None or (remark.state == likeliest) == _denies(remark)


def _denies(remark: Remark) -> bool:
    return remark.channel == REFUTED or remark.strength < 0


def _said(task: Task, puzzle: Puzzle, remark: Remark) -> str:
    """ "r1c2 is not 5 (refuted)", "r3c4 is 7 (each digit once in a row)"."""
    if remark.channel == EMPTY:
        return "that this contradicts itself"
    where, (kind, _, rule) = cell_name(puzzle, remark.cell), remark.channel.partition(": ")
    why = rule_words(task, rule) if rule else kind
    if remark.state is None:
        return f"{where} does not fit ({why})"
    verb = "is not" if _denies(remark) else "is"
    return f"{where} {verb} {task.state_word(remark.state)} ({why})"


def _few(said: Sequence[str]) -> str:
    more = f" and {len(said) - MOST} more" if len(said) > MOST else ""
    return ", ".join(said[:MOST]) + more
