from collections import deque
from dataclasses import dataclass, field, replace

import boards
import numpy as np
import pytest
import tiny
import torch

from erm.errors import InputError
from erm.model.config import ReasonerConfig
from erm.model.decode import state_log_probs
from erm.model.inputs import collate
from erm.model.reasoner import Carry, Reasoner
from erm.rulebook.factor import Factor
from erm.rulebook.registry import load_task
from erm.rulebook.rules import Rules
from erm.search.guidance import Guidance, Guide, local_energies, logit_gradient
from erm.search.options import SearchOptions
from erm.search.problem import Problem
from erm.search.rollouts import Batch, Candidate
from erm.search.search import Search
from erm.search.solver import Solver
from erm.search.temper import TemperOptions, temper

FEW = 4


@dataclass
class Row:
    k: int = 0
    depth: int = 1
    local_energies: deque = field(default_factory=lambda: deque(maxlen=1))


def structured(**changes) -> Reasoner:
    config = {"hidden": 8, "inner": 16, "states": 4, "partitions": 3, "lattice": False}
    return Reasoner(ReasonerConfig(**{**config, **changes})).eval()


def token_based(prefix: int = 0) -> Reasoner:
    torch.manual_seed(0)
    return Reasoner(
        ReasonerConfig(
            mixer="token-mlp", hidden=8, vocabulary=11, length=16, rope="none", prefix=prefix
        )
    ).eval()


NETWORKS = {
    "pairs": lambda: structured(interchangeable=True),
    "cells": lambda: structured(interchangeable=False),
    "tokens": token_based,
    "tokens behind a prefix": lambda: token_based(prefix=2),
}


def problems(count: int = FEW) -> list[Problem]:
    return [Problem(load_task("sudoku"), one) for one in tiny.puzzles(count, 99, clues=(4, 6))]


def batch_of(some: list[Problem]):
    return collate([one.encoding for one in some], rules=[one.rules for one in some])


@pytest.mark.parametrize("probabilities", ["softmax", "stablemax"])
@pytest.mark.parametrize("tau", [1.0, 0.5])
@pytest.mark.parametrize("name", NETWORKS)
def test_the_gradient_is_that_of_autograd(name, tau, probabilities):
    reasoner, inputs = NETWORKS[name]().double(), batch_of(problems())
    shape = reasoner.codec.latent_shape(inputs)
    z = 2 * torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    eta = 0.3
    guide = Guide(Guidance(eta, tau=tau), reasoner, 8, probabilities)
    rows = [Row(k) for k in range(FEW)]
    with torch.inference_mode():
        moved = guide.steer(Carry(z, z), inputs, rows, torch.Generator())
    free = z.clone().requires_grad_()
    logits = reasoner.codec.answer(free, inputs).logits
    assert logits.dtype == torch.float32  # The codec rounds; the read-out itself does not.
    logits = reasoner.codec.state_logits(free, inputs)
    log_probs = state_log_probs(logits, inputs.domain, None, probabilities)
    (g,) = torch.autograd.grad(
        local_energies(inputs.rules, log_probs, inputs.domain, tau).sum(), free
    )
    size = torch.tensor(rms(g), dtype=g.dtype).reshape(-1, *[1] * (g.dim() - 1))
    torch.testing.assert_close(moved.z_H, z - eta * g / size, atol=1e-6, rtol=0)
    assert torch.equal(moved.z_L, z)


@pytest.mark.parametrize("task", ["lightup", "tapa", "maze", "heyawake", "nurikabe"])
def test_memories_of_every_kind_have_that_gradient(task):
    rules = load_task(task).rules(boards.solved(task, np.random.default_rng(5)))
    cells, states = rules.domain.shape
    domain = torch.from_numpy(rules.domain)[None]
    draw = torch.Generator().manual_seed(3)
    logits = torch.randn(1, cells, states, generator=draw, dtype=torch.float64).requires_grad_()
    log_probs = state_log_probs(logits, domain, None)
    (g,) = torch.autograd.grad(local_energies([rules], log_probs, domain).sum(), logits)
    found = logit_gradient([rules], log_probs.detach(), domain)
    torch.testing.assert_close(found, g, atol=1e-6, rtol=0)


def pool(reasoner, some, **options):
    search = Search(reasoner, SearchOptions(5, 4, "full", **options))
    found = {one.number: one.pool() for one in search.run(some)}
    return [found[number] for number in sorted(found)]


