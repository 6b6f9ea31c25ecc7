"""Puzzles from a rulebook alone: a filled board by random search, clues taken away while the
answer stays the only one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from jaxtyping import Int

from erm.errors import InputError
from erm.rulebook.complete import enumerate_answers
from erm.rulebook.generator import Generator
from erm.rulebook.rules import Rules
from erm.rulebook.task import Data
from erm.types import Puzzle

PROOF = 20_000
"""Nodes after which a search for a second answer gives up, and the clue stays."""
ATTEMPT, ATTEMPTS = 2_000, 20
"""Nodes of one random search for a filled board, and how many start anew."""
SHARES = (0.15, 0.6)
"""Between which shares of all clues a board that need not be minimal keeps, where it can."""
USUAL_SIDE = 6

Entry = tuple[str, int]
"""One printed clue: the name of its array and its place in it."""


def fill(rules: Rules, rng: np.random.Generator) -> Int[np.ndarray, " n"] | None:
    """States of a random answer; None where none was found. Not every answer is equally likely."""
    for _ in range(ATTEMPTS):
        found = enumerate_answers(rules, 1, ATTEMPT, rng=rng)
        if len(found.answers):
            return found.answers[0]
        if found.exhausted:
            return None
    return None


def count_answers(task: Data, puzzle: Puzzle) -> int | None:
    """0, 1, or 2 for more, proved by complete search; None where that gives up."""
    found = enumerate_answers(task.rules(puzzle), 2, PROOF)
    if len(found.answers) < 2 and not found.exhausted:
        return None
    return len(found.answers)


@dataclass(frozen=True)
class ClueGenerator(Generator):
    """Boards from the rulebook alone, with one solution proved by complete search; killed, the
    same command continues."""

    task: ClassVar[type[Data]]

    minimal: bool = False
    """Take clues away until every one that is left is needed: harder puzzles."""

    def check(self, height: int, width: int) -> None:
        """A size exists where the task's own text can hold it."""
        task = self.task()
        text = task.format(task.blank(height, width, np.random.default_rng(0)))
        if task.parse(text).shape != (height, width):
            raise InputError(f"there are no {task.name} boards of {height}x{width}")

    def make(self, height: int, width: int, rng: np.random.Generator) -> Iterator[Puzzle]:
        task = self.task()
        board = task.blank(height, width, rng)
        states = fill(task.rules(board), rng)
        if states is None:
            return
        answer = task.to_answer(states)
        printed = task.clues(board, answer)
        if printed is None:
            raise InputError(f"the task {task.name} has no clues(puzzle, answer)")
        puzzle = replace(board, givens={**board.givens, **printed}, answer=answer)
        if broken := task.violations(puzzle, answer):
            raise InputError(
                f"clues() of {task.name} prints what contradicts the answer: {broken[0].rule}"
            )
        if count_answers(task, puzzle) == 1:
            entries = list(_entries(board.givens, printed))
            share = 0.0 if self.minimal else rng.uniform(*SHARES)
            order = [entries[at] for at in rng.permutation(len(entries))]
            yield _thinned(task, puzzle, board, order, round(share * len(entries)))


def _entries(blank: Mapping[str, np.ndarray], printed: Mapping[str, np.ndarray]) -> Iterator[Entry]:
    for name, array in printed.items():
        for at in np.flatnonzero(array != blank[name]).tolist():
            yield name, at


def _thinned(
    task: Data, puzzle: Puzzle, blank: Puzzle, order: Sequence[Entry], keep: int
) -> Puzzle:
    """Without the clues that are not needed, taken away in that order until `keep` are left."""
    most = len(order) - keep
    # Uniqueness is lost once and for all: the longest beginning that can go is found by halving.
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        if count_answers(task, without(puzzle, blank, order[:middle])) == 1:
            low = middle
        else:
            high = middle
    gone = list(order[:low])
    for entry in order[low + 1 :]:
        if len(gone) >= most:
            break
        if count_answers(task, without(puzzle, blank, [*gone, entry])) == 1:
            gone.append(entry)
    return without(puzzle, blank, gone)


def without(puzzle: Puzzle, blank: Puzzle, gone: Sequence[Entry]) -> Puzzle:
    """The puzzle with some clues as on the blank board."""
    givens = {name: array.copy() for name, array in puzzle.givens.items()}
    for name, at in gone:
        givens[name].flat[at] = blank.givens[name].flat[at]
    return replace(puzzle, givens=givens)


def generator_of(task: type[Data]) -> type[Generator]:
    """The generator of a task with clues."""
    side = task.sides[len(task.sides) // 2] if task.sides else USUAL_SIDE
    usual = f"{side}x{side}" if task.lattice else f"1x{side * side}"
    members = {"task": task, "usual_size": usual, "__doc__": ClueGenerator.__doc__}
    return type(f"{task.__name__}Generator", (ClueGenerator,), members)
