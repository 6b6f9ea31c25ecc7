"""The control without a network: propagation, guesses, backtracking on a budget of D x K."""

import numpy as np
import tiny

from erm.rulebook.propagate import prune
from erm.search.options import SearchOptions
from erm.search.solver import without_network

HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."


def pool_of(puzzle, **options):
    wanted = SearchOptions(**{"depth": 64, "width": 8, "mode": "full", **options})
    (result,) = without_network("sudoku").solve_many([puzzle], wanted)
    assert result.by == "rules" and result.evaluations == 0
    return result.candidates


def test_one_step_is_propagation_alone():
    solver = without_network("sudoku")
    for puzzle in tiny.puzzles(6, seed=4, clues=(4, 7)):
        problem = solver.problem(puzzle)
        left = prune(problem.rules, problem.rules.domain[None])[0]
        pool = pool_of(puzzle, depth=1, width=1)
        decided = left.sum(-1) == 1
        np.testing.assert_array_equal(pool.states[0][decided], left.argmax(-1)[decided])
        assert pool.valid[0] == decided.all()


def test_more_steps_and_more_rollouts_solve_more():
    steps = [pool_of(HARD, depth=depth).valid.sum() for depth in (1, 16, 512)]
    assert steps[0] == 0 and steps[0] <= steps[1] <= steps[2] and steps[2] == 8
    assert pool_of(HARD, depth=1024, cadence=2).valid.sum() == 8


def test_the_slower_cadence_makes_the_decisions_of_half_the_steps():
    half = pool_of(HARD, depth=20)
    slow = pool_of(HARD, depth=40, cadence=2)
    np.testing.assert_array_equal(half.answers, slow.answers)


def test_it_repeats_for_a_seed_and_candidates_differ():
    first, again, other = (
        pool_of(HARD, depth=8),
        pool_of(HARD, depth=8),
        pool_of(HARD, depth=8, seed=1),
    )
    np.testing.assert_array_equal(first.answers, again.answers)
    assert (first.answers != other.answers).any()
    assert len(np.unique(first.answers, axis=0)) > 1
    np.testing.assert_array_equal(pool_of(HARD, depth=8, width=3).answers, first.answers[:3])
