"""Optimisers, the learning rate schedule and the moving average of the weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Literal

import torch
from torch import Tensor, nn

OptimiserName = Literal["adamw", "adam-atan2"]
Decay = Literal["cosine", "constant"]


def make_optimiser(
    name: OptimiserName,
    parameters: Iterable[nn.Parameter],
    lr: float,
    betas: tuple[float, float],
    weight_decay: float,
) -> torch.optim.Optimizer:
    if name == "adam-atan2":
        return AdamATan2(parameters, lr, betas, weight_decay)
    return torch.optim.AdamW(parameters, lr, betas, weight_decay=weight_decay, fused=True)


def scheduled_rate(
    lr: float, step: int, steps: int, warmup: int, decay: Decay, lr_min: float
) -> float:
    """The learning rate of step 1, 2, ... `steps`: a linear rise, then constant or a cosine."""
    if step <= warmup:
        return lr * step / warmup
    if decay == "constant":
        return lr
    done = (step - warmup) / max(1, steps - warmup)
    fall = 0.5 * (1 + math.cos(math.pi * min(1.0, done)))
    return lr * (lr_min + (1 - lr_min) * fall)


class AdamATan2(torch.optim.Optimizer):
    """Adam with atan2(m, sqrt v) in place of m / (sqrt v + eps): bounded, and free of scale.

    As in the published kernel that HRM, TRM and EqR use, only v is bias-corrected inside the
    angle and the step is lr / (1 - beta1^t).
    """

    def __init__(
        self,
        params: Iterable[nn.Parameter],
        lr: float = 1e-4,
        betas: tuple[float, float] = (0.9, 0.95),
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        loss = closure() if closure is not None else None
        for group in self.param_groups:
            for param in group["params"]:
                if param.grad is not None:
                    self._update(param, group)
        return loss

    def _update(self, param: Tensor, group: dict) -> None:
        memory = self.state[param]
        if not memory:
            memory["step"] = torch.tensor(0.0)
            memory["exp_avg"] = torch.zeros_like(param)
            memory["exp_avg_sq"] = torch.zeros_like(param)
        memory["step"] += 1
        count, (beta1, beta2) = memory["step"].item(), group["betas"]
        mean = memory["exp_avg"].lerp_(param.grad, 1 - beta1)
        square = memory["exp_avg_sq"].mul_(beta2).addcmul_(param.grad, param.grad, value=1 - beta2)
        angle = torch.atan2(mean, square.div(1 - beta2**count).sqrt_())
        param.mul_(1 - group["lr"] * group["weight_decay"])
        param.sub_(angle, alpha=group["lr"] / (1 - beta1**count))


class SignSGD(torch.optim.Optimizer):
    """A step of one size against the gradient's sign, with decoupled decay: how HRM and TRM train
    their puzzle embeddings. It remembers nothing."""

    def __init__(
        self, params: Iterable[nn.Parameter], lr: float = 1e-4, weight_decay: float = 0.0
    ) -> None:
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        loss = closure() if closure is not None else None
        for group in self.param_groups:
            for param in group["params"]:
                if param.grad is not None:
                    param.mul_(1 - group["lr"] * group["weight_decay"])
                    param.sub_(param.grad.sign(), alpha=group["lr"])
        return loss


class MovingAverage:
    """EMA of the weights.

    With `warmup` its memory grows with the steps, so that short runs are not held back; without,
    it is constant, as that of TRM and EqR is.
    """

    def __init__(self, model: nn.Module, decay: float, warmup: bool = True) -> None:
        self.decay, self.warmup = decay, warmup
        self.live = list(model.parameters())
        self.shadow = [param.detach().clone() for param in self.live]

    @torch.no_grad()
    def update(self, step: int) -> None:
        """After optimiser step 1, 2, ..."""
        decay = min(self.decay, (1 + step) / (10 + step)) if self.warmup else self.decay
        for own, live in zip(self.shadow, self.live, strict=True):
            own.lerp_(live, 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Inside the block the model holds the average instead of its own weights."""
        own = [param.detach().clone() for param in self.live]
        self._put(self.shadow)
        try:
            yield
        finally:
            self._put(own)

    @torch.no_grad()
    def _put(self, values: list[Tensor]) -> None:
        for live, value in zip(self.live, values, strict=True):
            live.copy_(value)
