"""Prices: distances, and the cheapest answer against brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erm.rulebook import Among, Between, Enumerated, Exactly, Factor, Permutations, Preference
from erm.rulebook.complete import enumerate_answers
from erm.rulebook.energy import EnergySettings, rules_energy
from erm.rulebook.optimum import Optimum
from erm.rulebook.potential import Potential
from erm.rulebook.registry import load_task
from erm.rulebook.rules import Rules
from erm.types import Puzzle


class FirstIsNotLast(Potential):
    """A rule that the model does not have."""

    name = "first is not last"

    def violation(self, states):
        return (states[:, 0] == states[:, -1]).astype(float)

    def blame(self, states):
        return np.isin(np.arange(len(states)), (0, len(states) - 1))


def random_memory(rng: np.random.Generator, states: int, size: int):
    low = int(rng.integers(0, size + 1))
    count = Between(low, int(rng.integers(low, size + 1)), size)
    kind = rng.integers(4)
    if kind == 0 and states == 2:
        return count
    if kind == 1 and size == states:
        return Permutations(states)
    if kind == 2:
        of = rng.permutation(states)[: rng.integers(1, states)]
        return Among(count, tuple(of.tolist()), states)
    every = np.array(list(product(range(states), repeat=size)))
    return Enumerated(rng.permutation(every)[: rng.integers(1, len(every) + 1)], states)


def random_rules(seed: int) -> Rules:
    rng = np.random.default_rng(seed)
    cells, states = int(rng.integers(2, 6)), int(rng.integers(2, 4))

    def scopes(size: int) -> np.ndarray:
        return np.array([rng.choice(cells, size, replace=False) for _ in range(rng.integers(1, 4))])

    def some(most: int) -> list[int]:
        return [int(rng.integers(1, min(cells, 3) + 1)) for _ in range(rng.integers(0, most))]

    factors = [Factor("f", scopes(size), random_memory(rng, states, size)) for size in some(3)]
    whole = rng.random() < 0.5
    preferences = []
    for size in [1, *some(4)]:
        own = scopes(size)
        price = rng.integers(0, 5, len(own)) if whole else 3 * rng.random(len(own))
        preferences.append(Preference("p", own, random_memory(rng, states, size), price=price))
    domain = rng.random((cells, states)) < 0.9
    domain[~domain.any(1)] = True
    potentials = (FirstIsNotLast(),) if rng.random() < 0.3 else ()
    return Rules(domain, factors, potentials, preferences=preferences)


def every_answer(rules: Rules) -> np.ndarray:
    cells, states = rules.domain.shape
    return np.array(list(product(range(states), repeat=cells)))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_preference_costs_its_price_for_each_cell_that_must_change(seed):
    rules = random_rules(seed)
    every = every_answer(rules)
    total = np.zeros(len(every))
    for preference in rules.preferences:
        patterns = preference.memory.patterns()
        changes = (every[:, preference.scopes][:, :, None] != patterns).sum(-1).min(-1)
        total += (preference.prices * changes).sum(-1)
    np.testing.assert_allclose(rules.costs(every), total)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_cheapest_answer_is_found_and_proved(seed):
    rules = random_rules(seed)
    every = every_answer(rules)
    costs = rules.costs(every[rules.is_valid(every)])
    cheapest = costs.min() if len(costs) else np.inf
    optimum, bound = Optimum(rules, rules.domain), 0.0
    while not optimum.exhausted:
        assert bound - 1e-9 <= optimum.bound <= cheapest + 1e-6
        bound = optimum.bound
        optimum.step()
    assert optimum.optimal == (len(costs) > 0)
    if optimum.best is not None:
        assert optimum.cost == pytest.approx(cheapest, abs=1e-5)
        assert rules.is_valid(optimum.best[None])[0]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_counts_among_many_states_prune_as_their_listed_patterns_do(seed):
    rng = np.random.default_rng(seed)
    low = int(rng.integers(0, 4))
    of = tuple(rng.permutation(3)[: rng.integers(1, 3)].tolist())
    memory = Among(Between(low, int(rng.integers(low, 5)), 4), of, 3)
    listed = Enumerated(memory.patterns(), 3)
    scopes = np.array([[0, 1, 2, 3], [2, 3, 4, 5]])
    domain = rng.random((6, 3)) < 0.7
    every = np.array(list(product(range(3), repeat=4)))
    np.testing.assert_array_equal(memory.accepts(every), listed.accepts(every))
    np.testing.assert_array_equal(
        memory.supported(domain[scopes]), listed.supported(domain[scopes])
    )
    ours, theirs = (
        enumerate_answers(Rules(domain, (Factor("count", scopes, one),), ()), limit=800)
        for one in (memory, listed)
    )
    assert ours.exhausted and theirs.exhausted
    assert {*map(tuple, ours.answers.tolist())} == {*map(tuple, theirs.answers.tolist())}


def test_connectivity_is_kept_by_clauses_that_are_added_where_it_is_broken():
    task = load_task("heyawake")
    borders = {"right": np.zeros((4, 3), bool), "down": np.zeros((3, 4), bool)}
    puzzle = Puzzle("heyawake", 4, 4, {"clues": np.full((4, 4), -1, np.int8), **borders})
    plain = task.rules(puzzle)
    assert plain.potentials
    price = np.random.default_rng(0).integers(1, 6, 16)
    wish = Preference("wish", np.arange(16)[:, None], Enumerated(np.array([[1]]), 2), price=price)
    rules = Rules(plain.domain, plain.factors, plain.potentials, preferences=(wish,))
    optimum = Optimum(rules, rules.domain)
    while not optimum.exhausted:
        optimum.step()
    every = enumerate_answers(plain, limit=100_000)
    assert every.exhausted and optimum.cost == rules.costs(np.stack(every.answers)).min()


def test_an_answer_from_elsewhere_is_a_start():
    wishes = Preference("wish", np.arange(6)[:, None], Enumerated(np.array([[1]]), 2), price=2)
    rules = Rules(
        np.ones((6, 2), bool),
        (Factor("two", np.arange(6)[None], Exactly(2, 6)),),
        (),
        preferences=(wishes,),
    )
    optimum = Optimum(rules, rules.domain)
    assert optimum.note(np.array([1, 1, 0, 0, 0, 0]))
    assert not optimum.note(np.array([0, 1, 1, 0, 0, 0]))
    assert not optimum.optimal
    while not optimum.exhausted:
        optimum.step()
    assert (optimum.cost, optimum.bound, optimum.optimal) == (8.0, 8.0, True)


def test_the_energy_keeps_prices_apart_and_no_certificate_asks_for_them():
    wish = Preference("wish", np.array([[0], [1]]), Enumerated(np.array([[1]]), 2), price=[1, 5])
    one = Factor("one", np.arange(3)[None], Exactly(1, 3))
    rules = Rules(np.ones((3, 2), bool), (one,), (), preferences=(wish,))
    answers = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]])
    assert rules.is_valid(answers).tolist() == [True, True, True, False]
    assert not rules.violations(answers[2])
    terms = rules_energy(rules, answers, EnergySettings(tau=0.02, beta=128.0, price=0.5))
    np.testing.assert_allclose(terms.preferences["wish"], [2.5, 0.5, 3.0, 0.0])
    hard = sum(terms.factors.values())
    np.testing.assert_allclose(terms.total, hard + terms.preferences["wish"])
    assert terms.total.argmin() == 1
    assert terms[1:].preferences["wish"].tolist() == [0.5, 3.0, 0.0]


@pytest.mark.parametrize("price", [-1.0, float("nan"), [1.0, 2.0, 3.0]])
def test_prices_are_checked(price):
    with pytest.raises(ValueError, match="'wish' needs"):
        Preference("wish", np.array([[0], [1]]), Enumerated(np.array([[1]]), 2), price=price)


def test_a_preference_among_the_factors_is_an_error():
    wish = Preference("wish", np.array([[0]]), Enumerated(np.array([[1]]), 2))
    with pytest.raises(ValueError, match="'wish' is no factor"):
        Rules(np.ones((1, 2), bool), (wish,), ())
