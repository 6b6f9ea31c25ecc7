"""Guided commitments: sound bookkeeping, no labels, and more solved than without."""

import torch

from erm.infer.batch import Candidate, View
from erm.infer.decode import Decoded
from erm.infer.guide import Branch, Guide, Tree
from erm.infer.problem import Problem
from erm.model.marginals import branching_cells
from erm.model.reasoner import Carry
from erm.model.surface import Prediction
from erm.task import load_task

task = load_task("sudoku")
problem = Problem(task, task.parse("1..." + "." * 12))


def view_of(candidates, domain, marginals, value) -> View:
    rows = len(candidates)
    decoded = Decoded(marginals.argmax(-1), marginals.log(), torch.zeros(rows))
    prediction = Prediction(marginals.log(), torch.zeros(rows), value)
    carry = Carry(torch.randn(rows, 16, 4, 2), torch.randn(rows, 16, 4, 2))
    return View(candidates, domain, decoded, prediction, carry)


def one_candidate() -> Candidate:
    return Candidate(problem, 0, torch.Generator().manual_seed(0))


def even_marginals(domain: torch.Tensor) -> torch.Tensor:
    return (domain / domain.sum(-1, keepdim=True)).clamp(min=1e-9)


def test_a_settled_candidate_commits_and_leaves_the_other_branch():
    candidate, domain = one_candidate(), problem.inputs.domain.clone()
    domain[0, 5] = torch.tensor([True, False, True, False])
    marginals = even_marginals(domain)
    marginals[0, 5] = torch.tensor([0.7, 1e-9, 0.3, 1e-9])
    guide = Guide(first=2)
    assert guide(view_of([candidate], domain, marginals, torch.ones(1))) is None
    edits = guide(view_of([candidate], domain, marginals, torch.ones(1)))
    assert edits is not None
    assert edits.domain[0, 5].tolist() == [True, False, False, False]
    ((_, _, other),) = candidate.shared["tree"].waiting
    assert other.domain[5].tolist() == [False, False, True, False]
    assert abs(other.log_probability - torch.tensor(0.3).log()) < 1e-6


def test_a_refuted_candidate_takes_the_most_probable_branch_with_its_thoughts():
    candidate, domain = one_candidate(), problem.inputs.domain.clone()
    tree = candidate.shared["tree"] = Tree()
    thoughts = Carry(torch.ones(16, 4, 2), torch.zeros(16, 4, 2))
    tree.leave(Branch(domain[0], None, -3.0))
    tree.leave(Branch(~domain[0], thoughts, -1.0))
    edits = Guide(first=1)(view_of([candidate], domain, even_marginals(domain), -torch.ones(1)))
    assert edits is not None and edits.carry is not None
    assert (edits.domain[0] == ~domain[0]).all()
    assert (edits.carry.z_H[0] == 1).all() and not edits.restart.any()
    assert [branch.log_probability for _, _, branch in tree.waiting] == [-3.0]


def test_with_nothing_left_it_starts_afresh_from_the_clues():
    candidate, domain = one_candidate(), problem.inputs.domain.clone()
    domain[0, 3] = torch.tensor([False, True, False, False])
    edits = Guide(first=1)(view_of([candidate], domain, even_marginals(domain), -torch.ones(1)))
    assert edits is not None and edits.restart.all()
    assert (edits.domain == problem.inputs.domain).all()


def test_branching_prefers_few_plausible_states_and_skips_settled_cells():
    domain = torch.ones(1, 3, 4, dtype=torch.bool)
    marginals = torch.tensor(
        [[[0.25, 0.25, 0.25, 0.25], [0.5, 0.48, 0.01, 0.01], [0.99, 0.01, 0.0, 0.0]]]
    )
    cells, found = branching_cells(marginals, domain, torch.zeros(1, 3))
    assert cells.tolist() == [1] and found.tolist() == [True]
    _, found = branching_cells(marginals[:, 2:], domain[:, 2:], torch.zeros(1, 1))
    assert found.tolist() == [False]
