"""Mining: which patterns do solved boards never show, although chance would have shown them?

The null is that the cells of a scope are independent, each place with its own share of states. A
pattern that this would put on many boards and that is on none is taken for forbidden. How far that
can be trusted is measured by leaving out one board at a time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Int

from erm.errors import InputError
from erm.progress import progress_bar
from erm.rulebook.memory import pattern_codes
from erm.rulebook.mined import MOST_PATTERNS, Mined, MinedRule, every_pattern, scopes_of
from erm.rulebook.task import Task
from erm.types import Puzzle

KINDS = ("window:1x2", "window:2x1", "window:2x2", "beside")
"""What is mined where nothing is named."""
DOUBT = 0.01
"""How likely one of the patterns of a place may be missing by chance."""
FEWEST = 8
"""Boards that must show a place before its patterns are judged."""


@dataclass
class _Seen:
    """What the boards show in the scopes of one kind, key and number of states."""

    states: int
    size: int
    counts: list[Int[np.ndarray, " m"]] = field(default_factory=list)
    """How often each pattern is on each board."""
    places: list[Int[np.ndarray, "s S"]] = field(default_factory=list)
    """How often each place of the scope has each state."""

    def add(self, local: Int[np.ndarray, "j s"]) -> None:
        codes = pattern_codes(local, self.states)
        self.counts.append(np.bincount(codes, minlength=self.states**self.size))
        one_hot = local[..., None] == np.arange(self.states)
        self.places.append(one_hot.sum(0))

    def expected(self) -> tuple[np.ndarray, np.ndarray]:
        """How many boards would show each pattern, and all patterns."""
        counts, places = np.array(self.counts), np.array(self.places)
        shares = places.sum(0) / counts.sum()
        every = every_pattern(self.states, self.size)
        chance = shares[np.arange(self.size), every].prod(1)
        boards = (1 - np.exp(-counts.sum(1)[:, None] * chance)).sum(0)
        return boards, every


def mine(
    task: Task,
    puzzles: Sequence[Puzzle],
    kinds: Sequence[str] = KINDS,
    confidence: float = 0.9,
    doubt: float = DOUBT,
    quiet: bool = False,
) -> Mined:
    """The memories that solved boards give, those of at least that confidence.

    A pattern that holds a smaller one which is forbidden already is not told again.
    """
    solved = [puzzle for puzzle in puzzles if puzzle.answer is not None]
    if not solved:
        raise InputError(f"none of these {task.name} boards has an answer to learn from")
    rules: list[MinedRule] = []
    with progress_bar(quiet) as bar:
        shown = bar.add_task("mining", total=len(kinds) * len(solved), note="")
        for kind in kinds:
            seen: dict[tuple[str, int], _Seen] = {}
            for puzzle in solved:
                _look(task, puzzle, kind, seen)
                bar.update(shown, advance=1, note=kind)
            for (key, _), found in sorted(seen.items()):
                rule = _rule(kind, key, found, rules, doubt)
                if rule is not None and rule.confidence >= confidence:
                    rules.append(rule)
    return Mined(task.name, len(solved), rules)


def _look(task: Task, puzzle: Puzzle, kind: str, seen: dict[tuple[str, int], _Seen]) -> None:
    assert puzzle.answer is not None, "only solved boards are looked at"
    answer, states = task.to_states(puzzle, puzzle.answer), task.states_of(puzzle)
    for key, scopes in scopes_of(task, puzzle, kind).items():
        size = scopes.shape[1]
        if states**size > MOST_PATTERNS:
            raise InputError(
                f"{kind} has {states}^{size} patterns, more than {MOST_PATTERNS}; mine smaller ones"
            )
        seen.setdefault((key, states), _Seen(states, size)).add(answer[scopes])


def _rule(
    kind: str, key: str, seen: _Seen, known: Sequence[MinedRule], doubt: float
) -> MinedRule | None:
    if len(seen.counts) < FEWEST:
        return None
    boards, every = seen.expected()
    surprising = boards >= math.log(len(every) / doubt)
    shown_on = (np.array(seen.counts) > 0).sum(0)
    missing = surprising & (shown_on == 0) & ~_told(kind, every, seen.states, known)
    if not missing.any():
        return None
    # A pattern on one board alone would have been forbidden by what the others show.
    alone = (np.array(seen.counts) > 0) & (surprising & (shown_on == 1))
    wrong = int(alone.any(1).sum())
    trust = 1 - (wrong + 1) / (len(seen.counts) + 2)
    return MinedRule(kind, key, seen.states, every[missing], float(boards[missing].max()), trust)


def _told(
    kind: str, every: Int[np.ndarray, "m s"], states: int, known: Sequence[MinedRule]
) -> Bool[np.ndarray, " m"]:
    """Which patterns of a window hold a smaller window's forbidden one."""
    told = np.zeros(len(every), bool)
    if not kind.startswith("window:"):
        return told
    height, width = map(int, kind.removeprefix("window:").split("x"))
    boards = every.reshape(-1, height, width)
    for rule in known:
        if not rule.kind.startswith("window:") or rule.states != states:
            continue
        h, w = map(int, rule.kind.removeprefix("window:").split("x"))
        if h <= height and w <= width:
            parts = np.lib.stride_tricks.sliding_window_view(boards, (h, w), axis=(1, 2))
            told |= ~rule.memory.accepts(parts.reshape(len(boards), -1, h * w)).all(1)
    return told
