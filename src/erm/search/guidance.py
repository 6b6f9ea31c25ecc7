"""Energy guidance: the gradient of the local energy steers the recursion between two steps.

With p the read-out's probabilities and costs -log p (Eq. 6), minus the gradient of the energy by a
cell's logits is the sum over its rules of r - p, where r is the retrieval of the rule's memory.
The read-out is linear and pulls this back to z_H: z_H <- z_H - eta g / rms(g). See
docs/guidance.md.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from erm.errors import InputError
from erm.model.card import Probabilities
from erm.model.codec import ReadOut
from erm.model.config import MAX_ETA
from erm.model.decode import state_log_probs
from erm.model.inputs import Inputs
from erm.model.layers import Draw, normal_like
from erm.model.noise import Purpose
from erm.model.reasoner import Carry, Reasoner
from erm.rulebook.energy import clamp, holders
from erm.rulebook.memory_marginals import retrievals
from erm.rulebook.retrieve import blame
from erm.rulebook.rules import Rules

Schedule = Literal["constant", "falling", "confidence", "stalled"]
On = Literal["H", "L", "both"]
STILL_FALLING = 0.01
"""An energy that falls by less than this share of itself has stopped falling."""
TINY = 1e-9
"""Added to rms(g): a row without a gradient stays where it is."""


@dataclass(frozen=True)
class Guidance:
    """How strongly the energy steers which candidates, and when."""

    eta: float
    """eta, the length of a step in root mean squares of the gradient; 0 is off."""
    schedule: Schedule = "constant"
    """constant; falling: linearly with depth, to 0 at D; confidence: times one minus the mean
    largest probability of the row's open cells; stalled: only where the row's energy has stopped
    falling."""
    share: float = 1.0
    """Share of the candidates that are guided, evenly spread over k."""
    on: On = "H"
    """The latent states that take the step: z_H, z_L or both."""
    langevin: bool = False
    """Tempering only: z_H <- z_H - epsilon g + sqrt(2 epsilon T) xi at the replica's temperature T,
    epsilon the largest at which neither part is longer than eta."""
    potentials: bool = False
    """Count a cell that a potential blames as a memory of all states but the decoded one."""
    tau: float = 1.0
    """tau, the retrieval temperature; at 1 the retrieval is the exact marginal under the rule."""

    def __post_init__(self) -> None:
        if not 0 <= self.eta <= MAX_ETA:
            raise InputError(f"guidance must be 0 to {MAX_ETA:g}, got {self.eta}")
        if not 0 < self.share <= 1:
            raise InputError(f"the guided share must be above 0 and at most 1, got {self.share}")
        if not self.tau > 0:
            raise InputError(f"tau must be above 0, got {self.tau}")
        for name, known in (("schedule", Schedule), ("on", On)):
            if getattr(self, name) not in known.__args__:
                names = ", ".join(known.__args__)
                raise InputError(f"guidance's {name} is one of {names}, got {getattr(self, name)}")

    @classmethod
    def of(cls, given: float | Guidance) -> Guidance | None:
        """None where guidance is off."""
        guidance = given if isinstance(given, Guidance) else cls(given)
        return guidance if guidance.eta else None

    @property
    def label(self) -> str:
        """What a run folder's name holds: eta, and all that is not usual."""
        parts = [f"guidance{self.eta:g}"]
        for one in fields(self)[1:]:
            value = getattr(self, one.name)
            if value != one.default:
                number = f"{value:g}" if isinstance(value, float) else ""
                word = value if isinstance(value, str) else one.name
                parts.append(f"{word}{number}")
        return "-".join(parts)

    def guides(self, k: int) -> bool:
        """Whether candidate k is one of the guided share."""
        return int((k + 1) * self.share + TINY) > int(k * self.share + TINY)


@runtime_checkable
class Row(Protocol):
    """What a schedule reads of a candidate."""

    k: int
    depth: int
    local_energies: deque[float]


