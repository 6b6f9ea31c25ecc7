"""What the rulebook tells a network at each step, next to what the network then believes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from erm.drawing.words import cell_name, rule_words
from erm.model.narration import Moment, narrate
from erm.rulebook.answers import format_answer
from erm.rulebook.retrieve import EMPTY, REFUTED, Remark
from erm.rulebook.task import Task
from erm.search.problem import Problem
from erm.search.solver import Solver
from erm.types import Puzzle

EVERYTHING = 1 << 30
MOST = 4
"""Of what is said or changed in a step, before the rest is only counted."""
LOUD = 1.0
"""Nats of a memory's word that are worth telling; quieter ones hardly move a belief."""
Words = list[tuple[int, str]]
"""Cells, and what is said of each."""


@dataclass(frozen=True)
class Told:
    """One step of a candidate in words."""

    moment: Moment
    before: str
    """The likeliest state of each cell before the step, one character a cell."""
    after: str
    objections: Words
    """What the rulebook says against what was believed, the loudest first."""
    guesses: Words
    """What the candidate assumes, in the order in which it did."""
    turned: Words
    """Cells that it believes something else of after the step."""
    sure: float
    """The mean over cells of its belief in their likeliest state, after the step."""

    @property
    def hears(self) -> bool:
        return self.moment.channels is not None

    @property
    def contradicted(self) -> bool:
        return self.moment.contradicted

    def lines(self) -> Iterator[str]:
        """For a terminal."""
        itself = [(0, "that this contradicts itself")] if self.contradicted else []
        said = _few([*itself, *self.objections]) or "nothing against it"
        if not self.hears:
            said = "nothing: this network does not hear the rulebook"
        yield f"step {self.moment.step}: the rulebook says {said}"
        if self.guesses:
            yield f"  it assumes {_few(self.guesses)}"
        turned = _few(self.turned) or "what it did"
        yield f"  it now believes {turned} ({self.sure:.0%} sure per cell)"

    def to_json(self) -> dict[str, Any]:
        return {**self.moment.to_json(), "words": list(self.lines())}


def tell(solver: Solver, problem: Problem, seed: int, k: int, depth: int) -> Iterator[Told]:
    """Candidate k's plain rollout, step by step; nothing where there is no network, or one of
    tokens, which has no belief of states to tell."""
    if not solver.has_network or not solver.reasoner.config.structured:
        return
    for moment in narrate(solver.reasoner, problem.inputs, depth, problem.draw(seed, k)):
        yield in_words(problem.task, problem.puzzle, moment)


def in_words(task: Task, puzzle: Puzzle, moment: Moment) -> Told:
    cells = puzzle.cells
    before, after = (belief[:cells].argmax(-1) for belief in (moment.believed, moment.believes))
    against = [
        one
        for one in moment.remarks(most=EVERYTHING)
        if one.channel != EMPTY and one.cell < cells and _objects(one, int(before[one.cell]))
    ]

    def is_now(cell: int, state: int) -> tuple[int, str]:
        return cell, f"{cell_name(puzzle, cell)} {task.state_word(state)}"

    return Told(
        moment,
        format_answer(before + task.first_state),
        format_answer(after + task.first_state),
        list(_by_cell(task, puzzle, against)),
        [is_now(one.cell, one.state) for one in moment.guesses if one.holds],
        [is_now(cell, state) for cell, state in moment.turned() if cell < cells],
        float(moment.believes[:cells].max(-1).mean()),
    )


def _objects(remark: Remark, likeliest: int) -> bool:
    """Whether it speaks, aloud, against what was believed of its cell."""
    if remark.state is not None and (remark.state == likeliest) != _denies(remark):
        return False
    return abs(remark.strength) >= LOUD


def _denies(remark: Remark) -> bool:
    return remark.channel == REFUTED or remark.strength < 0


def _by_cell(task: Task, puzzle: Puzzle, against: Sequence[Remark]) -> Iterator[tuple[int, str]]:
    """The loudest objection to each cell with all the rules that raise it: "r1c2 is not 5 (each
    digit once in a row, each digit once in a box)"."""
    reasons: dict[int, tuple[str, list[str]]] = {}
    for remark in against:
        said, why = _said(task, remark)
        words, known = reasons.setdefault(remark.cell, (said, []))
        if said == words and why not in known:
            known.append(why)
    for cell, (said, whys) in reasons.items():
        yield cell, f"{cell_name(puzzle, cell)} {said} ({', '.join(whys)})"


def _said(task: Task, remark: Remark) -> tuple[str, str]:
    """What is said of a cell, and by which rule."""
    _, _, rule = remark.channel.partition(": ")
    why = rule_words(task, rule) if rule else "by all rules together"
    if remark.state is None:
        return "does not fit", why
    return f"{'is not' if _denies(remark) else 'is'} {task.state_word(remark.state)}", why


def _few(said: Sequence[tuple[int, str]]) -> str:
    more = f" and {len(said) - MOST} more" if len(said) > MOST else ""
    return ", ".join(words for _, words in said[:MOST]) + more
