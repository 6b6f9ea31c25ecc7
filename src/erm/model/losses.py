"""The loss of one step: cross entropy of the answer and BCE of the halting logit."""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.model.codec import RULED_OUT, Prediction
from erm.model.decode import state_scores
from erm.model.inputs import Inputs
from erm.rulebook.probability import log_softmax, log_stablemax

LossName = Literal["stablemax", "softmax"]


class Judgement(NamedTuple):
    """The loss of one step and what it is made of, a number per row."""

    total: Float[Tensor, ""]
    answer: Float[Tensor, " B"]
    """Mean cross entropy of a row's open cells."""
    exact: Bool[Tensor, " B"]
    """Whether the decoded answer is the right one."""
    cells: Float[Tensor, " B"]
    """Share of a row's cells decoded rightly."""


def judge(
    prediction: Prediction,
    inputs: Inputs,
    answers: Int[Tensor, "B n"],
    structured: bool,
    loss: LossName = "softmax",
    q_weight: float = 0.5,
) -> Judgement:
    """Cross entropy + 0.5 BCE(q, exactly right).

    The loss of a structured reasoner is over the cells and states that its domain leaves open, and
    its answer lies within them. That of a token-based one is over every token of the board, clues
    too, and its answer is the largest logit over the whole vocabulary, as in the official code.
    Sums are divided by the batch, so the mean over processes is the whole.
    """
    labels, logits = answers, prediction.logits
    mask = inputs.mask()
    real = torch.ones_like(answers, dtype=torch.bool) if mask is None else mask
    asked = real
    if structured:
        logits = logits.masked_fill(~inputs.domain, RULED_OUT)
        asked = inputs.domain.sum(-1) > 1
    else:
        labels = inputs.answer_tokens.gather(-1, answers[..., None]).squeeze(-1)
    logs = (log_stablemax if loss == "stablemax" else log_softmax)(logits)
    per_cell = -logs.gather(-1, labels[..., None]).squeeze(-1) * asked
    per_row = per_cell.sum(-1) / asked.sum(-1).clamp(min=1)
    with torch.no_grad():
        scores = prediction.logits
        if structured:
            scores = state_scores(scores, inputs.domain, None)
        right = scores.argmax(-1) == labels
        exact = (right | ~real).all(-1)
        cells = (right & real).sum(-1) / real.sum(-1)
    total = per_row.mean()
    q_loss = F.binary_cross_entropy_with_logits(prediction.q, exact.to(prediction.q))
    total = total + q_weight * q_loss
    return Judgement(total, per_row.detach(), exact, cells)
