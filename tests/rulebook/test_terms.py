"""The energy of Eq. 3: terms, switches, clamping, pools of many puzzles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from brute_force import free_energy as brute_force
from brute_force import random_costs

from erm.rulebook.counting import AtMost, Exactly
from erm.rulebook.energy import EnergySettings, EnergyTerms, pool_energy, rules_energy
from erm.rulebook.factor import Factor
from erm.rulebook.memory import CLAMPED, Enumerated
from erm.rulebook.permanent import Permutations
from erm.rulebook.potential import Potential
from erm.rulebook.rules import Rules

SIDE = 4
SOFT = EnergySettings(tau=1.0, soft=True)
HARD = EnergySettings(tau=0.02, beta=128.0, mu=64.0)


class Diagonal(Potential):
    """The first cell says at least what the last one does; a rule made up for these tests."""

    name = "diagonal"

    def violation(self, states):
        return np.maximum(states[:, -1] - states[:, 0], 0).astype(float)

    def blame(self, states):
        return np.isin(np.arange(len(states)), (0, len(states) - 1))


ROWS = Factor("row", np.arange(16).reshape(SIDE, SIDE), Permutations(SIDE))
COLUMNS = Factor("column", np.arange(16).reshape(SIDE, SIDE).T.copy(), Permutations(SIDE))
SOLUTION = np.array([[3, 0, 1, 2], [0, 1, 2, 3], [1, 2, 3, 0], [2, 3, 0, 1]]).ravel()


def latin(*clues: int, extra: tuple[Factor, ...] = ()) -> Rules:
    """A Latin square with the given cells of the solution printed."""
    domain = np.ones((16, SIDE), bool)
    for cell in clues:
        domain[cell] = np.arange(SIDE) == SOLUTION[cell]
    return Rules(domain, (ROWS, COLUMNS, *extra), (Diagonal(),))


def some_log_probs(seed: int, *pool: int) -> torch.Tensor:
    return torch.log_softmax(random_costs(seed, *pool, 16, SIDE, scale=8.0), -1)


def some_states(seed: int, *pool: int) -> np.ndarray:
    states = np.random.default_rng(seed).integers(0, SIDE, (*pool, 16))
    states[..., 0, :] = SOLUTION
    return states


def summed(terms: EnergyTerms) -> np.ndarray:
    parts = [*terms.factors.values(), *terms.potentials.values()]
    return sum(parts) + (0 if terms.confidence is None else terms.confidence)


@pytest.mark.parametrize(
    "settings", [SOFT, HARD, replace(SOFT, gamma=0.3), replace(HARD, gamma=2.0)]
)
def test_terms_add_up_to_the_total(settings):
    terms = rules_energy(latin(0, 5), some_states(0, 6), settings, some_log_probs(0, 6))
    assert terms.total.shape == (6,)
    np.testing.assert_allclose(summed(terms), terms.total, rtol=1e-13)
    assert (terms.confidence is not None) == (settings.gamma != 0)
    one = terms[2]
    assert one.total == terms.total[2]
    assert one.factors["row"] == terms.factors["row"][2]


@pytest.mark.parametrize("tau", [0.02, 1.0])
def test_soft_energy_is_equation_6(tau):
    log_probs = some_log_probs(1, 5)
    terms = rules_energy(latin(), some_states(1, 5), replace(SOFT, tau=tau, mu=0.0), log_probs)
    cost = -log_probs
    expected = sum(
        brute_force(factor.memory, cost[:, factor.scopes], tau).sum(-1)
        for factor in (ROWS, COLUMNS)
    )
    np.testing.assert_allclose(terms.total, expected.numpy(), rtol=1e-12)


def test_soft_energy_clamps_what_is_printed():
    """A model that is sure of another digit in a clue's cell is not believed."""
    log_probs = some_log_probs(2, 3)
    wrong = log_probs.clone()
    wrong[:, 5] = torch.log_softmax(20.0 * (torch.arange(SIDE) != SOLUTION[5]).double(), -1)
    rules, states = latin(5), some_states(2, 3)
    ours = rules_energy(rules, states, SOFT, wrong)
    np.testing.assert_array_equal(ours.total, rules_energy(rules, states, SOFT, log_probs).total)
    cost = -log_probs.clone()
    cost[:, 5] = CLAMPED
    cost[:, 5, SOLUTION[5]] = 0.0
    expected = brute_force(ROWS.memory, cost[:, ROWS.scopes], 1.0).sum(-1)
    np.testing.assert_allclose(ours.factors["row"], expected.numpy(), rtol=1e-12)


def test_a_state_of_probability_zero_stays_finite():
    log_probs = some_log_probs(3, 2)
    log_probs[0, :, 1] = -torch.inf
    assert np.isfinite(rules_energy(latin(), some_states(3, 2), SOFT, log_probs).total).all()


def test_decoded_energy_is_equation_7():
    states = some_states(4, 6)
    terms = rules_energy(latin(0, 5), states, HARD)
    off = (states[:, [0, 5]] != SOLUTION[[0, 5]]).sum(-1)
    np.testing.assert_allclose(terms.factors["clue"], 128.0 * off)
    cost = torch.from_numpy((states[..., None] != np.arange(SIDE)) * 128.0 / SIDE)
    expected = brute_force(ROWS.memory, cost[:, ROWS.scopes], 0.02).sum(-1)
    np.testing.assert_allclose(terms.factors["row"], expected.numpy(), atol=1e-9)
    np.testing.assert_allclose(
        terms.potentials["diagonal"], 64.0 * np.maximum(states[:, -1] - states[:, 0], 0)
    )
    assert terms.total.argmin() == 0
    assert abs(terms.total[0]) < 1e-9


