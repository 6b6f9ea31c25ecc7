"""Commitments keep or lose the answer exactly as they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_sudokus import solved

from erm.errors import InputError
from erm.puzzles.sudoku.rules import units
from erm.train.commit import CommitOptions, commit


def board(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    answer = solved(9, rng) - 1
    domain = np.ones((81, 9), bool)
    printed = rng.choice(81, 27, replace=False)
    domain[printed] = False
    domain[printed, answer[printed]] = True
    return domain, answer


@given(st.integers(0, 10_000), st.floats(0, 1), st.floats(0, 1))
def test_right_commitments_shrink_the_domain_and_keep_the_answer(seed, share, eliminate):
    domain, answer = board(seed)
    options = CommitOptions(commit=share, commit_right=30, commit_eliminate=eliminate)
    after, wrong = commit(domain, answer, units(9), options, np.random.default_rng(seed))
    assert not wrong
    assert after[np.arange(81), answer].all()
    assert not (after & ~domain).any()
    if not eliminate:
        settled = (after.sum(1) == 1).sum() - (domain.sum(1) == 1).sum()
        assert 0 <= settled <= 30


@given(st.integers(0, 10_000))
def test_a_wrong_commitment_is_one_cell_that_repeats_no_settled_digit(seed):
    domain, answer = board(seed)
    options = CommitOptions(commit=0.5, commit_right=20, commit_wrong=1.0)
    after, wrong = commit(domain, answer, units(9), options, np.random.default_rng(seed))
    assert wrong
    (cell,) = np.flatnonzero(~after[np.arange(81), answer])
    (state,) = np.flatnonzero(after[cell])
    assert domain[cell, state] and state != answer[cell]
    for groups in units(9):
        peers = np.flatnonzero(groups == groups[cell])
        settled = [p for p in peers if p != cell and after[p].sum() == 1]
        assert all(not after[p, state] for p in settled)


def test_the_shares_are_those_asked_for():
    domain, answer = board(0)
    options = CommitOptions(commit=0.5, commit_right=20, commit_wrong=0.25)
    rng = np.random.default_rng(0)
    found = [commit(domain, answer, None, options, rng) for _ in range(2000)]
    assert np.mean([wrong for _, wrong in found]) == pytest.approx(0.25, abs=0.04)
    right = [after for after, wrong in found if not wrong]
    changed = np.mean([(after != domain).any() for after in right])
    # Half of the rows commit 0 to 20 cells, and one in 21 of them none.
    assert changed == pytest.approx(0.5 * 20 / 21, abs=0.05)


def test_a_board_without_a_wrong_choice_stays_right():
    answer = np.arange(4) % 2
    domain = np.zeros((4, 2), bool)
    domain[np.arange(4), answer] = True
    options = CommitOptions(commit_wrong=1.0)
    after, wrong = commit(domain, answer, None, options, np.random.default_rng(0))
    assert not wrong and (after == domain).all()


def test_shares_beyond_one_are_refused():
    with pytest.raises(InputError, match="--commit-wrong must be in"):
        CommitOptions(commit_wrong=1.5)
