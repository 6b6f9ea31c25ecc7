"""Mutated rulebooks: each ends in an InputError or works, and none ends the process."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from erm.errors import InputError
from erm.grid import cell_ids, neighbours
from erm.rulebook import (
    Among,
    AtMost,
    Enumerated,
    Exactly,
    Factor,
    Permutations,
    Potential,
    Preference,
    Puzzle,
    Task,
    energy,
    load_task,
)
from erm.rulebook.complete import enumerate_answers
from erm.rulebook.propagate import prune
from erm.rulebook.propagation.parts import Connected, Part, Permuted, Scopes, SeededAreas
from erm.rulebook.retrieve import advise, channels_of
from erm.rulebook.rules import Rules

SIDE, CELLS = 2, 4
PUZZLE = Puzzle("lights", SIDE, SIDE, {})


class Lights(Task):
    """Any rules on 2 x 2 cells."""

    name = "lights"

    def __init__(self, domain: Any, factors: Any, potentials: Any = (), preferences: Any = ()):
        self.states = domain.shape[-1] if isinstance(domain, np.ndarray) and domain.ndim else 2
        self.own = domain, factors, potentials, preferences

    def domain(self, puzzle: Puzzle) -> Any:
        return self.own[0]

    def factors(self, puzzle: Puzzle) -> Any:
        return self.own[1]

    def potentials(self, puzzle: Puzzle) -> Any:
        return self.own[2]

    def preferences(self, puzzle: Puzzle) -> Any:
        return self.own[3]


class Compiled(Potential):
    """A rule with given parts that no answer breaks."""

    name = "compiled"

    def __init__(self, part: Part) -> None:
        self.part = part

    def violation(self, states: np.ndarray) -> np.ndarray:
        return np.zeros(len(states))

    def blame(self, states: np.ndarray) -> np.ndarray:
        return np.zeros(states.shape, bool)

    def parts(self) -> tuple[Part, ...]:
        return (self.part,)


class Adding(Compiled):
    """A rule whose `prune` gives states back."""

    name = "adding"

    def parts(self) -> None:
        return None

    def prune(self, domain: np.ndarray) -> np.ndarray:
        return np.ones_like(domain)


def free(states: int = 2) -> np.ndarray:
    return np.ones((CELLS, states), bool)


def use(task: Task) -> None:
    """All that reads a rulebook: checker, energy, propagation, complete search."""
    rules = task.rules(PUZZLE)
    answer = np.zeros(CELLS, np.int64)
    task.violations(PUZZLE, answer)
    task.cost(PUZZLE, answer)
    energy(task, PUZZLE, answer[None])
    prune(rules, rules.domain[None])
    belief = (rules.domain / rules.domain.sum(1, keepdims=True))[None].astype(np.float32)
    advise([rules], belief, channels_of([rules], propagation=True))
    enumerate_answers(rules, 2, 50)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (Lights(free(), [Factor("row", np.array([[0, 99]]), Exactly(1, 2))]), "cell 99.*0 to 3"),
        (Lights(free(), [Factor("row", np.array([[0, -1]]), Exactly(1, 2))]), "cell -1"),
        (Lights(free(), [Factor("row", cell_ids(2, 2), Exactly(1, 3))]), "2 cells.*is for 3"),
        (Lights(free(3), [Factor("row", cell_ids(2, 2), Exactly(1, 2))]), "2 states.*has 3"),
        (Lights(free(), [Factor("", cell_ids(2, 2), Exactly(1, 2))]), "needs a name"),
        (Lights(free()[:3], []), r"shape \[4, 2\]"),
        (Lights(free().astype(int), []), "array of bool"),
        (Lights(free(), None), "factors must be a list"),
        (Lights(free(), [], [Compiled(Permuted(cell_ids(1, 4)))]), "'compiled'.*2 cells"),
        (Lights(free(), [], [Adding(Permuted(cell_ids(1, 4)))]), "prune of rule 'adding'"),
        (Lights(free(), [Preference("wish", cell_ids(2, 2), AtMost(1, 2))]), "is no factor"),
    ],
)
def test_a_wrong_rulebook_is_one_sentence(task: Lights, message: str, unchecked: None):
    if "adding" in message:
        task.own = free() & (np.arange(2) == 0), *task.own[1:]
    with pytest.raises(InputError, match=message):
        use(task)


def test_the_message_names_task_and_rule():
    task = Lights(free(), [Factor("row", np.array([[0, 99]]), Exactly(1, 2))])
    with pytest.raises(InputError, match="the rulebook of lights: scopes of rule 'row' name"):
        task.rules(PUZZLE)


numbers = st.integers(-2, CELLS + 1)


def whole(*sides: tuple[int, int], elements: st.SearchStrategy[int] = numbers):
    shape = st.tuples(*(st.integers(*side) for side in sides))
    dtype = st.sampled_from([np.int64, np.int32, np.int8])
    return st.tuples(dtype, shape).flatmap(lambda one: arrays.arrays(*one, elements=elements))


def memories() -> st.SearchStrategy[Any]:
    size, states = st.integers(1, 3), st.integers(1, 3)
    return st.one_of(
        st.builds(Exactly, numbers, size),
        st.builds(Permutations, size),
        states.flatmap(
            lambda s: st.builds(Among, st.builds(AtMost, numbers, size), st.just((0,)), st.just(s))
        ),
        states.flatmap(
            lambda s: whole((0, 2), (1, 3), elements=st.integers(0, s - 1)).map(
                lambda found: Enumerated(np.unique(found.astype(np.int64), axis=0), s)
            )
        ),
    )


def factors() -> st.SearchStrategy[Factor]:
    clues = st.none() | st.just(np.array([0]))
    made = st.tuples(whole((0, 2), (0, 3)), memories(), clues)
    return made.filter(lambda one: one[2] is None or len(one[0]) == 1).map(
        lambda one: Factor("rule", *one)
    )


def parts() -> st.SearchStrategy[Part]:
    small = st.integers(-1, 6)
    each = st.integers(0, 2).flatmap(
        lambda j: st.tuples(
            *(arrays.arrays(np.int64, j, elements=small) for _ in range(2)),
            arrays.arrays(np.int64, st.integers(0, 4), elements=numbers),
            *(arrays.arrays(np.int64, j, elements=small) for _ in range(2)),
            arrays.arrays(np.int64, st.integers(0, 6), elements=small),
            small,
        )
    )
    around = st.just(neighbours(SIDE, SIDE)) | whole((3, 5), (0, 2))
    return st.one_of(
        each.map(lambda one: Scopes(*one)),
        whole((0, 2), (1, 3)).map(Permuted),
        st.builds(Connected, whole((3, 5)), around, st.booleans()),
        st.builds(SeededAreas, small, whole((0, 2)), whole((0, 2)), around),
    )


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(
    st.integers(1, 3),
    st.lists(factors(), max_size=2),
    st.lists(parts().map(Compiled), max_size=1),
)
def test_no_mutated_rulebook_ends_the_process(
    unchecked: None, states: int, factors: list[Factor], potentials: list[Potential]
):
    try:
        use(Lights(free(states), factors, potentials))
    except InputError as error:
        assert str(error).startswith("the rulebook of lights: ")


def test_rules_of_real_puzzles_pass_and_a_shifted_scope_does_not():
    task = load_task("sudoku")
    rules = task.rules(task.parse("." * 16))
    shifted = [Factor(one.name, one.scopes + 1, one.memory) for one in rules.factors]
    with pytest.raises(InputError, match="rule 'row' name cell 16"):
        Rules(rules.domain, shifted, ())
