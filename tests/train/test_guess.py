"""Guesses during an episode: domains shrink, and rows know when they have gone wrong."""

import torch

from erm.train.commit import CommitOptions, guess

ROWS, CELLS, STATES = 64, 9, 4


def play(options: CommitOptions, may: torch.Tensor | None = None):
    draw = torch.Generator().manual_seed(3)
    logits = torch.randn(ROWS, CELLS, STATES, generator=draw)
    answers = torch.randint(STATES, (ROWS, CELLS), generator=draw)
    domain = torch.ones(ROWS, CELLS, STATES, dtype=torch.bool)
    may = torch.ones(ROWS, dtype=torch.bool) if may is None else may
    new, wrong = guess(logits, domain, answers, may, options, draw)
    holds = new.gather(-1, answers[..., None]).squeeze(-1).all(-1)
    return new, wrong, holds


def test_wrong_rows_are_exactly_those_that_lost_their_answer():
    new, wrong, holds = play(CommitOptions(guess=1.0))
    assert (wrong == ~holds).all()
    assert wrong.any() and holds.any()
    changed = (~new).any(-1)
    assert (changed.sum(-1) == 1).all()


def test_a_guess_commits_one_state_or_rules_a_wrong_one_out():
    committed, wrong, _ = play(CommitOptions(guess=1.0, guess_eliminate=0.0))
    assert set(committed.sum(-1).unique().tolist()) == {1, STATES}
    ruled_out, wrong, holds = play(CommitOptions(guess=1.0, guess_eliminate=1.0))
    assert holds.all() and not wrong.any()
    assert set(ruled_out.sum(-1).unique().tolist()) == {1, STATES - 1, STATES}


def test_rows_that_may_not_and_chance_zero_leave_domains_alone():
    may = torch.zeros(ROWS, dtype=torch.bool)
    assert play(CommitOptions(guess=1.0), may)[0].all()
    assert play(CommitOptions(guess=0.0))[0].all()
