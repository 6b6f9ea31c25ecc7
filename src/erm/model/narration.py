"""A rollout told step by step: what the network believed, what the rulebook answered, what came of
it. For `--explain` and the page; JSON by `to_json`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float

from erm.model.codec import channels_heard
from erm.model.hints import hinted
from erm.model.inputs import Inputs
from erm.model.noise import Stream
from erm.model.reasoner import Carry, Reasoner
from erm.rulebook.retrieve import Channels, Remark, remarks


@dataclass(frozen=True)
class Guess:
    """A state that a rollout assumes as its `level`-th guess, or ruled out while so many held."""

    cell: int
    state: int
    level: int
    holds: bool


@dataclass(frozen=True, eq=False)
class Moment:
    """One step of one rollout; states count from 0."""

    step: int
    believed: Float[np.ndarray, "n S"]
    """What the network believed before the step."""
    advice: Float[np.ndarray, "n S M"]
    """What the rulebook answered, by channel; M = 0 for a network that hears nothing."""
    channels: Channels | None
    believes: Float[np.ndarray, "n S"]
    """What the network believes after the step."""
    contradicted: bool
    """Whether the rulebook could make no sense of what was believed."""
    guesses: tuple[Guess, ...]
    """What was assumed during the step, in order, and what had been ruled out by trying."""
    q: float
    value: float

    def remarks(self, most: int = 20) -> list[Remark]:
        """The loudest of what the rulebook said."""
        return [] if self.channels is None else remarks(self.advice, self.channels, most)

    def turned(self) -> list[tuple[int, int]]:
        """Cells whose likeliest state the step changed, with the new one."""
        before, after = self.believed.argmax(-1), self.believes.argmax(-1)
        return [(int(cell), int(after[cell])) for cell in np.flatnonzero(before != after)]

    def to_json(self, most: int = 20) -> dict[str, Any]:
        return {
            "step": self.step,
            "believed": np.round(self.believed, 3).tolist(),
            "believes": np.round(self.believes, 3).tolist(),
            "remarks": [asdict(remark) for remark in self.remarks(most)],
            "contradicted": self.contradicted,
            "guesses": [asdict(one) for one in self.guesses],
            "turned": self.turned(),
            "q": round(self.q, 3),
            "value": round(self.value, 3),
        }


def narrate(reasoner: Reasoner, inputs: Inputs, depth: int, draw: Stream) -> Iterator[Moment]:
    """One row's rollout to a depth, told after every step; the draws are those of a plain rollout.

    Noise that is added before a step (PTRM) is not part of what was believed.
    """
    if len(inputs) != 1:
        raise ValueError(f"a narration follows one row, got {len(inputs)}")
    with torch.inference_mode():
        carry = reasoner.start(inputs, Stream.next([draw], inputs.domain.device))
    for step in range(1, depth + 1):
        carry, moment = _told(reasoner, inputs, carry, draw, step)
        yield moment


@torch.inference_mode()
def _told(
    reasoner: Reasoner, inputs: Inputs, carry: Carry, draw: Stream, step: int
) -> tuple[Carry, Moment]:
    """One step and what is to be said of it."""
    channels = channels_heard(reasoner.config)
    seen, guesses = inputs, ()
    if carry.hints is not None:
        seen = inputs.with_domain(hinted(inputs.domain, carry.hints.marks))
        guesses = _guesses(carry.hints.marks[0].cpu().numpy())
    believed = reasoner.belief(carry.z_H, seen)
    advice = reasoner.advice(believed, seen)
    heard = np.zeros((*believed.shape, 0), np.float32)
    contradicted = np.zeros(1, bool)
    if advice is not None and channels is not None:
        heard = advice.cpu().numpy()
        contradicted = channels.contradicted(heard)
    carry, prediction = reasoner.step(carry, inputs, Stream.next([draw], inputs.domain.device))
    believes = reasoner.belief(carry.z_H, seen)
    return carry, Moment(
        step,
        believed[0].cpu().numpy(),
        heard[0],
        channels,
        believes[0].cpu().numpy(),
        bool(contradicted[0]),
        guesses,
        float(prediction.q[0]),
        float(prediction.value[0]),
    )


def _guesses(marks: np.ndarray) -> tuple[Guess, ...]:
    found = [
        Guess(int(cell), int(state), int(level if level > 0 else -level - 1), bool(level > 0))
        for (cell, state), level in zip(np.argwhere(marks), marks[marks != 0], strict=True)
    ]
    return tuple(sorted(found, key=lambda one: (one.level, not one.holds)))
