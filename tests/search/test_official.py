"""What evaluation shares with the official EqR code: its selector, its decoding, its draws."""

from __future__ import annotations

import numpy as np
import pytest
import tiny
import torch

from erm.errors import InputError
from erm.model.config import ReasonerConfig
from erm.model.noise import Stream
from erm.model.reasoner import Reasoner
from erm.rulebook.registry import load_task
from erm.search.options import SearchOptions
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.search.rollouts import ACCELERATOR, CPU, Batch, capacity
from erm.search.search import Search
from erm.search.select import select
from erm.search.solver import Solver
from erm.search.temper import TemperOptions, temper

DEPTH, WIDTH = 6, 4


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    return [Problem(load_task("sudoku"), puzzle) for puzzle in tiny.puzzles(2, 5)]


@pytest.fixture(scope="module")
def tokens() -> Reasoner:
    """An untrained token network, whose answers heed no clue."""
    torch.manual_seed(0)
    config = ReasonerConfig(
        mixer="attention", hidden=16, heads=2, vocabulary=11, length=20, expansion=1.0,
        damping=0.95, path_noise=0.05,
    )  # fmt: skip
    return Reasoner(config).eval()


def pool_of(reasoner: Reasoner, problem: Problem, **changes) -> CandidatePool:
    options = SearchOptions(DEPTH, WIDTH, "full", keep_log_probs=True, **changes)
    (attempt,) = Search(reasoner, options).run([problem])
    return attempt.pool()


def spoken(reasoner: Reasoner, problem: Problem, k: int, depth: int) -> torch.Tensor:
    """The logits of one candidate after every step, by the reasoner alone."""
    own, said = [problem.draw(0, k)], []
    with torch.inference_mode():
        carry = reasoner.start(problem.inputs, Stream.next(own))
        for _ in range(depth):
            carry, prediction = reasoner.step(carry, problem.inputs, Stream.next(own))
            said.append(prediction.logits[0])
    return torch.stack(said)


@pytest.mark.parametrize(("depth", "window"), [(DEPTH, 3), (3, 2)])
def test_convergence_is_eqrs_change_of_the_logits(tiny_reasoner, problems, depth, window):
    """The norm of a cell's change, averaged over cells and the last three changes, or all."""
    options = SearchOptions(depth, WIDTH, "full")
    (attempt,) = Search(tiny_reasoner, options).run(problems[:1])
    pool = attempt.pool()
    wanted = []
    for k in range(WIDTH):
        changes = spoken(tiny_reasoner, problems[0], k, depth).diff(dim=0)[-window:]
        wanted.append(changes.norm(dim=-1).mean().item())
    np.testing.assert_allclose(pool.scores["convergence"], wanted, rtol=1e-3)
    assert select(pool, "convergence").index == int(np.argmin(wanted))
    assert not np.allclose(pool.scores["convergence"], pool.residual)


def test_one_step_has_converged_nowhere_and_old_pools_cannot_tell(tiny_reasoner, problems):
    (attempt,) = Search(tiny_reasoner, SearchOptions(1, 2, "full")).run(problems[:1])
    assert np.isinf(attempt.pool().scores["convergence"]).all()
    old = CandidatePool(**{**vars(attempt.pool()), "scores": {}})
    with pytest.raises(InputError, match="evaluate again"):
        select(old, "convergence")


def test_token_networks_are_read_raw_unless_asked_otherwise(tokens, problems):
    problem = problems[0]
    given = problem.given[0].numpy()
    clues = problem.puzzle.givens["digits"].ravel()[given]
    raw = pool_of(tokens, problem)
    assert (raw.answers[:, given] != clues).any()
    best = spoken(tokens, problem, 1, DEPTH)[-1, :, 2:6].argmax(-1) + 1
    assert raw.answers[1].tolist() == best.tolist()
    clamped = pool_of(tokens, problem, decoding="clamped")
    assert (clamped.answers[:, given] == clues).all()
    # Eq. 6 reads clamped log-probabilities either way.
    np.testing.assert_array_equal(raw.log_probs, clamped.log_probs)


def test_structured_networks_never_leave_their_domain(tiny_reasoner):
    with pytest.raises(InputError, match="raw decoding is for token-based networks"):
        Batch(tiny_reasoner, decoding="raw")


def test_probabilities_are_the_checkpoints_unless_asked_otherwise(tokens, problems):
    solver = Solver(tokens, {"task": "sudoku"})
    assert solver.probabilities == "stablemax"  # as official networks are trained
    options = {"width": WIDTH, "depth": DEPTH, "mode": "full", "keep_log_probs": True}
    own = solver.solve(problems[0].puzzle, **options).candidates
    soft = solver.solve(problems[0].puzzle, probabilities="softmax", **options).candidates
    again = solver.solve(problems[0].puzzle, probabilities="stablemax", **options).candidates
    np.testing.assert_array_equal(own.log_probs, again.log_probs)
    np.testing.assert_array_equal(own.answers, soft.answers)
    assert not np.allclose(own.confidence, soft.confidence)


def test_path_noise_is_the_networks_own_unless_asked_otherwise(tokens, problems):
    own = pool_of(tokens, problems[0])
    np.testing.assert_array_equal(
        pool_of(tokens, problems[0], path_noise=0.05).log_probs, own.log_probs
    )
    still = pool_of(tokens, problems[0], path_noise=0.0)
    loud = pool_of(tokens, problems[0], path_noise=0.5)
    changes = [pool.scores["convergence"].mean() for pool in (still, own, loud)]
    assert changes[0] < changes[1] < changes[2]
    with pytest.raises(InputError, match="path_noise must be 0 to"):
        SearchOptions(path_noise=-1.0)


def test_bfloat16_is_an_option_of_the_search(tokens, problems):
    exact, rough = pool_of(tokens, problems[0]), pool_of(tokens, problems[0], precision="bfloat16")
    assert rough.q.dtype == exact.q.dtype
    assert not np.array_equal(exact.scores["convergence"], rough.scores["convergence"])
    assert (exact.answers == rough.answers).mean() > 0.5


def test_what_a_device_holds_follows_from_the_device():
    assert capacity(torch.device("cpu")) == CPU
    assert capacity(torch.device("cuda")) == ACCELERATOR
    assert ACCELERATOR.rows >= 4 * 128


def test_a_move_that_metropolis_undoes_is_not_proposed_again(tiny_reasoner, problems):
    """At no temperature to speak of nearly every rise is undone; the next proposal is another."""
    options = TemperOptions(
        12, ladders=1, rungs=2, temperatures=(1e-9, 2e-9), metropolis=True, noise=2.0, swaps=False
    )
    result = temper(tiny_reasoner, problems[0], options)
    assert result.acceptance < 0.9
    assert len(result.visited) > 2
    np.testing.assert_allclose(result.temperatures, [1e-9, 2e-9])


def test_absolute_temperatures_are_those_of_the_appendix(tiny_reasoner, problems):
    result = temper(tiny_reasoner, problems[0], TemperOptions(2, 1, 4, temperatures=(0.001, 1.0)))
    np.testing.assert_allclose(result.temperatures, [0.001, 0.01, 0.1, 1.0])
    with pytest.raises(InputError, match="coldest and the hottest"):
        TemperOptions(temperatures=(1.0, 0.001))
