"""Losses against torch's own and against the formulas."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from erm.model.codec import Prediction
from erm.model.decode import state_scores
from erm.model.inputs import Inputs
from erm.model.losses import judge

ROWS, CELLS, STATES, TOKENS = 3, 5, 4, 7


def board(domain: torch.Tensor | None = None) -> Inputs:
    shape = ROWS, CELLS, STATES
    return Inputs(
        shape=(1, CELLS),
        domain=torch.ones(shape, dtype=torch.bool) if domain is None else domain,
        features=torch.zeros(ROWS, CELLS, 0),
        gather=torch.zeros(ROWS, 0, CELLS),
        spread=torch.zeros(ROWS, CELLS, 0),
        tokens=torch.ones(ROWS, CELLS, dtype=torch.int64),
        answer_tokens=torch.arange(2, 2 + STATES).expand(shape).contiguous(),
        sides=torch.tensor([[1, CELLS]] * ROWS),
    )


def predicted(width: int, seed: int = 0) -> Prediction:
    draw = torch.Generator().manual_seed(seed)
    logits = torch.randn(ROWS, CELLS, width, generator=draw)
    return Prediction(logits, torch.randn(ROWS, generator=draw))


ANSWERS = torch.tensor([[0, 1, 2, 3, 0], [3, 3, 3, 3, 3], [1, 2, 1, 2, 1]])


def test_softmax_loss_is_torchs_cross_entropy_plus_half_the_halting_loss():
    prediction = predicted(STATES)
    judgement = judge(prediction, board(), ANSWERS, True)
    expected = F.cross_entropy(prediction.logits.flatten(0, 1), ANSWERS.flatten())
    halting = F.binary_cross_entropy_with_logits(prediction.q, torch.zeros(ROWS))
    assert not judgement.exact.any()
    torch.testing.assert_close(judgement.total.float(), expected + 0.5 * halting)


def test_stablemax_loss_of_tokens_follows_the_published_formula():
    prediction = predicted(TOKENS)
    judgement = judge(prediction, board(), ANSWERS, False, "stablemax", q_weight=0.0)
    x = prediction.logits.double()
    s = torch.where(x < 0, 1 / (1 - x), x + 1)
    probability = s / s.sum(-1, keepdim=True)
    # State v of a cell is written as token v + 2.
    expected = -probability.gather(-1, (ANSWERS + 2)[..., None]).log().mean()
    torch.testing.assert_close(judgement.total, expected)
    assert judgement.total.dtype == torch.float64


def test_exact_answers_raise_the_target_of_q():
    logits = F.one_hot(ANSWERS, STATES).float() * 9
    prediction = Prediction(logits, torch.tensor([2.0, -1.0, 0.5]))
    judgement = judge(prediction, board(), ANSWERS, True)
    assert judgement.exact.all() and judgement.cells.eq(1).all()
    halting = F.binary_cross_entropy_with_logits(prediction.q, torch.ones(ROWS))
    torch.testing.assert_close(
        judgement.total.float(), judgement.answer.mean().float() + 0.5 * halting
    )


def test_decoding_keeps_to_the_domain_and_to_answer_tokens():
    domain = torch.ones(ROWS, CELLS, STATES, dtype=torch.bool)
    domain[0, 0] = torch.tensor([False, False, True, False])
    logits = torch.zeros(ROWS, CELLS, TOKENS)
    logits[..., 0] = 5.0  # padding is no answer
    logits[..., 3] = 1.0  # writes state 1
    states = state_scores(logits, domain, board(domain).answer_tokens).argmax(-1)
    assert states[0, 0] == 2 and states.flatten()[1:].eq(1).all()
