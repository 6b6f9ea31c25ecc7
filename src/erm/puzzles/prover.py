"""Clingo on one board: find answers, count them, ask for another one under chosen clues.

The encodings are a second opinion to the rulebooks: written from the rules, never derived from
them; their only input is what is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from jaxtyping import Int

from erm.errors import InputError, install_command

if TYPE_CHECKING:
    import clingo
else:
    try:
        import clingo
    except ModuleNotFoundError:  # An extra: Sudokus and mazes are made and judged without it.
        clingo = None

T = TypeVar("T")

PATIENCE = "20000,umax"
"""Conflicts after which a generator gives a board up: a person would have done so long before."""

SIGNAL_CHECK = 0.1
"""Seconds between two checks for signals: clingo itself checks none."""
SMALL = 144
"""Cells of a board whose questions take milliseconds, so that a thread for each would cost a
quarter of a generator's time."""


class Undecided(Exception):
    """The search for another answer was given up; an outcome of generation, never of a proof."""


@cache
def encoding(*paths: str) -> str:
    """The text of encodings, by their paths under `erm/puzzles`."""
    folder = files("erm.puzzles")
    return "\n".join((folder / path).read_text("utf-8") for path in paths)


def printed(givens: Mapping[str, np.ndarray]) -> str:
    """The arrays of a board as facts, `printed(NAME, CELL, VALUE)`, or `(…, SLOT, VALUE)` where a
    cell has several; cells are numbered row by row over the whole board."""
    width = max(array.shape[1] for array in givens.values())
    facts: list[str] = []
    for name, array in givens.items():
        for (row, column, *slot), value in np.ndenumerate(array):
            place = "".join(f"{number}," for number in (row * width + column, *slot))
            facts.append(f"printed({name},{place}{int(value)}).")
    return "".join(facts)


def derived(rules: str, facts: str, shape: tuple[int, int]) -> str:
    """What an encoding without choices shows about a board, as facts in a fixed order."""
    control = _control(shape)
    control.add("base", [], rules + facts)
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        model = handle.model()
        assert model is not None, "an encoding that is worked out first leaves no choice"
        return "".join(f"{symbol}." for symbol in sorted(model.symbols(shown=True)))


class Prover:
    """The rules and one printed board, grounded once; questions about it keep what was learned.

    Its answers depend on nothing but the board and the questions before, so that a
    generator that owns its provers is deterministic.
    """

    def __init__(
        self, rules: str, facts: str, shape: tuple[int, int], optional: bool = False
    ) -> None:
        """The text of an encoding and what is known of a board; `optional` clues bind where a
        question asks them."""
        self.control = _control(shape)
        self.control.add("base", [], rules + facts + ("optional." if optional else ""))
        self.control.ground([("base", [])])
        atoms = self.control.symbolic_atoms
        self._on = [0] * (shape[0] * shape[1])
        for atom in atoms.by_signature("on", 1):
            self._on[atom.symbol.arguments[0].number] = atom.literal
        self.needed: set[int] = set()
        self.asked: dict[int, int] = {}
        """The literal of each optional clue, by its cell."""
        if optional:
            for atom in atoms.by_signature("asked", 1):
                self.asked[atom.symbol.arguments[0].number] = atom.literal

    def answers(self, limit: int = 0) -> Iterator[Int[np.ndarray, " n"]]:
        """Answers one by one, at most `limit` of them where it is not 0."""
        self._set(models=limit, solve_limit="umax,umax")
        with self.control.solve(yield_=True, async_=True) as handle:
            while (model := _next_model(handle)) is not None:
                yield self._read(model)
                handle.resume()

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
        long = len(self._on) > SMALL
        with self.control.solve(yield_=True, async_=long, assumptions=assumptions) as handle:
            model = _next_model(handle) if long else handle.model()
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


def _next_model(handle: clingo.SolveHandle) -> clingo.Model | None:
    """Of a search in a thread of its own; None where there is no other. When a signal's handler
    raises, the search is left, and cancelled as its handle is closed."""
    while not handle.wait(SIGNAL_CHECK):
        pass
    return handle.model()


def _control(shape: tuple[int, int]) -> clingo.Control:
    if clingo is None:
        raise InputError(f"proving boards unique needs clingo: {install_command('generate')}")
    options = [f"-cheight={shape[0]}", f"-cwidth={shape[1]}", "--warn=none"]
    return clingo.Control(options, message_limit=0)


def thin_out(
    prover: Prover, clues: set[int], rng: np.random.Generator, keep: int, minimal: bool
) -> set[int]:
    """Drop clues in random order, as long as no second answer appears, until `keep` are left.

    `prover` has the answer forbidden and proves all `clues` together sufficient. With
    `minimal` the number does not matter: every clue that is left is needed.
    """
    left = set(clues)
    if minimal and prover.is_unique(left):
        # What a proof did not use is not needed, and need not be tried clue by clue.
        left &= prover.needed
    for clue in rng.permutation(sorted(left)).tolist():
        if not minimal and len(left) <= keep:
            break
        if clue in left and prover.is_unique(left - {clue}):
            left = left & prover.needed if minimal else left - {clue}
    return left
