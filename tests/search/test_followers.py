"""Followers: who keeps to himself, whose thoughts are taken up, and that nothing else changes."""

from dataclasses import replace

import numpy as np
import pytest
import tiny
import torch

from erm.errors import InputError
from erm.model.decode import Decoded
from erm.model.reasoner import Reasoner
from erm.rulebook.registry import load_task
from erm.search.batch import Batch, Candidate, View
from erm.search.followers import Followers
from erm.search.guide import Guide
from erm.search.options import SearchOptions
from erm.search.problem import Problem
from erm.search.search import Search
from erm.search.solver import Solver

task = load_task("sudoku")
first, second = (Problem(task, puzzle) for puzzle in tiny.puzzles(2, seed=5))


@pytest.fixture
def hinting(tiny_reasoner) -> Reasoner:
    """The same weights; its rollouts guess."""
    reasoner = Reasoner(replace(tiny_reasoner.config, hints=True))
    reasoner.load_state_dict(tiny_reasoner.state_dict())
    return reasoner.eval()


def view_of(reasoner: Reasoner, problems, values, depth: int = 8) -> View:
    """Candidates 0, 1, ... of each problem, that deep, with such values."""
    batch = Batch(reasoner)
    numbers = [sum(one is other for other in problems[:i]) for i, one in enumerate(problems)]
    batch.admit(
        [Candidate(one, k, one.draw(0, k)) for one, k in zip(problems, numbers, strict=True)]
    )
    prediction = batch.step()._replace(value=torch.tensor(values, dtype=torch.float32))
    for candidate in batch.candidates:
        candidate.depth = depth

    def decode() -> Decoded:
        raise AssertionError("followers go by values alone")

    return View(batch.candidates, batch.domain, decode, prediction, batch.carry)


def leaders(view: View, edits) -> list[int]:
    """Whose latent states each row has now."""
    before, after = view.carry.z_H.flatten(1), edits.carry.z_H.flatten(1)
    return [int((before == row).all(1).nonzero()[0, 0]) for row in after]


def test_who_believes_little_goes_on_from_one_who_believes_more(hinting):
    view = view_of(hinting, [first] * 4, [-50.0, -50.0, 50.0, 50.0])
    edits = Followers()(view)
    assert edits is not None and not edits.restart.any()
    found = leaders(view, edits)
    assert found[0] == 0, "the first goes its own way, however little it believes"
    assert found[1] in (2, 3) and found[2:] == [2, 3]
    assert edits.carry is not None and edits.carry.hints is not None
    assert (edits.carry.hints.marks == view.carry.hints.marks[found]).all()


def test_nobody_moves_between_two_looks_or_where_all_believe_alike(hinting):
    values = [-50.0, -50.0, 50.0, 50.0]
    assert Followers()(view_of(hinting, [first] * 4, values, depth=7)) is None
    assert Followers()(view_of(hinting, [first] * 4, [50.0] * 4)) is None
    assert Followers(alone=1)(view_of(hinting, [first] * 4, values)) is None


def test_puzzles_do_not_look_at_each_other(hinting):
    view = view_of(hinting, [first] * 2 + [second] * 2, [-50.0, -50.0, 50.0, 50.0])
    edits = Followers()(view)
    assert edits is None or leaders(view, edits)[:2] in ([0, 0], [0, 1])


def test_a_value_that_is_no_number_is_even_odds(hinting):
    view = view_of(hinting, [first] * 4, [float("nan"), -50.0, float("nan"), 50.0])
    edits = Followers()(view)
    assert edits is not None and leaders(view, edits)[1] != 1


def test_pools_do_not_depend_on_chunks_or_on_puzzles_beside(hinting):
    puzzles = list(tiny.puzzles(4, seed=99, clues=(4, 4)))

    def pools(several, **options):
        wanted = SearchOptions(depth=24, width=8, mode="full", **options)
        search = Search(hinting, wanted, proposal=Followers(every=2))
        attempts = {one.number: one for one in search.run(Problem(task, one) for one in several)}
        assert all(one.evaluations == 24 * 8 for one in attempts.values())
        return [attempts[number].pool().answers for number in range(len(several))]

    together = pools(puzzles)
    for puzzle, answers in zip(puzzles, together, strict=True):
        np.testing.assert_array_equal(pools([puzzle], chunk=3)[0], answers)


def test_candidates_are_read_where_their_search_ends_and_not_at_every_look(hinting, monkeypatch):
    read = []
    decode = Batch.decode

    def counted(batch: Batch, prediction, rows) -> Decoded:
        read.append(batch.candidates[0].depth)
        return decode(batch, prediction, rows)

    monkeypatch.setattr(Batch, "decode", counted)
    wanted = SearchOptions(depth=6, width=4, mode="full")
    (attempt,) = Search(hinting, wanted, proposal=Followers(every=2)).run([first])
    assert read == [6] and attempt.records.known.all()


def test_followers_guide_where_rollouts_guess_and_a_tree_where_they_do_not(hinting, tiny_reasoner):
    card = {"task": "sudoku", "options": {"guess": 0.1}}
    full = SearchOptions(depth=4, width=2, mode="full")
    assert isinstance(Solver(hinting, card).guide_for(full, "network"), Followers)
    tree = Solver(tiny_reasoner, card).guide_for(full, "network")
    assert isinstance(tree, Guide) and not tree.prune


@pytest.mark.parametrize("wrong", [{"every": 0}, {"alone": 0}])
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(InputError, match="1 or more"):
        Followers(**wrong)
