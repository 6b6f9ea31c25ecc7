"""What mined memories are worth: solving and selecting by the rules, by the memories, by both."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from erm.errors import InputError
from erm.evaluate.weights import chooses_right, fit_weights, labelled_pools
from erm.progress import progress_bar
from erm.rulebook.complete import enumerate_answers
from erm.rulebook.energy import EnergyTerms, rules_energy
from erm.rulebook.mined import Mined
from erm.rulebook.rules import Rules
from erm.rulebook.task import Task
from erm.search.pool import CandidatePool
from erm.types import Puzzle

NODES = 20_000
"""Guesses after which the search for a board's answers gives up."""
ALL, RULES, MINED, BOTH = "all rules", "rules", "mined", "rules and mined"

Rulebook = Callable[[Puzzle], Rules]


@dataclass
class Solved:
    """Boards by what complete search under a rulebook makes of them."""

    right: int = 0
    """The rulebook leaves one answer, and it is the right one."""
    several: int = 0
    """It leaves others too."""
    wrong: int = 0
    """It rules the right answer out."""
    undecided: int = 0


def rulebooks(task: Task, mined: Mined, without: Collection[str] = ()) -> dict[str, Rulebook]:
    """The rulebooks to compare: as it is written, without some of its rules, with memories."""
    return {
        **({ALL: task.rules} if without else {}),
        RULES: partial(_with, task, None, without),
        MINED: partial(_mined_alone, task, mined),
        BOTH: partial(_with, task, mined, without),
    }


def check_rules(task: Task, puzzles: Sequence[Puzzle], names: Collection[str]) -> None:
    """An InputError unless the task has rules of these names."""
    known = {rule.name for one in puzzles for rule in _named_rules(task.rules(one))}
    for name in names:
        if name not in known:
            raise InputError(
                f"{task.name} has no rule {name!r} on these boards, only {', '.join(sorted(known))}"
            )


def _named_rules(rules: Rules) -> Sequence[Any]:
    return (*rules.factors, *rules.potentials)


def _with(task: Task, mined: Mined | None, without: Collection[str], puzzle: Puzzle) -> Rules:
    rules = task.rules(puzzle)
    factors = [factor for factor in rules.factors if factor.name not in without]
    potentials = [one for one in rules.potentials if one.name not in without]
    more = [] if mined is None else mined.factors(task, puzzle)
    return replace(rules, factors=[*factors, *more], potentials=potentials)


def _mined_alone(task: Task, mined: Mined, puzzle: Puzzle) -> Rules:
    return Rules(task.domain(puzzle), mined.factors(task, puzzle), (), task.printed)


def solve_all(
    task: Task, puzzles: Sequence[Puzzle], books: Mapping[str, Rulebook], quiet: bool = False
) -> dict[str, Solved]:
    """What complete search makes of boards whose answers are known, by each rulebook."""
    found = {name: Solved() for name in books}
    with progress_bar(quiet) as bar:
        shown = bar.add_task("solving", total=len(puzzles) * len(books), note="")
        for puzzle in puzzles:
            for name, book in books.items():
                if puzzle.answer is not None:
                    _solve(task, puzzle, book(puzzle), found[name])
                bar.update(shown, advance=1, note=name)
    return found


def _solve(task: Task, puzzle: Puzzle, rules: Rules, count: Solved) -> None:
    label = task.to_states(puzzle, puzzle.answer if puzzle.answer is not None else [])
    if not rules.is_valid(label[None])[0]:
        count.wrong += 1
        return
    search = enumerate_answers(rules, 2, NODES)
    if len(search.answers) > 1:
        count.several += 1
    elif search.exhausted:
        count.right += 1
    else:
        count.undecided += 1


def select_all(
    task: Task,
    run: str | Path,
    books: Mapping[str, Rulebook],
    data: str | Path | None = None,
    quiet: bool = False,
) -> dict[str, Any]:
    """Of how many saved pools each rulebook's energy takes the right candidate; with
    memories also by fitted weights, each on pools that were not fitted on."""
    settings = replace(task.settings, soft=False, gamma=0.0)

    def terms(book: Rulebook, puzzle: Puzzle, pool: CandidatePool) -> EnergyTerms:
        return rules_energy(book(puzzle), task.to_states(puzzle, pool.answers), settings)

    rows: dict[str, Any] = {}
    for name, book in books.items():
        pools = labelled_pools(run, data, partial(terms, book), quiet)
        rows[name] = sum(chooses_right(one, {}) for one in pools)
        if name in (MINED, BOTH):
            rows[f"{name}, fitted"] = fit_weights(pools).held_out
        rows["oracle"] = sum(bool(one.right.any()) for one in pools)
        rows["pools"] = len(pools)
    return rows


def describe(solved: Mapping[str, Solved]) -> dict[str, Any]:
    return {name: asdict(one) for name, one in solved.items()}
