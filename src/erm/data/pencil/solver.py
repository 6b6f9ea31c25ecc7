"""Clingo on one board: find answers, count them, ask for another one under chosen clues."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import TypeVar

import numpy as np
from jaxtyping import Int

from erm.data.pencil.facts import ENCODINGS, facts
from erm.errors import InputError, install_command
from erm.types import Puzzle

try:
    import clingo
except ModuleNotFoundError as error:  # pragma: no cover - depends on the installation
    raise InputError(
        f"proving boards unique needs clingo: {install_command('generate')}"
    ) from error


T = TypeVar("T")

PATIENCE = "20000,umax"
"""Conflicts after which a generator gives a board up: a person would have done so long before."""


class Undecided(Exception):
    """The search for another answer was given up; an outcome of generation, never of a proof."""


@cache
def _encoding(task: str) -> str:
    folder = files("erm.data") / "encodings"
    return "\n".join((folder / f"{name}.lp").read_text() for name in ENCODINGS[task])


class Solver:
    """The rules and one printed board, grounded once; questions about it keep what was learned.

    Its answers depend on nothing but the board and the questions before, so that a
    generator that owns its solvers is deterministic.
    """

    def __init__(
        self, task: str, height: int, width: int, board: str, optional: bool = False
    ) -> None:
        self.control = clingo.Control(
            [f"-cheight={height}", f"-cwidth={width}", "--warn=none"], message_limit=0
        )
        self.control.add("base", [], _encoding(task) + board + ("optional." if optional else ""))
        self.control.ground([("base", [])])
        atoms = self.control.symbolic_atoms
        self._on = [0] * (height * width)
        for atom in atoms.by_signature("on", 1):
            self._on[atom.symbol.arguments[0].number] = atom.literal
        self.needed: set[int] = set()
        self.asked: dict[int, int] = {}
        if optional:
            for atom in atoms.by_signature("asked", 1):
                self.asked[atom.symbol.arguments[0].number] = atom.literal

    @classmethod
    def of(cls, puzzle: Puzzle) -> Solver:
        return cls(puzzle.task, puzzle.height, puzzle.width, facts(puzzle))

    def answers(self, limit: int = 0) -> Iterator[Int[np.ndarray, " n"]]:
        """Answers one by one, at most `limit` of them where it is not 0."""
        self._set(models=limit, solve_limit="umax,umax")
        with self.control.solve(yield_=True) as handle:
            for model in handle:
                yield self._read(model)

    def forbid(self, answer: np.ndarray) -> None:
        """From now on this one is no answer."""
        body = [
            literal if state else -literal
            for literal, state in zip(self._on, answer.tolist(), strict=True)
            if literal
        ]
        with self.control.backend() as backend:
            backend.add_rule([], body)

    def another(self, clues: Iterable[int] | None = None) -> Int[np.ndarray, " n"] | None:
        """An answer that is not forbidden, with only the given clues asked where the board
        was grounded with optional ones; None proves that there is none, and then `needed`
        holds clues that the proof used. Raises Undecided after too many conflicts."""
        return self._ask(clues, self._read)

    def is_unique(self, clues: Iterable[int] | None = None) -> bool:
        """Whether the given clues leave nothing but what is forbidden; see `another`."""
        return self._ask(clues, lambda _: True) is None

    def _ask(self, clues: Iterable[int] | None, read: Callable[[clingo.Model], T]) -> T | None:
        chosen = set(clues or ())
        assumptions = [literal if x in chosen else -literal for x, literal in self.asked.items()]
        self._set(models=1, solve_limit=PATIENCE)
        with self.control.solve(yield_=True, assumptions=assumptions) as handle:
            model = handle.model()
            if model is not None:
                return read(model)
            if not handle.get().unsatisfiable:
                raise Undecided
            core = set(handle.core())
        self.needed = {x for x, literal in self.asked.items() if literal in core}
        return None

    def _set(self, **options: object) -> None:
        for name, value in options.items():
            setattr(self.control.configuration.solve, name, value)

    def _read(self, model: clingo.Model) -> Int[np.ndarray, " n"]:
        return np.array([bool(x) and model.is_true(x) for x in self._on], np.int8)


def solve(puzzle: Puzzle) -> Int[np.ndarray, " n"] | None:
    """Some answer to the puzzle, or None where it has none."""
    return next(Solver.of(puzzle).answers(1), None)


def count_solutions(puzzle: Puzzle, limit: int = 2) -> int:
    """How many answers the puzzle has, counted no further than `limit`."""
    return sum(1 for _ in Solver.of(puzzle).answers(limit))