@dataclass
class Segment:
    """A row in training, where all rows are guided alike."""

    depth: int
    k: int = 0
    local_energies: deque[float] = field(default_factory=lambda: deque(maxlen=1))


class Guide:
    """Guidance of one network; calls do not depend on each other."""

    def __init__(
        self,
        guidance: Guidance,
        reasoner: Reasoner,
        depth: int,
        probabilities: Probabilities = "softmax",
        rulebook: Callable[[Rules], Rules] = lambda rules: rules,
    ) -> None:
        codec = getattr(reasoner, "codec", None)
        if not isinstance(codec, ReadOut):
            raise InputError("guidance needs a network with a linear read-out of z_H")
        self.guidance, self.depth = guidance, depth
        self.probabilities: Probabilities = probabilities
        self.read_out: ReadOut = codec
        self.rulebook = rulebook
        """The rulebook in place of a board's own, for controls."""

    @classmethod
    def of(
        cls,
        guidance: float | Guidance,
        reasoner: Reasoner,
        depth: int,
        probabilities: Probabilities = "softmax",
    ) -> Guide | None:
        """None where guidance is off."""
        wanted = Guidance.of(guidance)
        return None if wanted is None else cls(wanted, reasoner, depth, probabilities)

    def check(self, rules: Rules) -> None:
        """A board without anything to retrieve is an InputError."""
        if not (rules.factors or (self.guidance.potentials and rules.potentials)):
            raise InputError(f"guidance needs local memories, but {rules.task} has none")

    @torch.no_grad()
    def steer(
        self,
        carry: Carry,
        inputs: Inputs,
        rows: Sequence[Row],
        draw: Draw,
        temperature: Float[Tensor, " B"] | None = None,
        share: Float[Tensor, " B"] | None = None,
    ) -> Carry:
        """The carry of rows that have taken a step, moved down the energy's gradient; `share` of
        eta, where rows have strengths of their own."""
        guidance, z = self.guidance, carry.z_H
        chosen = [row.depth > 0 and guidance.guides(row.k) for row in rows]
        if not any(chosen):
            return carry
        assert inputs.rules is not None, "guidance needs inputs with rules"
        rules = [self.rulebook(one) for one in inputs.rules]
        logits = self.read_out.state_logits(z, inputs)
        scores, domain = logits.detach().cpu().double(), inputs.domain.cpu()
        log_probs = state_log_probs(scores, domain, None, self.probabilities)
        eta = guidance.eta * torch.tensor(chosen) * self._scale(rows, rules, log_probs, domain)
        if share is not None:
            eta = eta * share.to(eta)
        gradient = logit_gradient(rules, log_probs, domain, guidance.tau, guidance.potentials)
        if self.probabilities == "stablemax":
            gradient = gradient / (1 + scores.abs())  # d log s(x) / dx
        g = self.read_out.pull_back(gradient.to(device=z.device, dtype=z.dtype), inputs)
        wide = (-1, *[1] * (z.dim() - 1))
        size = torch.linalg.vector_norm(g.flatten(1), dim=1) / math.sqrt(g[0].numel()) + TINY
        eta = eta.to(size)
        step, noise = eta / size, None
        if guidance.langevin:
            assert temperature is not None, "Langevin noise needs a temperature"
            # The step is cut, not the noise: cutting one part alone would change the temperature.
            heat = temperature.to(size)
            step = torch.where(heat > 0, torch.minimum(step, eta**2 / (2 * heat)), step)
            noise = (2 * heat * step).sqrt().reshape(wide)

        def moved(state: Tensor, purpose: Purpose) -> Tensor:
            new = torch.addcmul(state, -step.reshape(wide), g)
            return new if noise is None else new + noise * normal_like(new, draw, purpose)

        z_H = moved(z, Purpose.GUIDANCE_H) if guidance.on != "L" else z
        z_L = moved(carry.z_L, Purpose.GUIDANCE_L) if guidance.on != "H" else carry.z_L
        return Carry(z_H, z_L)

    def _scale(
        self,
        rows: Sequence[Row],
        rules: Sequence[Rules],
        log_probs: Float[Tensor, "B n S"],
        domain: Bool[Tensor, "B n S"],
    ) -> Float[Tensor, " B"]:
        """What the schedule makes of eta, row by row."""
        schedule = self.guidance.schedule
        if schedule == "falling":
            return torch.tensor([max(0.0, 1 - row.depth / self.depth) for row in rows]).double()
        if schedule == "confidence":
            still_open = domain.sum(-1) > 1
            best = (log_probs.amax(-1).exp() * still_open).sum(-1)
            return 1 - best / still_open.sum(-1).clamp(min=1)
        if schedule == "stalled":
            energies = local_energies(rules, log_probs, domain, self.guidance.tau).tolist()
            return torch.tensor([_stalled(*one) for one in zip(rows, energies, strict=True)])
        return torch.ones(len(rows)).double()