def test_guidance_0_is_no_guidance(tiny_reasoner):
    (plain,), (zero,), (guided,) = (
        pool(tiny_reasoner, problems(1), **options)
        for options in ({}, {"guidance": 0.0}, {"guidance": 0.3})
    )
    np.testing.assert_array_equal(plain.q, zero.q)
    np.testing.assert_array_equal(plain.energy.total, zero.energy.total)
    assert (plain.q != guided.q).any()


@pytest.mark.parametrize("schedule", ["constant", "falling", "confidence", "stalled"])
def test_rows_do_not_depend_on_the_batch(tiny_reasoner, schedule):
    guidance = Guidance(0.3, schedule, on="both")
    alone = [pool(tiny_reasoner, [one], guidance=guidance, chunk=1)[0] for one in problems(3)]
    together = pool(tiny_reasoner, problems(3), guidance=guidance, rows=64, chunk=8)
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.answers, other.answers)
        np.testing.assert_allclose(one.q, other.q, atol=1e-4)


@pytest.mark.parametrize("name", ["pairs", "tokens"])
def test_guidance_lowers_the_local_energy(tiny_reasoner, name):
    reasoner = tiny_reasoner if name == "pairs" else token_based()
    some = problems(8)
    inputs = batch_of(some)

    def energy(carry):
        logits = reasoner.codec.state_logits(carry.z_H, inputs).double()
        log_probs = state_log_probs(logits, inputs.domain, None)
        return local_energies(inputs.rules, log_probs, inputs.domain).mean()

    with torch.inference_mode():
        draw = torch.Generator().manual_seed(0)
        carry, _ = reasoner.step(reasoner.start(inputs, draw), inputs, draw)
        guide = Guide(Guidance(0.1), reasoner, 8)
        assert energy(guide.steer(carry, inputs, [Row() for _ in some], draw)) < energy(carry)


def steered(rows, guidance, depth=8, temperature=None):
    """The moves of z_H and z_L."""
    reasoner, inputs = token_based(), batch_of(problems())
    with torch.inference_mode():
        carry = reasoner.start(inputs, torch.Generator().manual_seed(0))
        draw = torch.Generator().manual_seed(0)
        new = Guide(guidance, reasoner, depth).steer(carry, inputs, rows, draw, temperature)
    return new.z_H - carry.z_H, new.z_L - carry.z_L


def lengths(rows, guidance):
    return [rms(move) for move in steered(rows, guidance)]


def rms(moves):
    return moves.flatten(1).pow(2).mean(1).sqrt().tolist()


def test_eta_is_the_length_of_a_step_and_the_first_step_is_free():
    moved, still = lengths([Row(depth=depth) for depth in (0, 1, 2, 7)], Guidance(0.3))
    assert moved == pytest.approx([0, 0.3, 0.3, 0.3], rel=1e-4)
    assert still == [0] * FEW


def test_schedules():
    rows = [Row(depth=depth) for depth in (1, 2, 4, 8)]
    moved, _ = lengths(rows, Guidance(0.8, "falling"))
    assert moved == pytest.approx([0.7, 0.6, 0.4, 0], rel=1e-4)
    moved, _ = lengths(rows, Guidance(0.8, "confidence"))
    assert all(0 < one < 0.8 for one in moved)
    rows = [Row() for _ in range(FEW)]
    assert lengths(rows, Guidance(0.8, "stalled"))[0] == [0] * FEW
    assert lengths(rows, Guidance(0.8, "stalled"))[0] == pytest.approx([0.8] * FEW, rel=1e-4)
    moved, low = lengths([Row(k) for k in range(4)], Guidance(0.8, share=0.5, on="L"))
    assert moved == [0] * FEW
    assert low == pytest.approx([0, 0.8, 0, 0.8], rel=1e-4)


def test_langevin_moves_have_the_temperature_that_they_are_given():
    rows, eta = [Row() for _ in range(FEW)], 0.8
    heat = torch.tensor([0.0, 1e-4, 1e-1, 1e3], dtype=torch.float64)
    noisy, _ = steered(rows, Guidance(eta, langevin=True), temperature=heat)
    plain, _ = steered(rows, Guidance(eta))
    # The part along the gradient is the drift: noise has next to nothing there.
    along = [float((a * b).sum() / (b * b).sum()) for a, b in zip(noisy, plain, strict=True)]
    drift = torch.tensor(along).reshape(-1, 1, 1) * plain
    noise = rms(noisy - drift)
    assert noise[0] == pytest.approx(0, abs=1e-5)
    assert noise == sorted(noise)
    assert noise[1] < eta / 4, "a cold replica has little noise"
    assert noise[3] == pytest.approx(eta, rel=0.2)
    assert along[:2] == pytest.approx([1, 1], abs=0.1)
    assert abs(along[3]) < 0.4, "a hot replica is hardly guided"


