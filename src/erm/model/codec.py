"""Where the latent state meets the board: the board read in, an answer and its q read out."""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol, runtime_checkable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from erm.errors import InputError
from erm.model.config import ReasonerConfig
from erm.model.inputs import Inputs
from erm.model.layers import initialise, linear
from erm.rulebook.retrieve import Channels

FEW = 8
"""Rows of the read-out that cost as much in one product as one row that is looked up."""
HALF_VARIANCE = 0.707106781
"""Keeps the variance of the sum of two embeddings, with the digits of the official code."""
RULED_OUT = -30.0
"""Logit of a state outside the domain: no probability to speak of, yet finite."""


class Prediction(NamedTuple):
    """The output of one step."""

    logits: Float[Tensor, "B n V"]
    """Scores of each cell's states (structured) or tokens (token-based)."""
    q: Float[Tensor, " B"]
    """Halting logit: how likely the answer is exactly right."""


def advice_channels(config: ReasonerConfig) -> Channels | None:
    """The channels of a network's advice; None where it has none."""
    if config.advice == "none":
        return None
    propagation = config.advice == "propagation"
    return Channels(config.factors, config.potentials, propagation, config.preferences)


@runtime_checkable
class ReadOut(Protocol):
    """A linear read-out of z_H, forward and backward: what energy guidance needs of a network."""

    def state_logits(self, z: Tensor, inputs: Inputs) -> Tensor:
        """Scores [B, n, S] of the states of each cell."""
        ...

    def pull_back(self, gradient: Tensor, inputs: Inputs) -> Tensor:
        """A gradient [B, n, S] by these scores as the gradient by z."""
        ...


class VariableCodec(nn.Module):
    """Structured reasoners: one latent vector per cell, or a (cell, state) pair."""

    def __init__(self, config: ReasonerConfig) -> None:
        super().__init__()
        self.pairs = config.interchangeable
        marks = 3 if self.pairs else config.states
        # Most marks are 0: a larger start keeps the printed ones above the latent noise.
        self.read = linear(config.features + marks, config.hidden, bias=True, scale=3.0)
        self.write = linear(config.hidden, 1 if self.pairs else config.states, bias=True)
        # Two outputs, as the official checkpoints have: halt, and one that nothing reads.
        self.q_head = linear(2 * config.hidden, 2, bias=True)
        nn.init.zeros_(self.q_head.weight)
        self.config = config
        self.advice = None
        if (channels := advice_channels(config)) is not None:
            width = len(channels) * (1 if self.pairs else config.states)
            self.advice = linear(width, config.hidden)

    def latent_shape(self, inputs: Inputs) -> tuple[int, ...]:
        batch, cells, states = inputs.domain.shape
        return batch, cells, states if self.pairs else 1, self.config.hidden

    def check(self, inputs: Inputs) -> None:
        config = self.config
        wanted = [
            ("features", inputs.features.shape[-1] == config.features),
            ("states", self.pairs or inputs.domain.shape[-1] == config.states),
            ("groups", inputs.gather.shape[1] % max(config.partitions, 1) == 0),
        ]
        for what, fits in wanted:
            if not fits:
                raise InputError(f"the board's {what} are not those of this reasoner's task")

    def state_logits(self, z: Float[Tensor, "B n V h"], inputs: Inputs) -> Float[Tensor, "B n S"]:
        """Scores of the states of each cell."""
        logits = self.write(z)
        return logits.squeeze(-1) if self.pairs else logits.squeeze(2)

    def pull_back(
        self, gradient: Float[Tensor, "B n S"], inputs: Inputs
    ) -> Float[Tensor, "B n V h"]:
        """A gradient by `state_logits` as the gradient by z."""
        return gradient.unsqueeze(-1 if self.pairs else 2) @ self.write.weight

    def marginals(self, z: Float[Tensor, "B n V h"], inputs: Inputs) -> Float[Tensor, "B n S"]:
        """Marginals of each cell by the read-out of z, within its domain; 0 where it is empty."""
        logits = self.state_logits(z, inputs).float()
        logits = logits.masked_fill(~inputs.domain, -torch.inf)
        return logits.softmax(-1).nan_to_num(0.0)

    def embed(
        self, inputs: Inputs, advice: Float[Tensor, "B n S M"] | None = None
    ) -> Float[Tensor, "B n V h"]:
        domain = inputs.domain.to(self.read.weight.dtype)
        if self.pairs:
            left = inputs.domain.sum(-1, keepdim=True)
            only = inputs.domain & (left == 1)
            marks = torch.stack([domain, only.to(domain), torch.ones_like(domain)], -1)
            features = inputs.features[:, :, None].expand(-1, -1, marks.shape[2], -1)
        else:
            marks, features = domain[:, :, None], inputs.features[:, :, None]
        x = self.read(torch.cat([features.to(domain), marks], -1))
        if self.advice is None or advice is None:
            return x
        flat = advice if self.pairs else advice.flatten(2)[:, :, None]
        return x + self.advice(flat.to(x.dtype))

    def answer(self, z: Float[Tensor, "B n V h"], inputs: Inputs) -> Prediction:
        logits = self.state_logits(z, inputs)
        pooled = torch.cat([z.mean((1, 2)), z.amax((1, 2))], -1)
        return Prediction(logits.float(), self.q_head(pooled)[:, 0].float())


