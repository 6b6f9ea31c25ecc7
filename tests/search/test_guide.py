"""Guided guesses: sound bookkeeping, no labels, and more solved than without."""

from dataclasses import replace

import numpy as np
import pytest
import tiny
import torch

from erm.model.codec import Prediction
from erm.model.decode import Decoded
from erm.model.marginals import branching_cells
from erm.model.reasoner import Carry, Reasoner
from erm.rulebook.propagate import prune
from erm.rulebook.registry import load_task
from erm.search.batch import Batch, Candidate, View
from erm.search.deadline import NEVER
from erm.search.guide import Guide
from erm.search.options import SearchOptions
from erm.search.problem import Problem
from erm.search.search import Search
from erm.search.tree import Branch, Tree

task = load_task("sudoku")
problem = Problem(task, task.parse("1..." + "." * 12))


def view_of(candidates, domain, marginals, value) -> View:
    rows = len(candidates)
    decoded = Decoded(marginals.argmax(-1), marginals.log(), torch.zeros(rows))
    prediction = Prediction(marginals.log(), torch.zeros(rows), value)
    carry = Carry(torch.randn(rows, 16, 4, 2), torch.randn(rows, 16, 4, 2))
    return View(candidates, domain, lambda: decoded, prediction, carry)


def one_candidate(guide: Guide, of: Problem = problem) -> Candidate:
    return Candidate(of, 0, of.draw(0, 0), guide.tree(of))


def waiting(tree: Tree) -> list[Branch]:
    """Every branch that waits, the next one first."""
    return [tree.take() for _ in range(len(tree.waiting))]


def even_marginals(domain: torch.Tensor) -> torch.Tensor:
    return (domain / domain.sum(-1, keepdim=True)).clamp(min=1e-9)


def test_a_settled_candidate_guesses_and_leaves_the_other_branch():
    guide = Guide(first=2, prune=False)
    candidate, domain = one_candidate(guide), problem.inputs.domain.clone()
    marginals = even_marginals(domain)
    marginals[0, 5] = torch.tensor([0.01, 0.01, 0.6, 0.38])
    first = guide(view_of([candidate], domain, marginals, torch.ones(1)))
    assert first is not None and (first.domain == domain).all()
    edits = guide(view_of([candidate], domain, marginals, torch.ones(1)))
    assert edits is not None
    assert edits.domain[0, 5].tolist() == [False, False, True, False]
    (other,) = waiting(candidate.tree)
    assert other.domain[5].tolist() == [True, True, False, True]
    # Its probability: the value's word for the whole, times what the marginals leave.
    expected = torch.sigmoid(torch.tensor(1.0)) * 0.4
    assert abs(other.log_probability - expected.log()) < 1e-6


def test_the_rulebook_prunes_the_root_and_both_branches():
    guide = Guide(first=1)
    candidate, domain = one_candidate(guide), problem.inputs.domain.clone()
    marginals = even_marginals(domain)
    marginals[0, 5] = torch.tensor([0.01, 0.01, 0.6, 0.38])
    root = guide(view_of([candidate], domain, marginals, torch.ones(1)))
    assert root is not None
    # A 1 in the corner leaves no 1 to its row, column and box.
    assert not root.domain[0, [1, 2, 3, 4, 5, 8, 12], 0].any()
    edits = guide(view_of([candidate], root.domain, marginals, torch.ones(1)))
    assert edits is not None
    assert edits.domain[0, 5].tolist() == [False, False, True, False]
    assert not edits.domain[0, [4, 6, 7, 1, 9, 13], 2].any()


HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."


