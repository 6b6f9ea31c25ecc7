"""Advice: exact marginals of every kind of memory, boards side by side, pruning of a marginals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import Float

from erm.rulebook import (
    Among,
    AtLeast,
    AtMost,
    Between,
    Enumerated,
    Exactly,
    Factor,
    Memory,
    Permutations,
    Preference,
)
from erm.rulebook.exact_marginals import FLOOR, MOST_LOG_ODDS, WORST_FIT
from erm.rulebook.potential import Potential
from erm.rulebook.propagate import prune
from erm.rulebook.retrieve import SCALE, Channels, advise, channels_of
from erm.rulebook.rules import Rules


@dataclass(frozen=True)
class Listed:
    """A task author's own memory: all that it offers is the protocol."""

    inner: Enumerated

    def free_energy(self, cost, tau):
        return self.inner.free_energy(cost, tau)

    def accepts(self, states):
        return self.inner.accepts(states)

    def patterns(self):
        return self.inner.patterns()

    def supported(self, domain):
        return self.inner.supported(domain)


def board(*factors: Factor, cells: int, states: int, potentials: Sequence[Potential] = ()) -> Rules:
    return Rules(np.ones((cells, states), bool), factors, potentials)


def beliefs(seed: int, boards: int, cells: int, states: int, sharpness: float) -> np.ndarray:
    logits = sharpness * np.random.default_rng(seed).normal(size=(boards, cells, states))
    odds = np.exp(logits - logits.max(-1, keepdims=True))
    return (odds / odds.sum(-1, keepdims=True)).astype(np.float32)


def brute_force(memory: Memory, marginals: Float[np.ndarray, "s S"]) -> tuple[np.ndarray, float]:
    """What a memory says of each state of its scope, and how badly it fits, pattern by pattern."""
    p = np.maximum(marginals.astype(np.float64), FLOOR)
    patterns = memory.patterns()
    places = np.arange(len(p))
    weights = p[places, patterns].prod(-1)
    shares = np.zeros_like(p)
    for pattern, weight in zip(patterns, weights, strict=True):
        shares[places, pattern] += weight
    if not len(patterns):
        return np.zeros_like(p), WORST_FIT
    misfit = np.log(p.max(-1)).sum() - np.log(weights.sum())
    with np.errstate(divide="ignore"):
        odds = np.log(shares) - np.log(shares.sum(-1, keepdims=True) - shares)
    beyond = odds - (np.log(p) - np.log(p.sum(-1, keepdims=True) - p))
    return beyond.clip(-MOST_LOG_ODDS, MOST_LOG_ODDS), float(np.clip(misfit, 0, WORST_FIT))


MEMORIES = [
    (AtMost(3, 4), 2),
    (AtMost(1, 7), 2),
    (AtLeast(1, 6), 2),
    (AtLeast(3, 5), 2),
    (Exactly(2, 5), 2),
    (Exactly(0, 3), 2),
    (Exactly(4, 4), 2),
    (Between(2, 4, 6), 2),
    (Exactly(5, 3), 2),
    (Among(Exactly(2, 4), (1, 3), 4), 4),
    (Among(AtLeast(2, 5), (0,), 3), 3),
    (Among(AtMost(1, 3), (0, 1, 2), 3), 3),
    (Permutations(3), 3),
    (Permutations(4), 4),
    (Enumerated(np.array([[0, 1, 2], [2, 2, 0], [1, 1, 1], [0, 0, 0]]), 3), 3),
    (Enumerated(np.zeros((0, 4), np.int64), 2), 2),
    (Listed(Enumerated(np.array([[0, 1, 1], [1, 0, 0], [1, 1, 0]]), 2)), 2),
]


