"""Listed memories, factors over them, and how decoded patterns are told apart."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from brute_force import free_energy as brute_force
from brute_force import random_costs, scales, taus
from hypothesis import given, settings
from hypothesis import strategies as st

from erm.rulebook.counting import AtMost, Exactly
from erm.rulebook.factor import SMALL_KEYS, Factor, distinct, group_scopes
from erm.rulebook.memory import CLAMPED, Enumerated, KeyedMemory, Memory, pattern_codes
from erm.rulebook.permanent import Permutations


def every_pattern(states: int, size: int) -> np.ndarray:
    return np.stack(np.meshgrid(*[np.arange(states)] * size, indexing="ij"), -1).reshape(-1, size)


def random_memory(rng: np.random.Generator, states: int, size: int) -> Enumerated:
    every = every_pattern(states, size)
    return Enumerated(rng.permutation(every)[: rng.integers(1, len(every) + 1)], states)


@settings(max_examples=50, deadline=None)
@given(
    states=st.integers(1, 4),
    size=st.integers(1, 4),
    tau=taus,
    scale=scales,
    seed=st.integers(0, 2**32 - 1),
)
def test_enumerated_equals_the_plain_sum(states, size, tau, scale, seed):
    memory = random_memory(np.random.default_rng(seed), states, size)
    cost = random_costs(seed, 3, size, states, scale=scale)
    expected = brute_force(memory, cost, tau)
    torch.testing.assert_close(memory.free_energy(cost, tau), expected, rtol=1e-12, atol=1e-9)


def test_enumerated_gradient_against_finite_differences():
    memory = Enumerated(np.array([[0, 1, 2], [2, 2, 0], [1, 1, 1]]), 3)
    cost = random_costs(0, 4, 3, 3, scale=2.0).requires_grad_()
    assert torch.autograd.gradcheck(lambda cost: memory.free_energy(cost, 0.4), cost)


@settings(max_examples=30, deadline=None)
@given(states=st.integers(2, 3), size=st.integers(1, 4), seed=st.integers(0, 2**32 - 1))
def test_enumerated_accepts_exactly_its_patterns(states, size, seed):
    memory = random_memory(np.random.default_rng(seed), states, size)
    every = every_pattern(states, size)
    listed = {tuple(pattern) for pattern in memory.patterns().tolist()}
    assert memory.accepts(every).tolist() == [tuple(row) in listed for row in every.tolist()]


def test_closed_forms_agree_with_their_own_patterns_listed():
    for memory, states in ((Permutations(4), 4), (Exactly(2, 5), 2), (AtMost(1, 5), 2)):
        listed = Enumerated(memory.patterns(), states)
        cost = random_costs(1, 6, memory.size, states, scale=5.0)
        torch.testing.assert_close(memory.free_energy(cost, 0.3), listed.free_energy(cost, 0.3))


def test_no_pattern_at_all_accepts_nothing_and_costs_what_is_ruled_out():
    memory = Enumerated(np.empty((0, 3), np.int64), 2)
    assert not memory.accepts(every_pattern(2, 3)).any()
    assert memory.free_energy(torch.zeros(2, 3, 2), 1.0).tolist() == [CLAMPED] * 2


@pytest.mark.parametrize(
    ("patterns", "sentence"),
    [([[0, 2]], "0 to 1"), ([[-1, 0]], "0 to 1"), ([[0, 1], [0, 1]], "twice")],
)
def test_wrong_memories_are_refused(patterns, sentence):
    with pytest.raises(ValueError, match=sentence):
        Enumerated(np.array(patterns), 2)


def test_codes_are_distinct_and_bounded():
    assert len(set(pattern_codes(every_pattern(3, 4), 3).tolist())) == 81
    with pytest.raises(ValueError, match="no code"):
        pattern_codes(np.zeros((1, 64), np.int64), 2)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.integers(0, 20), max_size=40)
    | st.lists(st.integers(0, 3 * SMALL_KEYS), max_size=40)
)
def test_distinct_points_at_one_key_of_each_kind(keys):
    keys = np.array(keys, np.int64)
    first, which = distinct(keys)
    assert len(first) == len(set(keys.tolist()))
    assert (keys[first][which] == keys).all()


def test_memories_keep_the_protocol():
    assert isinstance(Permutations(3), Memory)
    assert isinstance(Exactly(1, 3), KeyedMemory)
    assert not isinstance(Permutations(3), KeyedMemory)


@pytest.mark.parametrize("tau", [0.02, 1.0])
@pytest.mark.parametrize(
    ("memory", "states"),
    [
        (Enumerated(np.array([[0, 0, 1], [1, 1, 0]]), 2), 2),
        (Exactly(2, 3), 2),
        (AtMost(1, 3), 2),
        (Permutations(3), 3),
    ],
)
def test_decoded_energies_are_those_of_the_mismatch_costs(memory, states, tau):
    rng = np.random.default_rng(2)
    scopes = np.array([rng.permutation(8)[:3] for _ in range(6)])
    factor = Factor("rule", scopes, memory)
    answers = rng.integers(0, states, (5, 7, 8))
    decoded = factor.decoded_free_energies(answers, states, 12.0, tau)
    cost = torch.from_numpy((answers[..., None] != np.arange(states)) * 12.0 / 3)
    assert decoded.shape == (5, 7, 6)
    np.testing.assert_allclose(decoded, factor.free_energies(cost, tau).numpy(), atol=1e-9)
    np.testing.assert_allclose(
        decoded, brute_force(memory, cost[..., scopes, :], tau).numpy(), atol=1e-9
    )
    assert (factor.violated(answers) == ~memory.accepts(answers[..., scopes])).all()


def test_a_factor_in_chunks_equals_one_gather(monkeypatch):
    factor = Factor("row", np.arange(8).reshape(2, 4), Permutations(4))
    cost = random_costs(3, 3, 5, 8, 4, scale=2.0)
    whole = factor.free_energies(cost, 1.0)
    monkeypatch.setattr("erm.rulebook.factor.CHUNK", 70)
    assert torch.equal(factor.free_energies(cost, 1.0), whole)
    assert torch.equal(factor.free_energies(cost[1, 2], 1.0), whole[1, 2])


def test_scopes_are_grouped_by_length():
    groups = group_scopes([[0, 1], [2], [3, 4], []])
    assert [group.tolist() for group in groups] == [[[2]], [[0, 1], [3, 4]]]
