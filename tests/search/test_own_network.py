"""Networks of somebody's own: a GRU with a carry of two parts, and mistakes in one."""

import numpy as np
import pytest
import tiny
import torch
from torch import nn

import erm
from erm.errors import InputError
from erm.evaluate.run import evaluate, temper_all
from erm.formats.dataset import load_dataset, save_dataset
from erm.search.options import SearchOptions
from erm.search.temper import TemperOptions

TEMPER = TemperOptions(depth=3, ladders=1, rungs=3, noise=0.5, metropolis=True)


class Gru(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.read = nn.Embedding(6, width)
        self.cell = nn.GRUCell(width, width)
        self.write = nn.Linear(width, 4, bias=False)

    def sizes(self):
        return 16, 6

    def start(self, tokens, draw):
        return draw(tokens.shape[1], self.cell.hidden_size), draw(3)

    def step(self, carry, tokens, draw):
        z, count = carry
        z = self.cell(self.read(tokens).flatten(0, 1), z.flatten(0, 1)).view_as(z)
        return (z + draw(*z.shape[1:]), count + 1), self.write(z), count[:, 0]


@pytest.fixture
def network():
    torch.manual_seed(0)
    return Gru()


@pytest.fixture
def puzzle():
    return tiny.puzzles(1, seed=3)[0]


def test_it_is_searched_and_no_candidate_depends_on_the_batch(network, puzzle):
    solver = erm.Solver(network, "sudoku")
    found = [
        solver.solve(puzzle, 6, 3, mode="full", chunk=chunk, keep_log_probs=True).candidates
        for chunk in (1, 4, None)
    ]
    for other in found[1:]:
        np.testing.assert_array_equal(other.answers, found[0].answers)
        np.testing.assert_allclose(other.log_probs, found[0].log_probs, atol=1e-5)
    assert len(np.unique(found[0].answers, axis=0)) > 1
    assert len({*found[0].q.tolist()}) == 6
    assert np.isfinite(found[0].residual).all()
    # Printed digits are never answered otherwise.
    printed = puzzle.givens["digits"].ravel()
    assert (found[0].answers[:, printed > 0] == printed[printed > 0]).all()
    assert solver.solve(puzzle, 4, 4).certified
    assert next(solver.search(puzzle, 4, 2, rules=False)).depth == 1
    assert "Gru" in repr(solver)


def test_a_carry_comes_back_as_it_was_given(network, puzzle):
    plain = erm.Solver(network, "sudoku")

    class OnePart(Gru):
        def start(self, tokens, draw):
            return super().start(tokens, draw)[:1]

        def step(self, carry, tokens, draw):
            (z,) = carry
            (z, _), logits, _ = super().step((z, z[:, 0]), tokens, draw)
            return [z], logits

    other = OnePart()
    other.load_state_dict(network.state_dict())
    found = [
        one.solve(puzzle, 3, 3, mode="full").candidates
        for one in (plain, erm.Solver(other, "sudoku"))
    ]
    np.testing.assert_array_equal(found[0].answers, found[1].answers)
    assert not found[1].q.any()


def test_noise_on_the_carry_moves_both_parts(network, puzzle):
    solver = erm.Solver(network, erm.load_task("sudoku"))
    plain, noisy = (
        solver.solve(puzzle, 3, 3, mode="full", sigma=sigma, keep_log_probs=True).candidates
        for sigma in (0.0, 1.0)
    )
    assert (plain.q != noisy.q).all()
    assert (plain.log_probs != noisy.log_probs).any()


def test_it_is_tempered_and_evaluated_under_its_own_name(network, tmp_path):
    save_dataset(tiny.puzzles(3, seed=4), tmp_path / "data.jsonl")
    data = load_dataset(tmp_path / "data.jsonl")
    solver = erm.Solver(network, "sudoku")
    options = SearchOptions(depth=3, width=4, mode="full")
    results = evaluate(solver, data, options, tmp_path / "run", quiet=True)
    assert results is not None
    described = results["checkpoint"]
    assert described["name"] == described["architecture"] == "Gru"
    assert described["parameters"] == sum(one.numel() for one in network.parameters())
    assert results["puzzles"]["total"] == 3
    tempered = temper_all(solver, data, TEMPER, ["energy", "qhead"], tmp_path / "t", quiet=True)
    assert tempered is not None and {*tempered["energies"]} == {"energy", "qhead"}
    with torch.no_grad():
        network.write.weight += 1
    assert erm.Solver(network, "sudoku", name="mine").describe()["name"] == "mine"
    assert solver.describe()["sha256"] != described["sha256"]
    with pytest.raises(InputError, match="holds a run"):
        evaluate(solver, data, options, tmp_path / "run", quiet=True)


def test_what_it_cannot_do_is_one_sentence(network, puzzle, tmp_path):
    solver = erm.Solver(network, "sudoku")
    with pytest.raises(InputError, match="up to 16 cells, got 81"):
        solver.solve("." * 81, 2, 2, mode="full")
    with pytest.raises(InputError, match="guidance"):
        solver.solve(puzzle, 2, 2, mode="full", guidance=0.5)
    with pytest.raises(InputError, match="path noise"):
        solver.solve(puzzle, 2, 2, mode="full", path_noise=0.5)
    with pytest.raises(InputError, match="compile"):
        solver.reasoner.compile_step()
    with pytest.raises(InputError, match="lacks start, step, sizes"):
        erm.Solver(nn.Linear(2, 2), "sudoku")


@pytest.mark.parametrize(
    ("method", "wrong", "said"),
    [
        ("start", lambda tokens, draw: draw(), "batch first"),
        ("start", lambda tokens, draw: (), "batch first"),
        ("start", lambda tokens, draw: tokens, "floating-point"),
        ("start", lambda tokens, draw: 1 / 0, "ZeroDivisionError"),
        ("step", lambda carry, tokens, draw: (carry, tokens), "batch, cells, states"),
        ("step", lambda carry, tokens, draw: (carry, None), "got NoneType"),
        ("step", lambda carry, tokens, draw: (carry, draw(16, 4), draw(2)), "one q a board"),
        ("step", lambda carry, tokens, draw: (carry[0][:1], draw(16, 4)), "batch first"),
        ("step", lambda carry, tokens, draw: carry, "batch, cells, states"),
    ],
)
def test_mistakes_in_it_are_one_sentence(network, puzzle, unchecked, method, wrong, said):
    setattr(network, method, wrong)
    with pytest.raises(InputError, match=said):
        erm.Solver(network, "sudoku").solve(puzzle, 2, 2, mode="full")
