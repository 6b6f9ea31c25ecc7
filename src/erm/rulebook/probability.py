"""Log-probabilities from logits: what the L_k of Eq. 6 may be, and what the losses read."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def log_softmax(logits: Float[Tensor, "*shape"], dim: int = -1) -> Float[Tensor, "*shape"]:
    """The usual log-probabilities, in float64."""
    return torch.log_softmax(_widened(logits), dim)


def log_stablemax(logits: Float[Tensor, "*shape"], dim: int = -1) -> Float[Tensor, "*shape"]:
    """Log-probabilities in proportion to s(x) = x + 1 for x >= 0, else 1 / (1 - x), in float64.

    HRM, TRM and EqR are trained with them: s grows no faster than x, so logits stay small.
    """
    logits = _widened(logits)
    log_s = torch.where(
        logits >= 0, torch.log1p(logits.clamp(min=0)), -torch.log1p((-logits).clamp(min=0))
    )
    return log_s - torch.logsumexp(log_s, dim, keepdim=True)


def _widened(logits: Tensor) -> Tensor:
    # Apple's GPUs have no float64.
    return logits.float() if logits.device.type == "mps" else logits.double()
