"""What training asks of a prediction: the answer, whether it is right, whether it can still be."""

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
    """Mean cross entropy of a row's open cells; 0 where it holds a wrong guess."""
    exact: Bool[Tensor, " B"]
    """Whether the decoded answer is the right one."""
    cells: Float[Tensor, " B"]
    """Share of a row's cells decoded rightly."""


def judge(
    prediction: Prediction,
    inputs: Inputs,
    answers: Int[Tensor, "B n"],
    wrong: Bool[Tensor, " B"],
    structured: bool,
    loss: LossName = "softmax",
    q_weight: float = 0.5,
    value_weight: float = 0.0,
) -> Judgement:
    """Cross entropy + 0.5 BCE(q, exactly right), plus the value's where that is trained.

    A structured reasoner is asked about the cells and states that its domain leaves open and
    decoded within them; a token-based one about every token of the board, clues too, and decoded
    by its largest logit over the whole vocabulary, as the official code does it. A `wrong` row
    holds a guess that rules its answer out: its cells teach nothing, its q and value are 0.
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
    per_row = (per_cell.sum(-1) / asked.sum(-1).clamp(min=1)).masked_fill(wrong, 0.0)
    with torch.no_grad():
        said = prediction.logits
        if structured:
            said = state_scores(said, inputs.domain, None)
        right = said.argmax(-1) == labels
        exact = (right | ~real).all(-1) & ~wrong
        cells = (right & real).sum(-1) / real.sum(-1)
    total = per_row.mean()
    q_loss = F.binary_cross_entropy_with_logits(prediction.q, exact.to(prediction.q))
    total = total + q_weight * q_loss
    if value_weight:
        holds = (~wrong).to(prediction.value)
        value_loss = F.binary_cross_entropy_with_logits(prediction.value, holds)
        total = total + value_weight * value_loss
    return Judgement(total, per_row.detach(), exact, cells)