def _stalled(row: Row, energy: float) -> float:
    """1 where the row's energy has stopped falling, else 0; the energy is kept."""
    known, before = bool(row.local_energies), row.local_energies
    least = before[-1] - STILL_FALLING * abs(before[-1]) if known else 0.0
    before.append(energy)
    return float(known and energy > least)


def local_energies(
    rules: Sequence[Rules],
    log_probs: Float[Tensor, "B n S"],
    domain: Bool[Tensor, "B n S"],
    tau: float = 1.0,
) -> Float[Tensor, " B"]:
    """The sum of the local free energies of each row at costs -log p, clues clamped (Eq. 6)."""
    costs = clamp(-log_probs[:, None], domain.numpy())[:, 0]
    total = costs.new_zeros(len(costs))
    for factor, held in holders([one.factors for one in rules]):
        index = torch.arange(len(costs))[held]
        cells, states = rules[int(index[0])].domain.shape
        value = factor.free_energies(costs[index, :cells, :states], tau).sum(-1)
        total = total.index_add(0, index, value)
    return total


def logit_gradient(
    rules: Sequence[Rules],
    log_probs: Float[Tensor, "B n S"],
    domain: Bool[Tensor, "B n S"],
    tau: float = 1.0,
    potentials: bool = False,
) -> Float[Tensor, "B n S"]:
    """The gradient of `local_energies` by the logits: the sum over a cell's scopes of p - r."""
    p = log_probs.exp()
    weighed = p if tau == 1 else torch.softmax(log_probs / tau, -1)
    retrieved = torch.from_numpy(_retrieved(rules, weighed.numpy()))
    if potentials:
        retrieved = retrieved + _blamed(rules, p)
    return (p * retrieved.sum(-1, keepdim=True) - retrieved) * domain


def _retrieved(
    rules: Sequence[Rules], marginals: Float[np.ndarray, "B n S"]
) -> Float[np.ndarray, "B n S"]:
    try:
        return retrievals(rules, marginals)
    except RuntimeError as error:
        # A memory of a task author's own making, whose free energy torch cannot differentiate.
        raise InputError(
            f"guidance needs memories that retrieve, but one of {rules[0].task} does not: {error}"
        ) from error


def _blamed(rules: Sequence[Rules], p: Float[Tensor, "B n S"]) -> Float[Tensor, "B n S"]:
    """The retrieval at cells that potentials blame: p without the decoded state."""
    states = p.argmax(-1)
    names = sorted({one.name for row in rules for one in row.potentials})
    cells = min(one.domain.shape[0] for one in rules)
    count = torch.zeros(p.shape[:2], dtype=p.dtype)
    blamed = blame(rules, states[:, :cells].numpy(), names).sum(-1)
    count[:, :cells] = torch.from_numpy(blamed).to(p)
    others = p.scatter(-1, states[..., None], 0.0)
    rest = others.sum(-1, keepdim=True)
    return count[..., None] * torch.where(rest > 0, others / rest.clamp(min=TINY**2), p)
