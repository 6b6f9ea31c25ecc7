"""AdamATan2 against its formula, the schedule, and the moving average."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
import torch
from torch import nn

from erm.model.optim import AdamATan2, MovingAverage, SignSGD, make_optimiser, scheduled_rate


def run(optimiser: torch.optim.Optimizer, param: nn.Parameter, grads: list[float]) -> float:
    for grad in grads:
        param.grad = torch.full_like(param, grad)
        optimiser.step()
    return param.item()


def test_adam_atan2_follows_its_formula():
    param = nn.Parameter(torch.tensor([2.0], dtype=torch.float64))
    lr, (beta1, beta2), decay = 0.1, (0.9, 0.95), 0.3
    grads = [0.5, -0.2, 3.0]
    x, m, v = 2.0, 0.0, 0.0
    for t, g in enumerate(grads, 1):
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        x *= 1 - lr * decay
        x -= lr / (1 - beta1**t) * math.atan2(m, math.sqrt(v / (1 - beta2**t)))
    assert run(AdamATan2([param], lr, (beta1, beta2), decay), param, grads) == pytest.approx(x)


def test_adam_atan2_does_not_see_the_scale_of_the_gradient():
    ends = []
    for scale in (1e-12, 1.0, 1e12):
        param = nn.Parameter(torch.zeros(1, dtype=torch.float64))
        ends.append(run(AdamATan2([param], 0.1), param, [g * scale for g in (1.0, 2.0, -0.5)]))
    assert ends == pytest.approx([ends[0]] * 3)


@pytest.mark.parametrize("name", ["adamw", "adam-atan2"])
def test_optimisers_find_the_bottom_of_a_bowl(name):
    param = nn.Parameter(torch.tensor([3.0, -2.0]))
    optimiser = make_optimiser(name, [param], 0.05, (0.9, 0.95), 0.0)
    for _ in range(400):
        optimiser.zero_grad()
        ((param - 1) ** 2).sum().backward()
        optimiser.step()
    assert param.tolist() == pytest.approx([1.0, 1.0], abs=0.1)


def test_the_rate_rises_then_falls_to_its_least():
    rates = [scheduled_rate(1.0, step, 100, 10, "cosine", 0.05) for step in range(1, 101)]
    assert rates[:10] == pytest.approx([step / 10 for step in range(1, 11)])
    assert all(after < before for before, after in pairwise(rates[9:]))
    assert rates[-1] == pytest.approx(0.05)
    assert scheduled_rate(1.0, 100, 100, 10, "constant", 0.05) == 1.0


def test_the_average_follows_the_weights_and_gives_them_back():
    model = nn.Linear(2, 2)
    average = MovingAverage(model, 0.9)
    start = model.weight.detach().clone()
    with torch.no_grad():
        model.weight.add_(1.0)
    average.update(step=10**6)
    own = model.weight.detach().clone()
    with average.in_place():
        torch.testing.assert_close(model.weight.detach(), start + 0.1)
    assert torch.equal(model.weight, own)


def test_a_young_average_is_not_held_back_by_the_first_weights():
    model = nn.Linear(1, 1)
    average = MovingAverage(model, 0.999)
    with torch.no_grad():
        model.weight.fill_(5.0)
    for step in range(1, 31):
        average.update(step)
    assert average.shadow[0].item() == pytest.approx(5.0, abs=0.05)


def test_sign_sgd_steps_by_the_sign_and_decays():
    weight = torch.nn.Parameter(torch.tensor([1.0, -2.0, 3.0]))
    weight.grad = torch.tensor([0.3, -7.0, 0.0])
    SignSGD([weight], lr=0.1, weight_decay=0.5).step()
    torch.testing.assert_close(weight.data, torch.tensor([0.85, -1.8, 2.85]))


def test_a_constant_average_has_the_same_memory_from_the_first_step():
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    constant, growing = (MovingAverage(model, 0.9, warmup=warmup) for warmup in (False, True))
    torch.nn.init.ones_(model.weight)
    for average in (constant, growing):
        average.update(1)
    assert constant.shadow[0].item() == pytest.approx(0.1)
    assert growing.shadow[0].item() == pytest.approx(1 - 2 / 11)
