"""The energy transformer of Hoover et al. 2023: a block whose update descends an explicit energy.

With g the layer-normed state, q = W_Q g, k = W_K g and memories xi,

    E(g) = -1/beta sum_{head, c} log sum_{b != c} exp(beta k_b . q_c)
           - 1/2 sum_{position, mu} relu(xi_mu . g)^2

and a block moves the state by -step dE/dg. As dg/dz is positive semi-definite, a small
step lowers E. The norm after the update rescales z, which g does not see.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from erm.model.config import ReasonerConfig
from erm.model.inputs import Inputs
from erm.model.layers import linear, rms_norm
from erm.model.rotary import Rotary

STEP = 1.0
"""Length of a step along the gradient before training adapts it."""


class EnergyTransformerBlock(nn.Module):
    """One step down the sum of an attention energy and a Hopfield energy."""

    def __init__(self, config: ReasonerConfig) -> None:
        super().__init__()
        hidden, self.heads, self.prefix = config.hidden, config.heads, config.prefix
        self.beta = 1 / math.sqrt(hidden // config.heads)
        self.query = linear(hidden, hidden)
        self.key = linear(hidden, hidden)
        self.memories = linear(hidden, config.inner)
        self.rotary = Rotary.of(config)
        # Logarithms keep gain and step positive, without which the energy could rise.
        self.log_gain = nn.Parameter(torch.zeros(()))
        self.shift = nn.Parameter(torch.zeros(hidden))
        self.log_step = nn.Parameter(torch.tensor(math.log(STEP)))

    def forward(self, z: Float[Tensor, "B m h"], inputs: Inputs) -> Float[Tensor, "B m h"]:
        z = rms_norm(z)
        return rms_norm(z - self.log_step.exp() * self.gradient(self.normed(z), inputs))

    def energy(self, z: Float[Tensor, "B m h"], inputs: Inputs) -> Float[Tensor, " B"]:
        """E of each row's state, the architectural score of the paper's EqR+ET."""
        return self.energy_of(self.normed(z), inputs)

    def normed(self, z: Float[Tensor, "B m h"]) -> Float[Tensor, "B m h"]:
        """g, the layer norm with one gain, which makes dg/dz positive semi-definite."""
        return self.log_gain.exp() * F.layer_norm(z, z.shape[-1:]) + self.shift

    def energy_of(
        self, g: Float[Tensor, "B m h"], inputs: Inputs | None = None
    ) -> Float[Tensor, " B"]:
        scores, _, _ = self._scores(g, inputs)
        attention = -scores.logsumexp(-1) / self.beta
        hopfield = -0.5 * self.memories(g).relu().square().sum(-1)
        mask = self._mask(inputs)
        if mask is not None:
            attention, hopfield = attention * mask[:, None], hopfield * mask
        return attention.sum((1, 2)) + hopfield.sum(1)

    def gradient(
        self, g: Float[Tensor, "B m h"], inputs: Inputs | None = None
    ) -> Float[Tensor, "B m h"]:
        """dE/dg in closed form, so that inference and training need no second derivative."""
        scores, query, key = self._scores(g, inputs)
        weights, mask = scores.softmax(-1), self._mask(inputs)
        if mask is not None:
            weights = weights * mask[:, None, :, None]
        to_query = self._joined(weights @ key, inputs) @ self.query.weight
        to_key = self._joined(weights.transpose(-1, -2) @ query, inputs) @ self.key.weight
        to_memories = self.memories(g).relu() @ self.memories.weight
        return -(to_query + to_key + to_memories)

    def _mask(self, inputs: Inputs | None) -> Tensor | None:
        return None if inputs is None else inputs.mask(self.prefix)

    def _scores(self, g: Tensor, inputs: Inputs | None) -> tuple[Tensor, Tensor, Tensor]:
        """beta k_b . q_c at [row, head, c, b], where no position attends to itself or padding."""
        query, key = (self._split(project(g), inputs) for project in (self.query, self.key))
        hidden = torch.eye(g.shape[1], dtype=torch.bool, device=g.device)
        mask = self._mask(inputs)
        if mask is not None:
            hidden = hidden | ~mask[:, None, None]
        scores = self.beta * query @ key.transpose(-1, -2)
        return scores.masked_fill(hidden, -math.inf), query, key

    def _split(
        self, vectors: Float[Tensor, "B m h"], inputs: Inputs | None
    ) -> Float[Tensor, "B heads m d"]:
        heads = vectors.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        return heads if self.rotary is None else self.rotary(heads, inputs)

    def _joined(
        self, heads: Float[Tensor, "B heads m d"], inputs: Inputs | None
    ) -> Float[Tensor, "B m h"]:
        heads = heads if self.rotary is None else self.rotary.back(heads, inputs)
        return heads.transpose(1, 2).flatten(-2)
