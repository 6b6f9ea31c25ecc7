"""Mined memories: what solved boards never show, as rules where a rulebook is unfinished."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int

from erm.errors import InputError
from erm.files import write_json
from erm.grid import OFF_BOARD, cell_ids, neighbours, ring
from erm.rulebook.answers import format_answer, parse_answer
from erm.rulebook.factor import Factor
from erm.rulebook.memory import Enumerated, pattern_codes
from erm.rulebook.task import Task
from erm.types import Puzzle

MOST_PATTERNS = 1 << 12
"""Scopes with more possible patterns are not mined: no number of boards would show them all."""
Scopes = Mapping[str, Int[np.ndarray, "j s"]]
"""By key: scopes of one key share a memory, as those around equal clues do."""


def scopes_of(task: Task, puzzle: Puzzle, kind: str) -> Scopes:
    """The places of a kind on a board: window:HxW; beside and around, the four or eight cells by
    each printed clue, by the clue; pairs, any two cells of a group of the task's partitions; or one
    that `Task.scopes` names."""
    named = task.scopes(puzzle)
    if kind in named:
        return {"": np.asarray(named[kind], np.int64)}
    if kind in ("beside", "around"):
        cells = neighbours(*puzzle.shape) if kind == "beside" else ring(*puzzle.shape)
        return _by_clue(task, puzzle, cells)
    if kind == "pairs":
        return _pairs(task.partitions(puzzle))
    if kind.startswith("window:"):
        height, width = _window(kind)
        ids = cell_ids(*puzzle.shape)
        if height > puzzle.height or width > puzzle.width:
            return {}
        views = np.lib.stride_tricks.sliding_window_view(ids, (height, width))
        return {"": views.reshape(-1, height * width).astype(np.int64)}
    known = ", ".join(["window:HxW", "beside", "around", "pairs", *named])
    raise InputError(f"there are no scopes {kind!r} of {task.name}; known: {known}")


def _window(kind: str) -> tuple[int, int]:
    sides = kind.removeprefix("window:").split("x")
    if len(sides) != 2 or not all(side.isdigit() and int(side) for side in sides):
        raise InputError(f"a window is window:HxW, as window:2x2, got {kind!r}")
    return int(sides[0]), int(sides[1])


def _by_clue(task: Task, puzzle: Puzzle, around: Int[np.ndarray, "n d"]) -> Scopes:
    if not task.givens:
        raise InputError(f"the task {task.name} names no givens, so it has no clues to look around")
    name, given = next(iter(task.givens.items()))
    printed = puzzle.givens[name].reshape(puzzle.cells, -1)
    found: dict[str, list[np.ndarray]] = {}
    for cell in np.flatnonzero((printed != given.blank).any(1)).tolist():
        there = around[cell] != OFF_BOARD
        clue = ",".join(map(str, sorted(printed[cell].tolist())))
        key = f"{clue} {''.join('.#'[int(not one)] for one in there)}"
        found.setdefault(key, []).append(around[cell][there])
    return {key: np.array(scopes, np.int64) for key, scopes in found.items()}


def _pairs(partitions: Int[np.ndarray, "P n"]) -> Scopes:
    found: dict[str, np.ndarray] = {}
    for number, groups in enumerate(partitions):
        members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
        pairs = [pair for cells in members for pair in combinations(cells.tolist(), 2)]
        if pairs:
            found[str(number)] = np.array(pairs, np.int64)
    return found


def every_pattern(states: int, size: int) -> Int[np.ndarray, "m s"]:
    """All patterns of a scope, the code of each being its place."""
    every = np.array(list(product(range(states), repeat=size)), np.int64).reshape(-1, size)
    return every[:, ::-1]


@dataclass(frozen=True, eq=False)
class MinedRule:
    """Patterns that are missing from the scopes of one kind and key, though chance would have
    shown them."""

    kind: str
    key: str
    states: int
    forbidden: Int[np.ndarray, "m s"]
    expected: float
    """Boards that would show the most likely of them, were the cells independent."""
    confidence: float
    """How likely the next board agrees, by leaving out one board at a time."""

    @property
    def name(self) -> str:
        return f"mined {self.kind} {self.key}".rstrip()

    @cached_property
    def memory(self) -> Enumerated:
        every = every_pattern(self.states, self.forbidden.shape[1])
        codes = pattern_codes(self.forbidden, self.states)
        return Enumerated(np.delete(every, codes, 0), self.states)

    def describe(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "key": self.key,
            "states": self.states,
            "forbidden": [format_answer(pattern) for pattern in self.forbidden],
            "expected": round(self.expected, 1),
            "confidence": round(self.confidence, 4),
        }


@dataclass(frozen=True, eq=False)
class Mined:
    """All that was mined for a task."""

    task: str
    boards: int
    rules: Sequence[MinedRule]

    def factors(self, task: Task, puzzle: Puzzle) -> list[Factor]:
        """The mined rules on a board; none of a clue or size that was never seen."""
        found: list[Factor] = []
        states = task.states_of(puzzle)
        for kind in dict.fromkeys(rule.kind for rule in self.rules):
            scopes = scopes_of(task, puzzle, kind)
            found += [
                Factor(rule.name, scopes[rule.key], rule.memory)
                for rule in self.rules
                if rule.kind == kind and rule.key in scopes and rule.states == states
            ]
        return found

    def save(self, path: str | Path) -> None:
        rules = [rule.describe() for rule in self.rules]
        write_json(Path(path), {"task": self.task, "boards": self.boards, "rules": rules})

    @classmethod
    def load(cls, path: str | Path) -> Mined:
        """What `erm mine` wrote."""
        try:
            fields = json.loads(Path(path).read_text("utf-8"))
            rules = [
                MinedRule(
                    str(one["kind"]),
                    str(one["key"]),
                    int(one["states"]),
                    np.array([parse_answer(p, len(p)) for p in one["forbidden"]], np.int64),
                    float(one["expected"]),
                    float(one["confidence"]),
                )
                for one in fields["rules"]
            ]
            return cls(str(fields["task"]), int(fields["boards"]), rules)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path} is no file of mined memories: {error}") from None
