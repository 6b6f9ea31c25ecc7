"""From a reasoner's logits to answers and to log-probabilities over states."""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.model.card import Probabilities
from erm.rulebook.memory import CLAMPED
from erm.rulebook.probability import log_stablemax

Decoding = Literal["raw", "clamped"]
"""raw: each cell's likeliest state whatever is printed there, as EqR and TRM evaluate themselves;
clamped: within its domain, so that clues are always repeated rightly."""


def default_decoding(structured: bool) -> Decoding:
    """Raw for token-based reasoners; structured ones read the domain and never answer outside."""
    return "clamped" if structured else "raw"


class Decoded(NamedTuple):
    """What candidates say, in states that count from 0."""

    states: Int[Tensor, "B n"]
    log_probs: Float[Tensor, "B n S"]
    confidence: Float[Tensor, " B"]
    """Mean largest log-probability over the cells that no clue fixes."""


def state_scores(
    logits: Float[Tensor, "B n V"],
    domain: Bool[Tensor, "B n S"],
    answer_tokens: Int[Tensor, "B n S"] | None,
) -> Float[Tensor, "B n S"]:
    """A score of each state; those outside the domain are out of the question.

    Logits of token-based reasoners are read at the tokens by which each cell writes its states;
    structured reasoners speak of states directly and need no `answer_tokens`.
    """
    scores = logits if answer_tokens is None else logits.gather(-1, answer_tokens)
    return scores.masked_fill(~domain, -CLAMPED)


def state_log_probs(
    logits: Float[Tensor, "B n V"],
    domain: Bool[Tensor, "B n S"],
    answer_tokens: Int[Tensor, "B n S"] | None,
    probabilities: Probabilities = "softmax",
) -> Float[Tensor, "B n S"]:
    """L_k[i, d] of Eq. 6: log p of each state, given that the state is one of the domain.

    What is not a finite number says nothing: a network that breaks down is one that knows nothing.
    """
    logits = logits.nan_to_num(0.0, CLAMPED, -CLAMPED)
    scores = log_stablemax(logits).to(logits) if probabilities == "stablemax" else logits
    return torch.log_softmax(state_scores(scores, domain, answer_tokens), -1)


def decode(
    logits: Float[Tensor, "B n V"],
    domain: Bool[Tensor, "B n S"],
    answer_tokens: Int[Tensor, "B n S"] | None,
    given: Bool[Tensor, "B n"],
    probabilities: Probabilities = "softmax",
    decoding: Decoding = "clamped",
) -> Decoded:
    """Answers by argmax; `given` marks the cells that the printed clues fix.

    Log-probabilities, which Eq. 6 reads, are clamped either way ("clue cells are clamped to their
    input digits before scoring"). A raw answer is the best token among those that write a state.
    """
    log_probs = state_log_probs(logits, domain, answer_tokens, probabilities)
    best, states = log_probs.max(-1)
    if decoding == "raw":
        scores = state_scores(logits.nan_to_num(0.0), torch.ones_like(domain), answer_tokens)
        states = scores.argmax(-1)
    free = ~given
    confidence = (best * free).double().sum(-1) / free.sum(-1).clamp(min=1)
    return Decoded(states, log_probs, confidence)