class TokenCodec(nn.Module):
    """EqR, TRM and HRM: a token embedding, perhaps behind a puzzle embedding, and linear heads."""

    def __init__(self, config: ReasonerConfig) -> None:
        super().__init__()
        self.scale = math.sqrt(config.hidden)
        self.prefix, self.length, self.hidden = config.prefix, config.length, config.hidden
        empty = torch.empty(config.vocabulary, config.hidden)
        self.read = nn.Embedding.from_pretrained(empty, freeze=False)
        initialise(self.read.weight, 1 / self.scale)
        self.puzzle = None
        if config.identifiers:
            width = config.puzzle_width or config.hidden
            self.puzzle = nn.Parameter(torch.zeros(config.identifiers, width))
        self.identifier = config.identifier
        self.positions = None
        if config.learned_positions:
            empty = torch.empty(config.prefix + config.length, config.hidden)
            self.positions = nn.Parameter(empty)
            initialise(self.positions, 1 / self.scale)
        self.write = linear(config.hidden, config.vocabulary)
        self.q_head = linear(config.hidden, 2, bias=True)
        nn.init.zeros_(self.q_head.weight)
        nn.init.constant_(self.q_head.bias, -5.0)

    def latent_shape(self, inputs: Inputs) -> tuple[int, ...]:
        batch, cells = inputs.tokens.shape
        return batch, self.prefix + cells, self.hidden

    def check(self, inputs: Inputs) -> None:
        cells = inputs.tokens.shape[1]
        if cells > self.length:
            raise InputError(
                f"this reasoner takes boards of up to {self.length} cells, got {cells}"
            )
        if inputs.tokens.max() >= self.read.num_embeddings:
            raise InputError(
                f"this reasoner knows {self.read.num_embeddings} tokens, "
                f"got token {int(inputs.tokens.max())}: it was made for another task"
            )

    def embed(self, inputs: Inputs, advice: Tensor | None = None) -> Float[Tensor, "B m h"]:
        """Token-based reasoners take no advice: their config does not allow it."""
        board = self.read(inputs.tokens)
        if self.prefix:
            board = torch.cat([self._front(board), board], 1)
        if self.positions is not None:
            board = HALF_VARIANCE * (board + self.positions[: board.shape[1]])
        return self.scale * board

    def _front(self, board: Float[Tensor, "B n h"]) -> Float[Tensor, "B p h"]:
        """The identifier's row of the puzzle embedding, padded with zeros and cut into positions.

        The boards of Sudoku and Maze all have identifier 0.
        """
        size = self.prefix * self.hidden
        row = board.new_zeros(size) if self.puzzle is None else self.puzzle[self.identifier]
        row = F.pad(row, (0, size - len(row)))
        return row.view(1, self.prefix, self.hidden).expand(len(board), -1, -1)

    def state_logits(self, z: Float[Tensor, "B m h"], inputs: Inputs) -> Float[Tensor, "B n S"]:
        """Scores of the tokens that write each cell's states."""
        z = z[:, self.prefix :]
        if not self._few(inputs):
            return self.write(z).gather(-1, inputs.answer_tokens)
        return (self.write.weight[inputs.answer_tokens] * z[:, :, None]).sum(-1)

    def pull_back(self, gradient: Float[Tensor, "B n S"], inputs: Inputs) -> Float[Tensor, "B m h"]:
        """A gradient by `state_logits` as the gradient by z; none for the prefix."""
        if self._few(inputs):
            board = (self.write.weight[inputs.answer_tokens] * gradient[..., None]).sum(2)
        else:
            boards, cells, _ = gradient.shape
            tokens = gradient.new_zeros(boards, cells, len(self.write.weight))
            board = tokens.scatter_add_(-1, inputs.answer_tokens, gradient) @ self.write.weight
        return F.pad(board, (0, 0, self.prefix, 0))

    def _few(self, inputs: Inputs) -> bool:
        """Whether a cell has so few states that it is cheaper to look up their rows of the
        read-out than to read out the whole vocabulary."""
        return FEW * inputs.answer_tokens.shape[-1] < len(self.write.weight)

    def answer(self, z: Float[Tensor, "B m h"], inputs: Inputs) -> Prediction:
        q = self.q_head(z[:, 0])[:, 0].float()
        return Prediction(self.write(z)[:, self.prefix :].float(), q)