def test_langevin_noise_needs_tempering():
    with pytest.raises(InputError, match="which only tempering has"):
        SearchOptions(guidance=Guidance(0.3, langevin=True))


@pytest.mark.parametrize("langevin", [False, True])
def test_tempering_takes_it(tiny_reasoner, langevin):
    small = {"depth": 4, "ladders": 2, "rungs": 2, "metropolis": True}
    plain, guided = (
        temper(tiny_reasoner, problems(1)[0], TemperOptions(**small, guidance=guidance))
        for guidance in (0.0, Guidance(0.3, "stalled", langevin=langevin))
    )
    assert guided.evaluations == plain.evaluations == 16


def test_full_and_adaptive_solve_with_it(tiny_reasoner):
    solver = Solver(tiny_reasoner, {"task": "sudoku"})
    (puzzle,) = tiny.puzzles(1, 5)
    for options in ({"mode": "full"}, {"rules": False}):
        result = solver.solve(puzzle, 4, 4, guidance=0.3, **options)
        assert result.evaluations
    lane = solver.lane
    assert lane(SearchOptions(mode="full", guidance=0.3)) == "network with energy guidance"
    assert lane(TemperOptions(guidance=Guidance(0.3))) == "network with energy guidance"
    assert lane(SearchOptions(mode="full")) == "network alone"


def test_potentials_blame_cells():
    rules = load_task("nurikabe").rules(boards.solved("nurikabe", np.random.default_rng(5)))
    cells, states = rules.domain.shape
    domain = torch.from_numpy(rules.domain)[None]
    logits = torch.zeros(1, cells, states, dtype=torch.float64)
    logits[..., 0] = 1.0  # One island that is too large.
    log_probs = state_log_probs(logits, domain, None)
    local, both = (logit_gradient([rules], log_probs, domain, 1.0, p) for p in (False, True))
    more = both - local
    assert (more[..., 0] >= 0).all() and more.any()
    torch.testing.assert_close(more.sum(-1), torch.zeros(1, cells, dtype=torch.float64))


def test_labels():
    assert Guidance(0.3).label == "guidance0.3"
    mixed = Guidance(0.3, "falling", 0.5, "both", langevin=True)
    assert mixed.label == "guidance0.3-falling-share0.5-both-langevin"


@pytest.mark.parametrize(
    "wrong", [{"eta": -1.0}, {"eta": float("nan")}, {"share": 0.0}, {"tau": 0.0}]
)
def test_what_cannot_be(wrong):
    with pytest.raises(InputError):
        Guidance(**{"eta": 0.3, **wrong})


def test_what_cannot_be_guided(tiny_reasoner):
    problem = problems(1)[0]
    vars(problem)["rules"] = Rules(problem.rules.domain, (), (), task="a free task")
    batch = Batch(tiny_reasoner, guide=Guide(Guidance(0.3), tiny_reasoner, 4))
    with pytest.raises(InputError, match="needs local memories, but a free task has none"):
        batch.admit([Candidate(problem, 0, problem.draw(0, 0))])
    with pytest.raises(InputError, match="goes by the rules alone"):
        Solver(None, {"task": "sudoku"}).solve(tiny.puzzles(1, 5)[0], guidance=0.3)


class Mute:
    """A memory without a gradient."""

    def free_energy(self, cost, tau):
        return cost.detach().sum((-2, -1))

    def accepts(self, states):
        return np.ones(states.shape[:-1], bool)

    def supported(self, domain):
        return domain

    def patterns(self):
        return np.zeros((1, 2), np.int64)


def test_a_memory_without_a_gradient_is_an_input_error():
    rules = problems(1)[0].rules
    mute = replace(rules, factors=(Factor("mute", np.array([[0, 1]]), Mute()),), task="mime")
    domain = torch.from_numpy(rules.domain)[None]
    log_probs = state_log_probs(torch.zeros(1, 16, 4, dtype=torch.float64), domain, None)
    with pytest.raises(InputError, match="one of mime does not"):
        logit_gradient([mute], log_probs, domain)