@pytest.mark.parametrize(("memory", "states"), MEMORIES, ids=lambda value: str(value)[:30])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), sharpness=st.sampled_from([0.1, 1.0, 3.0, 8.0]))
def test_retrieval_is_the_exact_marginal(memory, states, seed, sharpness):
    size = getattr(memory, "size", None) or memory.patterns().shape[1]
    rules = board(
        Factor("rule", np.random.default_rng(seed).permutation(size + 1)[None, :size], memory),
        cells=size + 1,
        states=states,
    )
    marginals = beliefs(seed, 1, size + 1, states, sharpness)
    channels = Channels(("rule",), ())
    (advice,) = advise([rules], marginals, channels)
    (scope,) = rules.factors[0].scopes
    said, misfit = brute_force(memory, marginals[0, scope])
    np.testing.assert_allclose(advice[scope, :, 0], SCALE * said, rtol=1e-3, atol=2e-4)
    np.testing.assert_allclose(advice[scope, :, 1], SCALE * misfit, rtol=1e-3, atol=2e-4)
    outside = np.setdiff1d(np.arange(size + 1), scope)
    assert not advice[outside].any()


@pytest.mark.parametrize("memory", [Permutations(9), Exactly(3, 9), AtLeast(2, 9)])
def test_retrieval_is_the_gradient_of_the_free_energy(memory):
    """Finite differences of the free energy, which shares no code with the kernels here."""
    states = 9 if isinstance(memory, Permutations) else 2
    marginals = beliefs(3, 1, 9, states, 1.5)
    rules = board(Factor("rule", np.arange(9)[None], memory), cells=9, states=states)
    advice = advise([rules], marginals, Channels(("rule",), ()))[0, :, :, 0] / SCALE
    p = np.maximum(marginals[0].astype(np.float64), FLOOR)
    cost, step = torch.from_numpy(-np.log(p)), 1e-5
    for cell, state in [(0, 0), (4, states - 1), (8, 1)]:
        nudge = torch.zeros_like(cost)
        nudge[cell, state] = step
        up, down = (memory.free_energy(cost + sign * nudge, 1.0) for sign in (1, -1))
        marginal = float(up - down) / (2 * step)
        others = p[cell].sum() - p[cell, state]
        beyond = np.log(marginal / (1 - marginal)) - np.log(p[cell, state] / others)
        assert abs(advice[cell, state] - np.clip(beyond, -MOST_LOG_ODDS, MOST_LOG_ODDS)) < 2e-3


def test_long_scopes_neither_overflow_nor_vanish():
    size = 400
    rules = board(
        Factor("few", np.arange(size)[None], Exactly(3, size)),
        Factor("some", np.arange(size)[None], AtLeast(1, size)),
        cells=size,
        states=2,
    )
    marginals = np.full((1, size, 2), 0.5, np.float32)
    channels = channels_of([rules], False)
    advice = advise([rules], marginals, channels)[0] / SCALE
    few = channels.names.index("retrieval: few")
    np.testing.assert_allclose(advice[:, 1, few], np.log(3 / (size - 3)), rtol=1e-4)
    assert np.abs(advice[:, :, channels.names.index("retrieval: some")]).max() < 1e-6


def mixed_boards() -> list[Rules]:
    rng = np.random.default_rng(0)
    shared = Enumerated(np.array([[0, 1], [1, 0]]), 2)
    return [
        board(
            Factor("pairs", rng.permutation(8)[: 2 * count].reshape(-1, 2), shared),
            Factor("count", rng.permutation(8)[None, :size], Exactly(1, size)),
            Factor(
                "own", rng.permutation(8)[None, :3], Listed(Enumerated(np.eye(3, dtype=int), 2))
            ),
            cells=8,
            states=2,
            potentials=(Even(bool(count % 2)),),
        )
        for count, size in ((1, 3), (4, 8), (2, 5), (3, 1))
    ]


@dataclass(frozen=True)
class Even(Potential):
    """An even, or odd, number of ones; all ones are blamed."""

    odd: bool
    name: str = "even"

    def violation(self, states):
        return (states.sum(1) % 2 != self.odd).astype(float)

    def blame(self, states):
        return states == 1


