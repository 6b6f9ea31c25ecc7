"""Boards of several shapes in one batch: what lies behind a board changes nothing about it."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from model_boards import TOKENS, seeded

from erm.errors import InputError
from erm.model.config import ReasonerConfig
from erm.model.inputs import Inputs, Padding, collate
from erm.model.losses import judge
from erm.model.reasoner import Carry, Reasoner
from erm.types import Encoding

QUIET = replace(TOKENS, path_noise=0.0, length=14)
CONFIGS = {
    "token-mlp": QUIET,
    "token-mlp behind a prefix": replace(QUIET, prefix=2, identifiers=1),
    "attention": replace(QUIET, mixer="attention", rope="1d"),
    "attention behind a prefix": replace(
        QUIET, mixer="attention", rope="1d", prefix=2, identifiers=1
    ),
    "attention by row and column": replace(QUIET, mixer="attention", rope="2d"),
    "energy-transformer": replace(QUIET, mixer="energy-transformer"),
    "energy-transformer by row and column": replace(QUIET, mixer="energy-transformer", rope="2d"),
}
every_mixer = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
SHAPES = [(3, 4), (2, 3), (1, 5), (4, 3)]
PADDING = Padding(cells=14, states=3)


def boards(states: int = 2) -> list[Encoding]:
    draw = np.random.default_rng(0)
    return [
        Encoding(
            shape=shape,
            domain=np.ones((cells, states), bool),
            features=np.ones((cells, 1), np.float32),
            partitions=np.zeros((1, cells), np.int64),
            tokens=draw.integers(1, 7, cells),
            answer_tokens=np.tile(np.arange(1, 1 + states), (cells, 1)),
        )
        for shape in SHAPES
        for cells in [shape[0] * shape[1]]
    ]


def build(config: ReasonerConfig) -> Reasoner:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        reasoner = Reasoner(config)
        # A judge of zeros would say the same of every board.
        torch.nn.init.normal_(reasoner.codec.q_head.weight)
        return reasoner


def together(reasoner: Reasoner) -> tuple[Inputs, Carry, list[tuple[Inputs, Carry]]]:
    """A padded batch and each of its boards alone, all from the same latent states."""
    inputs = collate(boards(), padding=PADDING)
    carry = reasoner.start(inputs, seeded(1))
    alone = []
    for row, encoding in enumerate(boards()):
        size = reasoner.config.prefix + len(encoding.tokens)
        own = Carry(carry.z_H[row : row + 1, :size], carry.z_L[row : row + 1, :size])
        alone.append((collate([encoding]), own))
    return inputs, carry, alone


@every_mixer
def test_a_padded_board_is_what_it_is_alone(config: ReasonerConfig) -> None:
    reasoner = build(config)
    inputs, carry, alone = together(reasoner)
    with torch.inference_mode():
        for _ in range(3):
            carry, said = reasoner.step(carry, inputs, seeded(0))
        energies = reasoner.energy(carry, inputs)
        for row, (board, own) in enumerate(alone):
            for _ in range(3):
                own, own_said = reasoner.step(own, board, seeded(0))
            cells = board.tokens.shape[1]
            torch.testing.assert_close(
                said.logits[row, :cells], own_said.logits[0], atol=2e-3, rtol=0
            )
            torch.testing.assert_close(said.q[row], own_said.q[0], atol=2e-3, rtol=0)
            if energies is not None:
                mine = reasoner.energy(own, board)
                assert mine is not None
                torch.testing.assert_close(energies[row], mine[0], atol=1e-2, rtol=1e-4)


@every_mixer
def test_the_loss_of_a_padded_batch_and_its_gradient_are_the_mean_of_its_boards(config) -> None:
    reasoner = build(replace(config, h_cycles=1)).double()
    inputs, carry, alone = together(reasoner)
    answers = torch.zeros(len(SHAPES), PADDING.cells, dtype=torch.int64)
    for row, encoding in enumerate(boards()):
        answers[row, : len(encoding.tokens)] = 1

    def loss_of(board: Inputs, own: Carry, right: torch.Tensor) -> torch.Tensor:
        _, said = reasoner.step(own, board, seeded(0))
        return judge(said, board, right, False, "stablemax").total

    whole = loss_of(inputs, carry, answers)
    whole.backward()
    gradients = {
        name: p.grad.clone() for name, p in reasoner.named_parameters() if p.grad is not None
    }
    reasoner.zero_grad()
    parts = [
        loss_of(board, own, answers[row : row + 1, : board.tokens.shape[1]])
        for row, (board, own) in enumerate(alone)
    ]
    mean = torch.stack(parts).mean()
    mean.backward()
    torch.testing.assert_close(whole, mean)
    for name, parameter in reasoner.named_parameters():
        if parameter.grad is not None:
            torch.testing.assert_close(gradients[name], parameter.grad, msg=name)


def test_padding_neither_spoils_nor_makes_a_right_answer() -> None:
    inputs = collate(boards(), padding=PADDING)
    answers = torch.zeros(len(SHAPES), PADDING.cells, dtype=torch.int64)
    reasoner = build(QUIET)
    _, said = reasoner.step(reasoner.start(inputs, seeded(0)), inputs, seeded(0))
    logits = torch.zeros_like(said.logits)
    logits[..., 1] = 1.0  # Token 1 is state 0, which is right on every cell,
    logits[:, -1, 1] = -1.0  # and what is said behind the boards is no answer at all.
    right = judge(said._replace(logits=logits), inputs, answers, False)
    assert right.exact.all()
    assert right.cells.tolist() == [1.0] * len(SHAPES)
    logits[:, 0, 2] = 2.0
    wrong = judge(said._replace(logits=logits), inputs, answers, False)
    assert not wrong.exact.any()
    cells = torch.tensor([height * width for height, width in SHAPES])
    torch.testing.assert_close(wrong.cells, (cells - 1) / cells)


def test_the_official_q_target_is_the_largest_logit_of_the_whole_vocabulary() -> None:
    """A token that writes no state is as wrong as another state, and clues are not filled in."""
    inputs = collate(boards()[:1])
    answers = torch.zeros(1, 12, dtype=torch.int64)
    reasoner = build(QUIET)
    _, said = reasoner.step(reasoner.start(inputs, seeded(0)), inputs, seeded(0))
    logits = torch.zeros_like(said.logits)
    logits[..., 1] = 1.0
    assert judge(said._replace(logits=logits), inputs, answers, False).exact.all()
    logits[:, 3, 0] = 2.0  # Token 0 writes nothing.
    assert not judge(said._replace(logits=logits), inputs, answers, False).exact.any()


def test_boards_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="12 cells and 2 states does not fit into 8"):
        collate(boards()[:1], padding=Padding(8, 3))
    with pytest.raises(InputError, match="one shape"):
        collate(boards())
