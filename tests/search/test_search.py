"""Rollouts and certified search with a real, small, half-trained reasoner."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import numpy as np
import pytest
import tiny
import torch

from erm.errors import InputError
from erm.model.noise import Stream
from erm.rulebook.registry import load_task
from erm.search.options import SearchOptions
from erm.search.problem import Problem
from erm.search.search import Search
from erm.search.select import select
from erm.search.stop import StoppingRule

DEPTH, WIDTH = 6, 12


@pytest.fixture(scope="module")
def problems():
    task = load_task("sudoku")
    return [Problem(task, puzzle) for puzzle in tiny.puzzles(16, seed=99, clues=(4, 4))]


def run(reasoner, problems, **options):
    """Searches that have ended, in the order of the problems; candidates alone."""
    changed = {"depth": DEPTH, "width": WIDTH, "mode": "full", "rules": False, **options}
    found = Search(reasoner, SearchOptions(**changed)).run(problems)
    attempts = {attempt.number: attempt for attempt in found}
    assert len(attempts) == len(problems)
    return [attempts[index] for index in range(len(problems))]


@pytest.fixture(scope="module")
def full(tiny_reasoner, problems):
    return run(tiny_reasoner, problems, trace=True)


@pytest.fixture(scope="module")
def adaptive(tiny_reasoner, problems):
    return run(tiny_reasoner, problems, mode="adaptive")


def test_full_is_k_times_d(full):
    for attempt in full:
        assert attempt.evaluations == WIDTH * DEPTH
        assert len(attempt.pool()) == WIDTH
        assert (attempt.pool().steps == DEPTH).all()


def test_a_rollout_is_what_the_reasoner_does_on_its_own(tiny_reasoner, problems, full):
    for problem, attempt in zip(problems[:4], full[:4], strict=True):
        own = [problem.draw(0, 3)]
        with torch.inference_mode():
            carry = tiny_reasoner.start(problem.inputs, Stream.next(own))
            for _ in range(DEPTH):
                carry, prediction = tiny_reasoner.step(carry, problem.inputs, Stream.next(own))
        alone = prediction.logits.masked_fill(~problem.inputs.domain, -1e4).argmax(-1) + 1
        assert attempt.pool().answers[3].tolist() == alone[0].tolist()
        assert attempt.pool().q[3] == pytest.approx(prediction.q.item(), abs=1e-5)


@pytest.mark.parametrize("options", [{"chunk": 1}, {"chunk": 5}, {"rows": 1}, {"rows": 100}])
def test_results_do_not_depend_on_chunks_or_company(tiny_reasoner, problems, full, options):
    for attempt, before in zip(run(tiny_reasoner, problems[:5], **options), full[:5], strict=True):
        np.testing.assert_array_equal(attempt.pool().answers, before.pool().answers)
        np.testing.assert_allclose(
            attempt.pool().energy.total, before.pool().energy.total, rtol=1e-4
        )


def test_a_second_core_changes_nothing(tiny_reasoner, problems, full):
    helped: list[bool] = []

    def help(one):
        future = pool.submit(lambda: helped.extend([one(), one(), one()]))
        future.result()  # The others are left to the search itself.
        return future

    options = SearchOptions(DEPTH, WIDTH, "full", chunk=2)
    with ThreadPoolExecutor(1) as pool:
        (attempt,) = Search(tiny_reasoner, options, help=help).run(problems[:1])
    assert helped == [True] * 3 * DEPTH
    np.testing.assert_array_equal(attempt.pool().answers, full[0].pool().answers)


def test_what_goes_wrong_on_a_second_core_is_told(tiny_reasoner, problems):
    def help(one):
        return pool.submit(lambda: 1 // 0)

    options = SearchOptions(DEPTH, WIDTH, "full", chunk=2)
    with ThreadPoolExecutor(1) as pool, pytest.raises(ZeroDivisionError):
        list(Search(tiny_reasoner, options, help=help).run(problems[:1]))


def test_a_wider_search_contains_the_narrower_one(tiny_reasoner, problems, full):
    for attempt, before in zip(run(tiny_reasoner, problems[:3], width=3), full[:3], strict=True):
        np.testing.assert_array_equal(attempt.pool().answers, before.pool().answers[:3])


def test_another_seed_is_another_pool(tiny_reasoner, problems, full):
    other = run(tiny_reasoner, problems[:6], seed=1)
    assert any(
        (attempt.pool().answers != before.pool().answers).any()
        for attempt, before in zip(other, full[:6], strict=True)
    )


def test_adaptive_is_certified_wherever_full_with_energy_is_valid(problems, full, adaptive):
    task = load_task("sudoku")
    valid = missed = 0
    for problem, whole, early in zip(problems, full, adaptive, strict=True):
        if task.is_valid(problem.puzzle, select(whole.pool(), "energy").answer):
            valid += 1
            assert early.certified
        if early.certified:
            answer = select(early.pool(), "certified").answer
            assert task.is_valid(problem.puzzle, answer)
            np.testing.assert_array_equal(answer, problem.puzzle.answer)
        missed += not early.certified
    # The reasoner must be good enough and bad enough for this to say something.
    assert valid > 0
    assert any(attempt.wave > 0 for attempt in adaptive)
    assert (
        sum(attempt.evaluations for attempt in adaptive)
        < sum(attempt.evaluations for attempt in full) / 2
    )


def test_adaptive_without_a_certificate_is_full(tiny_reasoner, problems):
    hard = Problem(load_task("sudoku"), load_task("sudoku").parse("11" + "." * 14))
    (early,) = run(tiny_reasoner, [hard], mode="adaptive")
    (whole,) = run(tiny_reasoner, [hard])
    assert not early.certified and early.ended == "budget"
    assert early.evaluations == whole.evaluations == WIDTH * DEPTH
    np.testing.assert_array_equal(early.pool().answers, whole.pool().answers)
    assert select(early.pool(), "certified").index == select(whole.pool(), "energy").index


def test_adaptive_costs_the_same_alone_and_in_company(tiny_reasoner, problems, adaptive):
    for problem, together in zip(problems[:6], adaptive[:6], strict=True):
        (alone,) = run(tiny_reasoner, [problem], mode="adaptive")
        assert alone.evaluations == together.evaluations
        np.testing.assert_array_equal(alone.pool().answers, together.pool().answers)


def test_waves_widen_fourfold_up_to_k():
    waves = SearchOptions(width=128).waves
    assert [len(wave) for wave in waves] == [1, 3, 12, 48, 64]
    assert [k for wave in waves for k in wave] == list(range(128))
    assert SearchOptions(width=5, mode="full").waves == [range(5)]


def test_boards_of_several_sizes_take_turns(tiny_reasoner, problems):
    task = load_task("sudoku")
    six = Problem(task, task.parse("123456" + "." * 30))
    attempts = run(tiny_reasoner, [problems[0], six, problems[1]], width=2, depth=2)
    assert [attempt.pool().answers.shape for attempt in attempts] == [(2, 16), (2, 36), (2, 16)]


def test_the_trace_holds_the_pool_after_every_step(tiny_reasoner, problems, full):
    pool = full[0].pool()
    assert pool.trace is not None and pool.trace.answers.shape == (DEPTH, WIDTH, 16)
    np.testing.assert_array_equal(pool.at(DEPTH).answers, pool.answers)
    np.testing.assert_allclose(pool.at(DEPTH).energy.total, pool.energy.total)
    (short,) = run(tiny_reasoner, problems[:1], depth=3)
    np.testing.assert_array_equal(pool.at(3).answers, short.pool().answers)
    np.testing.assert_allclose(pool.at(3).residual, short.pool().residual, rtol=1e-4)


def test_energy_stopping_ends_where_the_rule_says(tiny_reasoner, problems, full):
    rule = StoppingRule(tolerance=0.2, checks=1, minimum=1)
    depths = set()
    for attempt, whole in zip(
        run(tiny_reasoner, problems[:8], stopping=rule), full[:8], strict=True
    ):
        trace = whole.pool().trace
        assert attempt.depth == rule.depth(trace.energy.total.min(-1).tolist())
        assert attempt.evaluations == attempt.depth * WIDTH
        np.testing.assert_array_equal(attempt.pool().answers, trace.answers[attempt.depth - 1])
        depths.add(attempt.depth)
    assert min(depths) < DEPTH


def test_watching_shows_every_step_of_the_same_search(tiny_reasoner, problems, adaptive):
    widened = next(i for i, attempt in enumerate(adaptive) if attempt.wave > 0)
    options = SearchOptions(DEPTH, WIDTH, rules=False)
    search = Search(tiny_reasoner, options, read_every_step=True)
    bills, sizes = [], []
    for (attempt,) in search.steps([problems[widened]]):
        bills.append(attempt.evaluations)
        sizes.append(len(attempt.pool()))
    assert attempt.ended and attempt.evaluations == adaptive[widened].evaluations
    assert bills == sorted(set(bills))
    assert sizes[:DEPTH] == [1] * DEPTH and sizes[DEPTH] == 4


def test_a_full_search_that_is_stopped_shows_what_its_candidates_said_last(tiny_reasoner, problems):
    asked = count()
    options = SearchOptions(DEPTH, WIDTH, "full")
    search = Search(tiny_reasoner, options, cancelled=lambda: next(asked) > 3)
    (attempt,) = search.run(problems[:1])
    assert attempt.ended == "stopped" and 0 < attempt.evaluations < options.budget
    assert (attempt.pool().steps == attempt.depth).all() and len(attempt.pool()) == WIDTH


def test_options_out_of_range_are_errors(unchecked):
    for wrong in (
        {"depth": 0},
        {"width": 0},
        {"width": 1 << 20},
        {"chunk": 0},
        {"sigma": -1.0},
        {"sigma": float("nan")},
        {"mode": "fast"},
        {"trace": True},
    ):
        with pytest.raises(InputError):
            SearchOptions(**wrong)