def test_boards_side_by_side_get_the_advice_of_each_alone():
    rulebooks = mixed_boards()
    marginals = beliefs(1, len(rulebooks), 8, 2, 2.0)
    channels = channels_of(rulebooks, True)
    together = advise(rulebooks, marginals, channels)
    assert together.shape == (4, 8, 2, len(channels)) == (4, 8, 2, len(channels.names))
    for row, rules in enumerate(rulebooks):
        alone = advise([rules], marginals[row][None], channels)[0]
        assert (alone == together[row]).all()
    turned = advise(rulebooks[::-1], marginals[::-1], channels)
    assert (turned[::-1] == together).all()


def test_rules_of_other_names_give_no_advice():
    rulebooks = mixed_boards()
    marginals = beliefs(1, len(rulebooks), 8, 2, 2.0)
    everything = channels_of(rulebooks, False)
    some = Channels(("pairs",), ())
    advice = advise(rulebooks, marginals, some)
    for name in some.names:
        place = everything.names.index(name)
        expected = advise(rulebooks, marginals, everything)[..., place]
        assert (advice[..., some.names.index(name)] == expected).all()


def test_potentials_blame_the_decoded_answer_only_where_it_breaks_them():
    rulebooks = mixed_boards()
    marginals = beliefs(2, len(rulebooks), 8, 2, 1.0)
    advice = advise(rulebooks, marginals, Channels((), ("even",)))
    states = marginals.argmax(-1)
    for row, rules in enumerate(rulebooks):
        (potential,) = rules.potentials
        broken = potential.violation(states[row][None])[0] > 0
        expected = potential.blame(states[row]) & broken
        assert (advice[row] == expected[:, None, None]).all()
    assert advice.any() and not advice.any((1, 2, 3)).all()


def test_propagation_of_likely_states_gives_three_channels():
    rules = board(Factor("one", np.arange(3)[None], Exactly(1, 3)), cells=4, states=2)
    sure, open_, never = [0.01, 0.99], [0.5, 0.5], [0.99, 0.01]
    marginals = np.array(
        [[sure, open_, never, open_], [open_, open_, never, open_], [sure, sure, never, open_]],
        np.float32,
    )
    channels = channels_of([rules], True)
    advice = advise([rules] * 3, marginals, channels)
    refuted, settled, empty = (advice[..., place] for place in range(-3, 0))
    left = prune(rules, marginals > 0.05)
    assert refuted[0].tolist() == ((marginals[0] > 0.05) & ~left[0]).astype(float).tolist()
    assert refuted[0, 1].tolist() == [0, 1] and settled[0, 1].tolist() == [1, 0]
    assert settled[0].sum() == 1 and not empty[:2].any()
    assert not refuted[1].any() and not settled[1].any()
    assert empty[2].all() and not refuted[2].any()


def test_advice_of_preferences_is_that_of_rules():
    one, two = Exactly(1, 2), Exactly(2, 2)
    pair = np.array([[0, 1]])
    rules = Rules(
        np.ones((2, 2), bool),
        (Factor("rule", pair, one),),
        (),
        preferences=(Preference("wish", pair, two, price=3),),
    )
    channels = channels_of([rules], propagation=False)
    assert channels.names == ("retrieval: rule", "retrieval: wish", "misfit: rule", "misfit: wish")
    marginals = np.array([[[0.2, 0.8], [0.7, 0.3]]], np.float32)
    advice = advise([rules], marginals, channels)
    hard = [Factor(name, pair, memory) for name, memory in (("rule", one), ("wish", two))]
    as_rules = board(*hard, cells=2, states=2)
    np.testing.assert_array_equal(advice, advise([as_rules], marginals, channels))
    sure = np.array([[[0.999, 0.001], [0.001, 0.999]]], np.float32)
    (unkept,) = advise([rules], sure, channels)
    assert unkept[..., 3].max() > unkept[..., 2].max()
