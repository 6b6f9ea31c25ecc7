"""Pruning against brute force: memories lose exactly what no pattern has, rulebooks no answer."""

import numpy as np
import pytest
from boards import PENCIL, prune_alone, solved_pencil, solved_sudoku, valid_states
from hypothesis import given
from hypothesis import strategies as st

import erm
from erm.rulebook.counting import AtLeast, AtMost, Between, Exactly
from erm.rulebook.factor import Factor
from erm.rulebook.memory import Enumerated
from erm.rulebook.permanent import Permutations
from erm.rulebook.potential import Potential
from erm.rulebook.propagate import prune, prune_batch
from erm.rulebook.rules import Rules

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


@pytest.mark.parametrize("memory", MEMORIES, ids=str)
def test_compiled_scopes_keep_what_the_memory_supports(memory):
    cells = memory.patterns().shape[1]
    states = getattr(memory, "states", cells if isinstance(memory, Permutations) else 2)
    factor = Factor("rule", np.arange(cells)[None, ::-1], memory)
    rng = np.random.default_rng(0)
    domain = rng.random((200, cells, states)) < 0.75
    expected = memory.supported(domain[:, ::-1])[:, ::-1]
    expected &= domain.any(-1).all(-1)[:, None, None]
    np.testing.assert_array_equal(prune_alone(factor, domain), expected)


def test_long_scopes_of_many_states_fill_several_words():
    rng = np.random.default_rng(1)
    patterns = np.unique(rng.integers(0, 5, (40, 26)), axis=0)
    memory = Enumerated(patterns, states=5)
    domain = rng.random((300, 26, 5)) < 0.93
    chosen = patterns[rng.integers(len(patterns), size=300)]
    domain[np.arange(300)[:, None], np.arange(26), chosen] = True
    expected = memory.supported(domain)
    assert 0 < (expected & domain).sum() < domain.sum()
    np.testing.assert_array_equal(
        prune_alone(Factor("rule", np.arange(26)[None], memory), domain), expected
    )


@pytest.mark.parametrize("kind", PENCIL)
def test_all_factors_together_end_where_factor_by_factor_ends(kind):
    rng = np.random.default_rng(3)
    for _ in range(10):
        rules = erm.load_task(kind).rules(solved_pencil(kind, (3, 4), rng))
        domain = rules.domain & (rng.random((40, 12, 2)) < 0.9)
        slow = domain
        for _ in range(12):
            for factor in rules.factors:
                slow = factor.prune(slow)
        slow = slow & slow.any(-1).all(-1)[:, None, None]
        fast = prune(Rules(rules.domain, rules.factors, ()), domain)
        assert slow.any() and not slow.any((1, 2)).all()
        np.testing.assert_array_equal(fast, slow)


def test_a_batch_prunes_each_board_under_its_own_rules():
    rng = np.random.default_rng(4)
    task = erm.load_task("tapa")
    rules = [task.rules(solved_pencil("tapa", (3, 4), rng)) for _ in range(5)]
    domain = np.stack([own.domain for own in rules]) & (rng.random((5, 12, 2)) < 0.95)
    alone = [prune(own, row[None])[0] for own, row in zip(rules, domain, strict=True)]
    np.testing.assert_array_equal(prune_batch(rules, domain), np.stack(alone))


class FirstIsLast(Potential):
    """A rule as a task's author may write it: nothing but Python."""

    name = "first and last cell are alike"

    def violation(self, states):
        return (states[:, 0] != states[:, -1]).astype(float)

    def blame(self, states):
        return np.arange(len(states)) % (len(states) - 1) == 0

    def prune(self, domain):
        pruned, both = domain.copy(), domain[:, 0] & domain[:, -1]
        pruned[:, 0] = pruned[:, -1] = both
        return pruned


def test_rules_that_only_python_knows_take_part():
    one_of_three = Factor("one of three", np.arange(3)[None], Exactly(1, 3))
    rules = Rules(np.ones((3, 2), bool), (one_of_three,), (FirstIsLast(),))
    domain = np.ones((2, 3, 2), bool)
    domain[0, 0, 0] = False  # Cell 0 is 1, so is the last: one too many.
    domain[1, 0, 1] = False  # Cell 0 is 0, so is the last, and 1 is left to the middle.
    pruned = prune(rules, domain)
    assert not pruned[0].any()
    np.testing.assert_array_equal(pruned[1], np.eye(2, dtype=bool)[[0, 1, 0]])


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
