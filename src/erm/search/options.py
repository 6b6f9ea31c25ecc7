"""How far a search goes: depth, width, mode, time; declared here and nowhere else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from erm.errors import InputError
from erm.model.card import Probabilities
from erm.model.config import MAX_NOISE
from erm.model.decode import Decoding
from erm.model.device import Precision
from erm.search.guidance import Guidance
from erm.search.stop import StoppingRule

Mode = Literal["full", "adaptive"]
MAX_DEPTH = MAX_WIDTH = 1 << 16
WIDENING = 4
"""After a wave without a certificate, an adaptive search has so many times the candidates."""


@dataclass(frozen=True)
class SearchOptions:
    """How far a search goes; the paper's D = 64 and K = 128 by default."""

    depth: int = 64
    """D, steps of a candidate."""
    width: int = 128
    """K, candidates of a puzzle."""
    mode: Mode = "adaptive"
    """full: the paper's protocol, every candidate to depth D; adaptive: certified search, the rules
    first, then candidates in waves until one breaks no rule."""
    seed: int = 0
    """Every draw follows from (seed, puzzle, candidate)."""
    rules: bool = True
    """Whether the rules search, too (adaptive); without, candidates alone, up to a certificate."""
    sigma: float | None = None
    """Noise on z before each step (PTRM); the checkpoint's own where not given."""
    path_noise: float | None = None
    """beta, noise at every update (EqR, whose published Sudoku figures are at 0.5); the
    checkpoint's own where not given."""
    guidance: float | Guidance = 0.0
    """eta, how far the energy's gradient moves z_H between two steps; 0 is off. A `Guidance` also
    has a schedule."""
    trace: bool = False
    """Keep the pool after every step (full mode)."""
    stopping: StoppingRule | None = None
    """Stop a puzzle when its lowest energy stops changing (full mode)."""
    chunk: int | None = None
    """Rows in one call of the network; chosen by the size of the latent states if not given."""
    rows: int | None = None
    """Candidates in flight below which the next wave or puzzle starts; chosen by the device if not
    given."""
    decoding: Decoding | None = None
    """raw (official) or clamped to the clues; raw for token-based networks if not given."""
    probabilities: Probabilities | None = None
    """softmax or stablemax, for confidence and Eq. 6; what the checkpoint was trained with if not
    given."""
    precision: Precision = "float32"
    """What the network computes in."""
    keep_log_probs: bool = False
    """Keep the model's log-probabilities in the pool."""
    unique: bool = False
    """Let the rules go on until the answer is proved unique or a second one is found, however long
    that takes (adaptive mode)."""
    cadence: int = 1
    """Steps a decision of the control without a network (checkpoint none, full mode)."""
    seconds: float | None = None
    """Most wall time for each puzzle; puzzles then take turns instead of sharing a batch."""

    def __post_init__(self) -> None:
        for name, most in (("depth", MAX_DEPTH), ("width", MAX_WIDTH), ("rows", MAX_WIDTH)):
            given = getattr(self, name)
            if given is not None and not 1 <= given <= most:
                raise InputError(f"{name} must be 1 to {most}, got {given}")
        for name in ("chunk", "cadence"):
            given = getattr(self, name)
            if given is not None and given < 1:
                raise InputError(f"{name} must be at least 1, got {given}")
        for name in ("sigma", "path_noise"):
            noise = getattr(self, name)
            if noise is not None and not 0 <= noise <= MAX_NOISE:
                raise InputError(f"{name} must be 0 to {MAX_NOISE}, got {noise}")
        guidance = Guidance.of(self.guidance)
        if guidance is not None and guidance.langevin:
            raise InputError("Langevin noise needs a temperature, which only tempering has")
        if self.mode not in ("full", "adaptive"):
            raise InputError(f"mode must be full or adaptive, got {self.mode!r}")
        if self.mode == "adaptive" and (self.trace or self.stopping):
            raise InputError("a trace and energy stopping need --mode full")
        if self.unique and (self.mode == "full" or not self.rules):
            raise InputError("--unique needs --mode adaptive, and the rules")
        if self.seconds is not None and not (self.seconds > 0 and math.isfinite(self.seconds)):
            raise InputError(f"seconds must be above 0, got {self.seconds}")

    @property
    def budget(self) -> int:
        """D x K: most model evaluations of a puzzle, and most guesses of the rules alone."""
        return self.depth * self.width

    @cached_property
    def waves(self) -> list[range]:
        """The candidates that start together; a full search has one wave of K."""
        if self.mode == "full":
            return [range(self.width)]
        ends = [1]
        while ends[-1] < self.width:
            ends.append(min(ends[-1] * WIDENING, self.width))
        return [range(first, last) for first, last in pairwise([0, *ends])]
