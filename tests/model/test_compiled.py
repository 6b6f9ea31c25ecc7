"""Compiled steps must give the gradients of the plain ones: not every compiler release does."""

import numpy as np
import pytest
import torch

from erm.model.config import ReasonerConfig
from erm.model.device import compiled
from erm.model.inputs import collate
from erm.model.reasoner import Reasoner
from erm.rulebook import Enumerated, Factor
from erm.rulebook.registry import load_task
from erm.rulebook.retrieve import channels_of
from erm.rulebook.rules import Rules
from erm.types import Encoding, Puzzle

BOARDS = {
    "sudoku": Puzzle("sudoku", 4, 4, {"digits": np.eye(4, dtype=np.int8)}),
    "maze": Puzzle("maze", 3, 4, {"cells": np.uint8([[1, 1, 1, 1], [3, 2, 2, 4], [1, 1, 1, 1]])}),
    "lightup": Puzzle("lightup", 3, 3, {"clues": np.int8([[-2, -2, -2], [-2, 4, -2], [-2] * 3])}),
}


def test_code_for_other_vectors_is_not_taken_up_again(monkeypatch, tmp_path):
    """Narrower vectors, or none, find nothing in the cache that wider ones have left."""
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    numbers = torch.linspace(-3, 3, 8 * 64).reshape(8, 64)

    def shares(x):
        return torch.softmax(x * x.flip(0) + x.sin(), -1).sum(0)

    for capability in (None, "default", "avx2"):
        if capability is not None:
            monkeypatch.setenv("ATEN_CPU_CAPABILITY", capability)
        torch._dynamo.reset()
        torch.testing.assert_close(compiled(shares)(numbers), shares(numbers), msg=capability)


def gradients(reasoner: Reasoner, inputs) -> dict[str, torch.Tensor]:
    reasoner.zero_grad()
    carry = reasoner.start(inputs, torch.Generator().manual_seed(1))
    _, prediction = reasoner.step(carry, inputs, torch.Generator().manual_seed(2))
    target = torch.arange(prediction.logits[..., 0].numel()) % prediction.logits.shape[-1]
    loss = torch.nn.functional.cross_entropy(prediction.logits.flatten(0, 1), target)
    (loss + prediction.q.mean()).backward()
    return {name: weight.grad.clone() for name, weight in reasoner.named_parameters()}


def assert_compiled_alike(reasoner: Reasoner, inputs) -> None:
    torch.nn.init.normal_(reasoner.codec.q_head.weight)
    plain = gradients(reasoner, inputs)
    fast = gradients(reasoner.compile_step(), inputs)
    for weight, gradient in plain.items():
        torch.testing.assert_close(fast[weight], gradient, rtol=1e-4, atol=1e-6, msg=weight)


@pytest.mark.parametrize(
    ("name", "messages"), [*((name, 0) for name in sorted(BOARDS)), ("lightup", 2)]
)
def test_compiled_gradients_are_the_plain_ones(unchecked, name, messages):
    torch.manual_seed(0)
    task = load_task(name)
    encoding = task.encode(BOARDS[name])
    config = ReasonerConfig(
        hidden=8,
        inner=16,
        states=encoding.domain.shape[1],
        features=encoding.features.shape[1],
        partitions=len(encoding.partitions),
        interchangeable=task.interchangeable,
        lattice=not task.interchangeable,
        messages=messages,
    )
    assert_compiled_alike(Reasoner(config), collate([encoding] * 2))


@pytest.mark.parametrize("name", ["sudoku", "lightup"])
def test_compiled_gradients_of_reasoners_with_advice_are_the_plain_ones(unchecked, name):
    torch.manual_seed(0)
    task = load_task(name)
    encoding, rules = task.encode(BOARDS[name]), task.rules(BOARDS[name])
    channels = channels_of([rules], True)
    config = ReasonerConfig(
        hidden=8,
        inner=16,
        states=encoding.domain.shape[1],
        features=encoding.features.shape[1],
        partitions=len(encoding.partitions),
        interchangeable=task.interchangeable,
        lattice=not task.interchangeable,
        advice="propagation",
        factors=channels.factors,
        potentials=channels.potentials,
    )
    reasoner = Reasoner(config)
    assert_compiled_alike(reasoner, collate([encoding] * 2, rules=[rules] * 2))
    assert reasoner.codec.advice.weight.grad.any()


def test_compiled_gradients_along_scopes_that_differ_from_row_to_row_are_the_plain_ones(unchecked):
    torch.manual_seed(0)
    different = Enumerated(np.array([(0, 1), (1, 0)]), 2)
    edges = [[(0, 1), (1, 2)], [(2, 3), (0, 3), (1, 3)]]
    domain = np.ones((4, 2), bool)
    rules = [Rules(domain, (Factor("differ", np.array(own), different),), ()) for own in edges]
    zeros = np.zeros((4, 2), np.int64)
    encoding = Encoding(
        (1, 4), domain, np.eye(4, dtype=np.float32), zeros.T[:0], zeros[:, 0], zeros
    )
    config = ReasonerConfig(
        hidden=8, inner=16, states=2, features=4, lattice=False, scopes=True, kinds=("differ",)
    )
    reasoner = Reasoner(config)
    assert_compiled_alike(reasoner, collate([encoding] * 2, rules=rules))
    assert reasoner.blocks[0].tell[0].grad.any()


@pytest.mark.parametrize("mixer", ["token-mlp", "energy-transformer"])
def test_compiled_gradients_of_token_mixers_are_the_plain_ones(unchecked, mixer):
    torch.manual_seed(0)
    encoding = load_task("sudoku").encode(BOARDS["sudoku"])
    config = ReasonerConfig(
        mixer=mixer, hidden=8, inner=16, heads=2, vocabulary=11, length=16, rope="2d", board=(4, 4)
    )
    assert_compiled_alike(Reasoner(config), collate([encoding] * 2))
