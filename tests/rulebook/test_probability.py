"""Softmax and stablemax as log-probabilities."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from erm.rulebook.probability import log_softmax, log_stablemax


def plain_stablemax(logits: list[float]) -> torch.Tensor:
    s = torch.tensor([x + 1 if x >= 0 else 1 / (1 - x) for x in logits], dtype=torch.float64)
    return s / s.sum()


@settings(max_examples=80, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9))
def test_stablemax_is_its_definition(logits):
    ours = log_stablemax(torch.tensor(logits, dtype=torch.float64)).exp()
    torch.testing.assert_close(ours, plain_stablemax(logits), rtol=1e-9, atol=0)


def test_both_normalise_along_any_dimension_in_float64():
    logits = torch.linspace(-50, 50, 24).reshape(2, 3, 4)
    for log_probs in (log_softmax, log_stablemax):
        for dim in (0, 1, -1):
            value = log_probs(logits, dim)
            assert value.dtype == torch.float64
            total = value.exp().sum(dim)
            torch.testing.assert_close(total, torch.ones_like(total))


def test_stablemax_gradient_against_finite_differences_and_at_zero():
    logits = torch.tensor([[-3.0, 0.5, 2.0], [1.0, -0.1, -7.0]], dtype=torch.float64)
    assert torch.autograd.gradcheck(log_stablemax, logits.requires_grad_())
    zero = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(log_stablemax(zero)[0], zero)
    torch.testing.assert_close(slope, torch.tensor([0.5, -0.5], dtype=torch.float64))
