from itertools import pairwise

import numpy as np
import pytest
import tiny

from erm.errors import InputError
from erm.rulebook.registry import load_task
from erm.search.options import SearchOptions
from erm.search.problem import Problem
from erm.search.search import Search
from erm.search.temper import TemperOptions, temper

SMALL = {"depth": 5, "ladders": 2, "rungs": 4}


@pytest.fixture(scope="module")
def problem():
    return Problem(load_task("sudoku"), tiny.puzzles(3, seed=99, clues=(4, 4))[0])


@pytest.mark.parametrize("energy", ["energy", "qhead", "confidence"])
def test_without_noise_it_is_the_plain_rollout_in_another_order(tiny_reasoner, problem, energy):
    result = temper(tiny_reasoner, problem, TemperOptions(**SMALL, noise=0.0, energy=energy))
    (plain,) = Search(tiny_reasoner, SearchOptions(5, 8, "full", sigma=0.0)).run([problem])
    assert sorted(result.replicas) == list(range(8))
    assert result.replicas.tolist() != list(range(8)), "no replica was ever swapped"
    back = np.argsort(result.replicas)
    np.testing.assert_array_equal(result.pool.answers[back], plain.pool().answers)
    np.testing.assert_allclose(result.pool.q[back], plain.pool().q, rtol=1e-5)


def test_the_budget_is_d_times_k_and_the_report_is_complete(tiny_reasoner, problem):
    result = temper(tiny_reasoner, problem, TemperOptions(**SMALL, noise=0.5))
    assert result.evaluations == 5 * 8
    assert len(result.pool) == 8
    assert result.swap_rates.shape == (3,)
    assert 0 <= result.swap_rate <= 1
    ratios = result.temperatures[1:] / result.temperatures[:-1]
    np.testing.assert_allclose(ratios, 10.0)
    visited = {answer.tobytes() for answer in result.visited}
    assert len(visited) == len(result.visited)
    assert {answer.tobytes() for answer in result.pool.answers} <= visited
    assert result.selected.score == pytest.approx(result.pool.energy.total.min())
    assert result.best.score <= result.selected.score
    assert result.best.answer.tobytes() in visited


def test_it_repeats_for_a_seed_and_differs_for_another(tiny_reasoner, problem):
    options = TemperOptions(**SMALL, noise=1.0)
    first, again = (temper(tiny_reasoner, problem, options) for _ in range(2))
    np.testing.assert_array_equal(first.pool.q, again.pool.q)
    np.testing.assert_array_equal(first.replicas, again.replicas)
    other = temper(tiny_reasoner, problem, TemperOptions(**SMALL, noise=1.0, seed=1))
    assert (first.pool.q != other.pool.q).any()


def test_noise_grows_with_temperature(tiny_reasoner, problem):
    still = temper(tiny_reasoner, problem, TemperOptions(**SMALL, noise=0.0, swaps=False))
    noisy = temper(tiny_reasoner, problem, TemperOptions(**SMALL, noise=3.0, swaps=False))
    moved = np.abs(noisy.pool.residual - still.pool.residual).reshape(2, 4).mean(0)
    assert moved[0] < moved[-1]


def test_metropolis_at_no_temperature_never_climbs(tiny_reasoner, problem):
    cold = {"heat": 1e-9, "span": 1.0, "metropolis": True, "swaps": False}
    energies = [
        temper(
            tiny_reasoner,
            problem,
            TemperOptions(depth=depth, ladders=2, rungs=4, noise=2.0, **cold),
        )
        for depth in (1, 3, 6)
    ]
    for before, after in pairwise(energies):
        assert (after.pool.energy.total <= before.pool.energy.total + 1e-9).all()
    assert 0 < energies[-1].acceptance < 1


def test_options_out_of_range_are_errors():
    for wrong in ({"depth": 0}, {"rungs": 0}, {"span": 0.5}, {"heat": 0.0}, {"noise": -1.0}):
        with pytest.raises(InputError):
            TemperOptions(**wrong)


def test_a_chunk_has_rows():
    with pytest.raises(InputError, match="chunk"):
        TemperOptions(chunk=-1)
