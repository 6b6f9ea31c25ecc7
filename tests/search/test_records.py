"""Energies of a large pool are worked out in pieces, with a look at the deadline between them."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
import torch

from erm.model.codec import Prediction
from erm.model.decode import Decoded
from erm.rulebook.energy import rules_energy
from erm.rulebook.registry import load_task
from erm.search import records as scored
from erm.search.deadline import Deadline, OutOfTime
from erm.search.problem import Problem
from erm.search.records import PIECE, Records
from erm.search.rollouts import Candidate
from erm.search.solver import Solver

BLANK = "." * 256
WIDTH = 40


@pytest.fixture
def records() -> Records:
    """The pool of a blank 16x16 Sudoku; only the last candidate keeps the rules."""
    task = load_task("sudoku")
    problem = Problem(task, task.parse(BLANK))
    found = Records(problem, WIDTH)
    square = np.arange(16)
    answer = (square[:, None] % 4 * 4 + square[:, None] // 4 + square) % 16
    every = []
    for k in range(WIDTH):
        states = answer if k == WIDTH - 1 else np.roll(answer, k % 15 + 1, 0)
        states = np.where(square[:, None] == k % 16, 0, states) if k < WIDTH - 1 else states
        every.append(states.ravel())
    write(found, np.stack(every))
    return found


def write(records: Records, states: np.ndarray) -> None:
    """Every candidate is sure of these states."""
    log_probs = torch.from_numpy(np.where(np.eye(16, dtype=bool)[states], 0.0, -100.0)).float()
    sure, zeros = torch.from_numpy(states), torch.zeros(WIDTH)
    candidates = [Candidate(records.problem, k, records.problem.draw(0, k)) for k in range(WIDTH)]
    decoded = Decoded(sure, log_probs, zeros.double())
    records.write(range(WIDTH), candidates, decoded, Prediction(log_probs, zeros))


def after_looks(number: int) -> Callable[[], bool]:
    looks = itertools.count()
    return lambda: next(looks) >= number


def test_no_piece_is_larger_than_promised_and_each_follows_a_look(records, monkeypatch):
    done: list[int] = []

    def counted(rules, states, *rest):
        done.append(states.size * rules.domain.shape[1])
        return rules_energy(rules, states, *rest)

    looks = itertools.count()
    monkeypatch.setattr(scored, "rules_energy", counted)
    records.energies(Deadline(cancelled=lambda: next(looks) < 0))
    assert sum(done) == WIDTH * 256 * 16 and max(done) <= PIECE
    assert next(looks) == len(done) - 1 > 0


def test_a_deadline_leaves_a_pool_of_those_with_an_energy_and_the_certificate_is_one(records):
    pool = records.pool(deadline=Deadline(cancelled=lambda: True))
    assert 0 < len(pool) < WIDTH and pool.valid.sum() == 1
    with pytest.raises(OutOfTime):
        write(records, records.states.copy())
        records.energies(Deadline(cancelled=lambda: True))
    whole = records.pool()
    assert len(whole) == WIDTH
    np.testing.assert_array_equal(whole.energy.total[-1], pool.energy.total[pool.valid][0])


def test_energies_do_not_depend_on_the_pieces(records, monkeypatch):
    in_pieces = records.energies().copy()
    write(records, records.states.copy())
    monkeypatch.setattr(scored, "PIECE", 1 << 30)
    np.testing.assert_array_equal(records.energies(), in_pieces)


@pytest.mark.parametrize("mode", ["full", "adaptive"])
def test_a_search_whose_time_is_up_while_it_scores_says_what_it_has(
    mode, tiny_reasoner, monkeypatch
):
    """The deadline comes at one look after the other: what has run has an answer to show."""
    monkeypatch.setattr(scored, "PIECE", 1)
    solver = Solver(tiny_reasoner, {"task": "sudoku"})
    sizes = set()
    for moment in range(0, 24, 2):
        *_, last = solver.search(
            "1" + "." * 15, 6, 2, mode=mode, rules=False, cancelled=after_looks(moment)
        )
        assert last.answer is not None or not last.evaluations
        sizes.add(len(last.candidates))
    assert len(sizes) > 2, "some pools lack candidates without an energy"