def test_a_guess_that_the_rules_refute_is_ruled_out_without_the_network():
    own = Problem(task, task.parse(HARD))
    root = torch.from_numpy(prune(own.rules, own.rules.domain[None]))
    guesses = [tuple(pair) for pair in root[0].nonzero().tolist() if root[0, pair[0]].sum() > 2]
    tried = root.repeat(len(guesses), 1, 1)
    for row, (cell, state) in enumerate(guesses):
        tried[row, cell] = torch.arange(9) == state
    refuted = ~prune(own.rules, tried.numpy()).any((1, 2))
    cell, state = guesses[int(refuted.argmax())]
    marginals = even_marginals(root)
    marginals[0, cell] = torch.where(torch.arange(9) == state, 0.9, 1e-3)
    guide = Guide(first=1, probes=0)
    candidate = one_candidate(guide, own)
    carry = Carry(torch.zeros(1, 81, 9, 2), torch.zeros(1, 81, 9, 2))
    view = replace(view_of([candidate], root, marginals, torch.ones(1)), carry=carry)
    assert refuted.any()
    guide(view)
    edits = guide(view)
    assert edits is not None and not edits.domain[0, cell, state]


def test_a_doubtful_candidate_takes_a_more_probable_branch_with_its_thoughts():
    guide = Guide(first=2)
    candidate, domain = one_candidate(guide), problem.inputs.domain.clone()
    tree, root = candidate.tree, problem.pruned
    thoughts = Carry(torch.ones(16, 4, 2), torch.zeros(16, 4, 2))
    guide(view_of([candidate], domain, even_marginals(domain), torch.ones(1)))
    other = root.copy()
    other[5, 0] = other[10, 1] = False
    tree.leave(Branch(root, -3.0))
    tree.leave(Branch(other, -1.0, thoughts))
    now = torch.from_numpy(root)[None]
    edits = guide(view_of([candidate], now, even_marginals(domain), -torch.ones(1)))
    assert edits is not None and edits.carry is not None
    assert (edits.domain[0].numpy() == other).all()
    assert (edits.carry.z_H[0] == 1).all() and not edits.restart.any()
    # What it leaves is not lost, only less probable than what it takes.
    left = [branch.log_probability for branch in waiting(tree)]
    assert left == pytest.approx([float(torch.sigmoid(torch.tensor(-1.0)).log()), -3.0])


def test_contradictory_clues_leave_a_candidate_as_it_is():
    # Two 1s in a row: the rules leave no answer at all.
    own, guide = Problem(task, task.parse("1..1" + "." * 12)), Guide(first=2)
    candidate, domain = one_candidate(guide, own), own.inputs.domain
    assert candidate.tree.exhausted and not candidate.tree.answers
    for _ in range(3):
        assert guide(view_of([candidate], domain, even_marginals(domain), torch.ones(1))) is None


def test_probing_rules_out_what_the_network_doubts_and_the_rules_refute():
    # A 1 below each of the first two cells would leave the third row's box without one.
    own = Problem(task, task.parse("...." + "...." + "1..." + "..2."))
    domain = prune(own.rules, own.rules.domain[None])[0]
    marginals = even_marginals(torch.from_numpy(domain)).numpy()

    def after(probes, share=0.0):
        return Tree(own.rules, domain, probes=probes)._probe(domain, marginals, share, NEVER)

    probed = after(64)
    assert (after(1, share=1.0) == probed).all()
    answers = tiny.grids()[:, [8, 14]] == [1, 2]
    answers = torch.from_numpy(tiny.grids()[answers.all(1)] - 1)
    for answer in answers.numpy():
        assert probed[np.arange(16), answer].all()
    assert probed.sum() <= after(4).sum() <= domain.sum()


def test_branches_of_an_earlier_wave_wait_for_the_next():
    guide = Guide(first=1)
    candidate, domain = one_candidate(guide), problem.inputs.domain.clone()
    for _ in range(2):
        edits = guide(view_of([candidate], domain, even_marginals(domain), torch.ones(1)))
        assert edits is not None
    heir = replace(one_candidate(guide), k=1, tree=candidate.tree)
    inherited = guide(view_of([heir], problem.inputs.domain, even_marginals(domain), torch.ones(1)))
    assert inherited is not None
    taken = candidate.tree.working
    assert list(taken) == [1] and (inherited.domain[0].numpy() == taken[1].domain).all()
    assert taken[1].log_probability < 0


