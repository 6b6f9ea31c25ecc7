"""Pruning against brute force: memories lose exactly what no pattern has, rulebooks no answer."""

import numpy as np
import pytest
from boards import PENCIL, solved_pencil, solved_sudoku, valid_states
from hypothesis import given
from hypothesis import strategies as st

import erm
from erm.rulebook.bounds import Bounds
from erm.rulebook.counting import AtLeast, AtMost, Between, Exactly
from erm.rulebook.memory import Enumerated
from erm.rulebook.permanent import Permutations
from erm.rulebook.propagate import prune

MEMORIES = [
    Enumerated(np.array([[0, 1, 2], [1, 1, 0], [2, 0, 0]]), states=3),
    Enumerated(np.zeros((0, 2), np.int64), states=2),
    Permutations(1),
    Permutations(4),
    Permutations(5),
    Exactly(2, 5),
    AtMost(1, 4),
    AtLeast(3, 4),
    Between(1, 2, 4),
    Between(3, 2, 4),
]


@pytest.mark.parametrize("memory", MEMORIES, ids=str)
def test_supported_is_what_the_patterns_within_the_domain_hold(memory):
    patterns = memory.patterns()
    cells = patterns.shape[1]
    states = getattr(memory, "states", cells if isinstance(memory, Permutations) else 2)
    rng = np.random.default_rng(0)
    for density in (0.5, 0.8, 0.95):
        domain = rng.random((60, cells, states)) < density
        expected = np.zeros_like(domain)
        for row, allowed in enumerate(domain):
            for pattern in patterns:
                if allowed[np.arange(cells), pattern].all():
                    expected[row, np.arange(cells), pattern] = True
        np.testing.assert_array_equal(memory.supported(domain), expected)


@pytest.mark.parametrize("kind", PENCIL)
def test_a_rulebook_loses_no_answer_and_refutes_many_domains_that_hold_none(kind):
    rng = np.random.default_rng(7)
    cells = np.arange(12)
    refuted = hopeless = 0
    for _ in range(25):
        puzzle = solved_pencil(kind, (3, 4), rng)
        rules = erm.load_task(kind).rules(puzzle)
        answers = valid_states(puzzle)
        domains = rules.domain & (rng.random((40, 12, 2)) < 0.85)
        for domain, pruned in zip(domains, prune(rules, domains), strict=True):
            inside = answers[domain[cells, answers].all(1)]
            assert all(pruned[cells, answer].all() for answer in inside)
            assert not (pruned & ~domain).any()
            assert pruned.any() == pruned.any(-1).all()
            hopeless += not len(inside)
            refuted += not pruned.any()
    assert hopeless >= refuted > 0.5 * hopeless


@pytest.mark.parametrize("kind", PENCIL)
def test_counts_pruned_together_end_where_factor_by_factor_ends(kind):
    rng = np.random.default_rng(3)
    for _ in range(10):
        rules = erm.load_task(kind).rules(solved_pencil(kind, (3, 4), rng))
        bounds = Bounds(rules.factors, 12)
        domain = rules.domain & (rng.random((40, 12, 2)) < 0.9)
        slow = domain
        for _ in range(12):
            for factor in bounds.factors:
                slow = factor.prune(slow)
        # A cell in no scope is nobody's concern; any other without a state ends the row.
        scoped = np.unique(np.concatenate([f.scopes.ravel() for f in bounds.factors]))
        ended = ~slow[:, scoped].any(-1).all(-1)
        fast = bounds.prune(domain)
        assert 0 < ended.sum() < len(ended)
        assert not fast[ended].any()
        np.testing.assert_array_equal(fast[~ended], slow[~ended])


@given(st.integers(0, 2**32 - 1))
def test_a_pruned_sudoku_keeps_its_answer(seed):
    puzzle = solved_sudoku(9, np.random.default_rng(seed))
    task = erm.load_task("sudoku")
    rules, answer = task.rules(puzzle), task.to_states(puzzle, puzzle.answer)
    pruned = prune(rules, rules.domain[None])[0]
    assert pruned[np.arange(81), answer].all()
    assert (prune(rules, pruned[None])[0] == pruned).all()


def test_singles_solve_an_easy_sudoku_and_a_clash_empties_the_board():
    task = erm.load_task("sudoku")
    text = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    rules = task.rules(task.parse(text))
    pruned = prune(rules, rules.domain[None])[0]
    assert (pruned.sum(-1) == 1).all()
    assert rules.is_valid(pruned.argmax(-1)[None])[0]
    clash = rules.domain.copy()
    clash[2] = np.arange(9) == 4
    assert not prune(rules, clash[None]).any()
