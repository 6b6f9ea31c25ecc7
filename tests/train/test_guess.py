"""Guesses during an episode: domains shrink, and rows know when they have gone wrong."""

import torch

from erm.rulebook.propagate import prune
from erm.rulebook.registry import load_task
from erm.train.guess import GuessOptions, guess, prune_guesses

ROWS, CELLS, STATES = 64, 9, 4


def play(options: GuessOptions, may: torch.Tensor | None = None):
    draw = torch.Generator().manual_seed(3)
    logits = torch.randn(ROWS, CELLS, STATES, generator=draw)
    answers = torch.randint(STATES, (ROWS, CELLS), generator=draw)
    domain = torch.ones(ROWS, CELLS, STATES, dtype=torch.bool)
    may = torch.ones(ROWS, dtype=torch.bool) if may is None else may
    new, wrong = guess(logits, domain, answers, may, options, draw)
    holds = new.gather(-1, answers[..., None]).squeeze(-1).all(-1)
    return new, wrong, holds


def test_wrong_rows_are_exactly_those_that_lost_their_answer():
    new, wrong, holds = play(GuessOptions(guess=1.0))
    assert (wrong == ~holds).all()
    assert wrong.any() and holds.any()
    changed = (~new).any(-1)
    assert (changed.sum(-1) == 1).all()


def test_a_guess_settles_one_state_or_rules_a_wrong_one_out():
    settled, wrong, _ = play(GuessOptions(guess=1.0, guess_eliminate=0.0))
    assert set(settled.sum(-1).unique().tolist()) == {1, STATES}
    ruled_out, wrong, holds = play(GuessOptions(guess=1.0, guess_eliminate=1.0))
    assert holds.all() and not wrong.any()
    assert set(ruled_out.sum(-1).unique().tolist()) == {1, STATES - 1, STATES}


def test_rows_that_may_not_and_chance_zero_leave_domains_alone():
    may = torch.zeros(ROWS, dtype=torch.bool)
    assert play(GuessOptions(guess=1.0), may)[0].all()
    assert play(GuessOptions(guess=0.0))[0].all()


HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
ANSWER = "812753649943682175675491283154237896369845721287169534521974368438526917796318452"


def test_pruned_rows_never_hold_what_the_rules_refute_at_sight():
    rules = load_task("sudoku").rules(load_task("sudoku").parse(HARD))
    answer = torch.tensor([int(digit) - 1 for digit in ANSWER])
    before = torch.from_numpy(prune(rules, rules.domain[None]))
    open_cells = (before[0].sum(-1) > 1).nonzero().flatten().tolist()[:20]
    guesses = [(cell, int(state)) for cell in open_cells for state in before[0, cell].nonzero()]
    after = before.repeat(len(guesses), 1, 1)
    for row, (cell, state) in enumerate(guesses):
        after[row, cell] = torch.arange(9) == state
    wrong = torch.tensor([state != answer[cell] for cell, state in guesses])
    before = before.expand_as(after)
    pruned, doomed = prune_guesses(before, after, wrong, [rules] * len(guesses))
    holds = pruned[:, torch.arange(81), answer].all(-1)
    assert pruned.any(-1).all() and (pruned <= before).all()
    assert (holds == ~doomed).all()
    seen = wrong & ~doomed
    assert 0 < seen.sum() < wrong.sum()
    for row in seen.nonzero().flatten().tolist():
        cell, state = guesses[row]
        assert not pruned[row, cell, state]
    untouched, still = prune_guesses(before, after, wrong, [None] * len(guesses))
    assert (untouched == after).all() and (still == wrong).all()