@pytest.mark.parametrize("prune", [True, False])
def test_a_guided_search_solves_more_than_plain_rollouts(tiny_reasoner, prune):
    puzzles = list(tiny.puzzles(24, seed=7))
    options = SearchOptions(depth=24, width=4)

    def solved(proposal):
        search = Search(tiny_reasoner, options, proposal=proposal)
        return sum(one.certified for one in search.run(Problem(task, puzzle) for puzzle in puzzles))

    assert solved(Guide(prune=prune)) > solved(None)
    if prune:
        assert solved(Guide()) == len(puzzles)


def full_pools(reasoner, puzzles, width, **options):
    wanted = SearchOptions(depth=24, width=width, mode="full", **options)
    search = Search(reasoner, wanted, proposal=Guide(prune=False))
    attempts = {one.number: one for one in search.run(Problem(task, one) for one in puzzles)}
    assert all(one.evaluations == 24 * width for one in attempts.values())
    return [attempts[number].pool() for number in range(len(puzzles))]


def test_candidates_that_the_network_guides_run_to_their_end_each_by_itself(tiny_reasoner):
    puzzles = list(tiny.puzzles(8, seed=99, clues=(4, 4)))
    wide = full_pools(tiny_reasoner, puzzles, 4)
    for narrow, pool in zip(full_pools(tiny_reasoner, puzzles, 2, chunk=1), wide, strict=True):
        np.testing.assert_array_equal(narrow.answers, pool.answers[:2])
    plain = Search(tiny_reasoner, SearchOptions(depth=24, width=4, mode="full"))
    rolled = list(plain.run(Problem(task, one) for one in puzzles))
    assert sum(pool.valid.sum() for pool in wide) > sum(one.pool().valid.sum() for one in rolled)


def test_a_tree_without_rules_asks_none_and_keeps_what_is_settled(monkeypatch):
    def asked(*_):
        raise AssertionError("a rule was asked")

    monkeypatch.setattr(type(problem.rules), "is_valid", asked)
    monkeypatch.setattr("erm.search.tree.prune", asked)
    monkeypatch.setattr("erm.search.tree.probe", asked)
    tree, draw = Tree(problem.rules, problem.rules.domain, prune=False), torch.Generator()
    marginals = np.full((16, 4), 0.25, np.float32)
    branch = tree.take()
    while (branch.domain.sum(-1) > 1).any():
        ahead = tree.expand(branch, marginals, -1.0, draw)
        assert ahead is not None
        branch = ahead
    # Four equal rows break the rules; the network's value alone can give them up.
    assert tree.expand(branch, marginals, -1.0, draw) is branch
    tree.leave(branch)
    assert not tree.answers and not tree.exhausted


def test_guided_rollouts_leave_guessing_to_the_guide(tiny_reasoner):
    hinting = Reasoner(replace(tiny_reasoner.config, hints=True))
    batch = Batch(hinting)
    batch.admit([one_candidate(Guide(prune=False))])
    assert batch.carry.hints is None
    batch = Batch(hinting)
    batch.admit([Candidate(problem, 0, problem.draw(0, 0))])
    assert batch.carry.hints is not None


def test_branching_prefers_few_plausible_states_and_leaves_settled_cells_for_last():
    domain = torch.ones(1, 3, 4, dtype=torch.bool)
    marginals = torch.tensor(
        [[[0.25, 0.25, 0.25, 0.25], [0.5, 0.48, 0.01, 0.01], [0.99, 0.01, 0.0, 0.0]]]
    )
    cells, found = branching_cells(marginals, domain, torch.zeros(1, 3))
    assert cells.tolist() == [1] and found.tolist() == [True]
    cells, found = branching_cells(marginals[:, 2:], domain[:, 2:], torch.zeros(1, 1))
    assert cells.tolist() == [0] and found.tolist() == [True]
    _, found = branching_cells(marginals, domain & (marginals > 0.3), torch.zeros(1, 3))
    assert found.tolist() == [True]
    _, found = branching_cells(marginals, torch.eye(4).bool()[None, :3], torch.zeros(1, 3))
    assert found.tolist() == [False]
