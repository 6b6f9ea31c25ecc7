"""Steps of an explanation and broken rules in words, for terminal, page and JSON alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool

from erm.progress import counted
from erm.rulebook.answers import format_answer
from erm.rulebook.explain import Explanation, Level, Step, take
from erm.rulebook.registry import task_names, task_of
from erm.rulebook.rules import Violation
from erm.rulebook.task import Task
from erm.types import Puzzle

MOST_NAMED = 8
"""Cells that a sentence names before it only counts the others."""
SMALLEST_BLOCK = 4
"""Cells that a sentence names by their ends where they are a line or a block."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def say(task: Task, puzzle: Puzzle, domain: Bool[np.ndarray, "n S"], step: Step) -> str:
    """One step, given the domain before it."""
    left = domain[step.cell].copy()
    left[list(step.ruled_out)] = False
    cell = cell_name(puzzle, step.cell)
    what, rule = _what(task, cell, left, step), rule_words(task, step.rule)
    if step.level is Level.GUESS:
        return f"{what}: a guess, since no rule and no single trial tells"
    if step.level is Level.TRIAL:
        where = f" at {cell_names(puzzle, step.scope)}" if step.scope else ""
        why = f"otherwise “{rule}” would break{where}"
    else:
        where = f" ({cell_names(puzzle, step.scope)})" if step.scope else ""
        why = f"{rule}{where}"
    since = _since(task, puzzle, domain, step)
    return f"{what}: {why}{since}"


def step_json(
    task: Task, puzzle: Puzzle, domain: Bool[np.ndarray, "n S"], step: Step
) -> dict[str, Any]:
    """One step for machines, given the domain before it; states as answers write them."""
    left = take(domain, step)[step.cell]
    fixed = format_answer(task.to_answer(left.argmax()[None])) if left.sum() == 1 else None
    return {
        "cell": step.cell,
        "ruled_out": [state + task.first_state for state in step.ruled_out],
        "settled": fixed,
        "level": step.level.name.lower(),
        "rule": step.rule,
        "scope": list(step.scope),
        "because": list(step.because),
        "words": say(task, puzzle, domain, step),
    }


def ending(explanation: Explanation) -> str:
    """What a chain of steps amounts to."""
    if explanation.contradiction:
        return "no answer: the clues contradict each other"
    if explanation.solved:
        return f"grade {int(explanation.grade)} of 4: {explanation.grade.words}"
    if explanation.late:
        left = int((explanation.domain.sum(1) > 1).sum())
        return f"time is up: {counted(left, 'cell is', 'cells are')} still open"
    return "no answer follows: every trial that is left fails"


def broken(task: Task, puzzle: Puzzle, violation: Violation, verb: str = "is broken") -> str:
    """A broken rule and its culprits: "two 5s in row 1", "“no bulb sees another” is broken: r1c2,
    r1c6 are both a bulb"."""
    repeated = _repeated(task, violation.states) if violation.unit else ""
    if repeated:
        return f"{repeated} in {violation.unit}"
    at = "" if violation.clue is None else f" at {cell_name(puzzle, violation.clue)}"
    which = f"“{rule_words(task, violation.rule)}” {verb}{at}"
    if not violation.cells or len(violation.cells) == puzzle.cells:
        return which
    if violation.fault:
        return f"{which}: {_are(puzzle, violation.cells, violation.fault, alike=False)}"
    if not violation.states:
        return f"{which}: {cell_names(puzzle, violation.cells)}"
    groups: dict[int, list[int]] = {}
    for cell, state in zip(violation.cells, violation.states, strict=True):
        groups.setdefault(state, []).append(cell)
    groups_in_words = [
        _are(puzzle, own, task.state_word(state)) for state, own in sorted(groups.items())
    ]
    return f"{which}: {' and '.join(groups_in_words)}"


def rule_words(task: Task, rule: str) -> str:
    """A rule in words; its name where there are none."""
    return task.look.words.get(rule, rule)


def _repeated(task: Task, states: Iterable[int]) -> str:
    """ "two 5s and three 7s", by what stands there more than once."""
    counts = [(state, count) for state, count in sorted(Counter(states).items()) if count > 1]
    several = [
        f"{NUMBERS[count] if count < len(NUMBERS) else count} {task.state_word(state)}s"
        for state, count in counts
    ]
    return " and ".join(several)


def _are(puzzle: Puzzle, cells: Sequence[int], what: str, alike: bool = True) -> str:
    if len(cells) == 1:
        return f"{cell_name(puzzle, cells[0])} is {what}"
    together = ("both " if len(cells) == 2 else "all ") if alike else ""
    return f"{cell_names(puzzle, cells)} are {together}{what}"


def cell_name(puzzle: Puzzle, cell: int) -> str:
    """Row and column from 1, as r3c5; a variable of a board that is no lattice by its number."""
    if not _is_lattice(puzzle):
        return f"cell {cell}"
    row, column = divmod(cell, puzzle.width)
    return f"r{row + 1}c{column + 1}"


def cell_names(puzzle: Puzzle, cells: Sequence[int]) -> str:
    """One by one, or a line or block of cells by its ends, as "r1c1 to r1c9"."""
    block = _block(puzzle, cells)
    if block is not None:
        return f"{cell_name(puzzle, block[0])} to {cell_name(puzzle, block[1])}"
    named = [cell_name(puzzle, cell) for cell in cells[:MOST_NAMED]]
    rest = len(cells) - len(named)
    return ", ".join(named) + (f" and {rest} more" if rest > 0 else "")


def _is_lattice(puzzle: Puzzle) -> bool:
    """Whether cells have rows and columns; a task that is not registered is taken to have them."""
    known = puzzle.height > 1 or puzzle.task not in task_names()
    return known or task_of(puzzle.task).lattice


def _block(puzzle: Puzzle, cells: Sequence[int]) -> tuple[int, int] | None:
    """The first and last cell of a rectangle, where the cells are one."""
    if len(cells) < SMALLEST_BLOCK or not _is_lattice(puzzle):
        return None
    rows, columns = np.divmod(np.array(cells), puzzle.width)
    top, left, bottom, right = rows.min(), columns.min(), rows.max(), columns.max()
    if len(set(cells)) != (bottom - top + 1) * (right - left + 1):
        return None
    return int(top * puzzle.width + left), int(bottom * puzzle.width + right)


def _what(task: Task, cell: str, left: Bool[np.ndarray, " S"], step: Step) -> str:
    states = np.flatnonzero(left).tolist()
    if not states:
        return f"{cell} has no state left"
    if len(states) == 1:
        return f"{cell} is {task.state_word(states[0])}"
    lost = [task.state_word(state) for state in step.ruled_out]
    return f"{cell} is not {' or '.join(lost)}"


def _since(task: Task, puzzle: Puzzle, domain: Bool[np.ndarray, "n S"], step: Step) -> str:
    if not step.because:
        return ""
    fixed: dict[int, list[int]] = {}
    others: list[int] = []
    for cell in step.because:
        states = np.flatnonzero(domain[cell]).tolist()
        if len(states) == 1:
            fixed.setdefault(states[0], []).append(cell)
        else:
            others.append(cell)
    reasons = [
        _are(puzzle, cells, task.state_word(state), alike=len(cells) == 2)
        for state, cells in sorted(fixed.items())
    ]
    if others:
        reasons.append(f"of what is left to {cell_names(puzzle, others)}")
    return ", because " + " and ".join(reasons)