def test_switches():
    rules, states, log_probs = latin(0, 5), some_states(5, 6), some_log_probs(5, 6)
    full = rules_energy(rules, states, HARD, log_probs)
    local = rules_energy(rules, states, replace(HARD, mu=0.0), log_probs)
    assert not local.potentials["diagonal"].any()
    np.testing.assert_allclose(local.total, sum(full.factors.values()))
    quarter = rules_energy(rules, states, replace(HARD, weight=0.25), log_probs)
    for name, value in full.factors.items():
        np.testing.assert_allclose(quarter.factors[name], 0.25 * value)
    mixed = rules_energy(rules, states, replace(HARD, gamma=3.0), log_probs)
    free = np.setdiff1d(np.arange(16), [0, 5])
    confidence = log_probs.max(-1).values[:, free].mean(-1).numpy()
    np.testing.assert_allclose(mixed.confidence, -3.0 * confidence)
    np.testing.assert_allclose(mixed.total, full.total - 3.0 * confidence)
    with pytest.raises(ValueError, match="tau"):
        EnergySettings(tau=0.0)


def test_confidence_of_a_board_without_free_cells_is_zero():
    rules = latin(*range(16))
    terms = rules_energy(rules, SOLUTION[None], replace(HARD, gamma=1.0), some_log_probs(6, 1))
    assert terms.confidence is not None
    assert terms.confidence.tolist() == [0.0]


def test_rules_without_factors_have_energy_zero():
    empty = Rules(np.ones((3, 2), bool), (), ())
    assert rules_energy(empty, np.zeros((4, 3), np.int64), HARD).total.tolist() == [0.0] * 4


@pytest.mark.parametrize("settings", [SOFT, HARD, replace(SOFT, gamma=0.5)])
def test_a_pool_of_puzzles_equals_one_at_a_time(settings):
    """Rows and columns are shared by all, the third factor belongs to one puzzle alone."""
    corner = Factor("corner", np.array([[0, 1]]), Enumerated(np.array([[3, 0], [1, 1]]), SIDE))
    rulebooks = [latin(0, 5), latin(3), latin(7, 8, extra=(corner,)), latin()]
    states, log_probs = some_states(7, 4, 5), some_log_probs(7, 4, 5)
    pool = pool_energy(rulebooks, states, settings, log_probs)
    assert pool.total.shape == (4, 5)
    for index, rules in enumerate(rulebooks):
        one = rules_energy(rules, states[index], settings, log_probs[index])
        np.testing.assert_allclose(pool.total[index], one.total, rtol=1e-13, atol=1e-12)
        for name, value in one.factors.items():
            np.testing.assert_allclose(pool.factors[name][index], value, rtol=1e-13, atol=1e-12)
        for name, value in one.potentials.items():
            np.testing.assert_array_equal(pool.potentials[name][index], value)
    assert not pool.factors["corner"][[0, 1, 3]].any()


def test_energy_takes_any_number_of_leading_axes():
    rules, states, log_probs = latin(5), some_states(8, 2, 3, 4), some_log_probs(8, 2, 3, 4)
    deep = rules_energy(rules, states, SOFT, log_probs).total
    flat = rules_energy(rules, states.reshape(-1, 16), SOFT, log_probs.reshape(-1, 16, SIDE)).total
    np.testing.assert_allclose(deep.ravel(), flat)
    assert rules_energy(rules, states[0, 0, 0], SOFT, log_probs[0, 0, 0]).total.shape == ()


def test_valid_answers_and_only_those_have_no_violation():
    rules = latin(0, 5)
    swapped = SOLUTION.copy()
    swapped[[1, 2]] = swapped[[2, 1]]
    off_clue = (SOLUTION + 1) % SIDE
    states = np.stack([SOLUTION, swapped, off_clue])
    assert rules.is_valid(states).tolist() == [True, False, False]
    assert rules.violations(SOLUTION) == []
    broken = rules.violations(swapped)
    assert {violation.rule for violation in broken} == {"column"}
    assert {violation.scope for violation in broken} == {(1, 5, 9, 13), (2, 6, 10, 14)}
    assert all(len(violation.cells) == 2 for violation in broken)
    assert [violation.rule for violation in rules.violations(off_clue)] == ["clue", "diagonal"]


def test_binary_board_ranks_the_valid_answer_first():
    """At tau 0.02 and beta 128 no number of near misses outweighs one broken rule."""
    factors = (
        Factor("sight line", np.arange(36).reshape(1, 36), AtMost(1, 36)),
        Factor("room", np.arange(36).reshape(1, 36), Exactly(1, 36)),
    )
    rules = Rules(np.ones((36, 2), bool), factors, ())
    one = np.eye(36, dtype=np.int64)[7]
    pool = np.stack([one, np.zeros_like(one), one + np.eye(36, dtype=np.int64)[9]])
    total = rules_energy(rules, pool, HARD).total
    assert rules.is_valid(pool).tolist() == [True, False, False]
    assert total.argmin() == 0
    assert total[1] - total[0] > 3
    assert total[2] - total[0] > 3
