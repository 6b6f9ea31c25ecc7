"""What a reasoner is made of: one dataclass, saved as config.json beside the weights."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_type_hints

from erm.errors import InputError

MixerName = Literal["structured", "token-mlp", "attention", "energy-transformer"]
Rope = Literal["none", "1d", "2d"]


@dataclass(frozen=True)
class ReasonerConfig:
    """One recursion, four mixers; EqR, TRM and PTRM are settings of it."""

    mixer: MixerName = "structured"
    """How positions exchange information inside a block."""
    hidden: int = 48
    """Width of a latent vector."""
    inner: int = 96
    """Width inside a structured block's MLP, or of the energy transformer's memories."""
    layers: int = 1
    """Blocks in one application of the network."""
    h_cycles: int = 1
    """Updates of z_H in a step; all but the last run without gradient."""
    l_cycles: int = 3
    """Updates of z_L before each update of z_H."""
    damping: float = 1.0
    """lambda of EqR: z' = (1 - lambda) z + lambda f(z + injection) + beta eps; 1 is TRM."""
    path_noise: float = 0.0
    """beta of EqR, added at every update."""
    step_noise: float = 0.0
    """sigma of PTRM, added to z before each step at inference."""
    random_start: bool = True
    """Truncated-normal z_H and z_L (EqR) instead of a learned start (TRM)."""

    states: int = 2
    """S; a structured reasoner with interchangeable states takes boards with any S."""
    features: int = 0
    """F, what is printed on each cell (structured)."""
    partitions: int = 0
    """P, the ways in which the rules group the cells (structured)."""
    interchangeable: bool = False
    """Variables are (cell, state) pairs that share all weights (structured)."""
    lattice: bool = True
    """Cells see their 3x3 neighbourhood (structured)."""

    vocabulary: int = 0
    """Tokens of the board and the answer (token-based mixers)."""
    length: int = 0
    """Positions of the board (token-based mixers)."""
    expansion: float = 4.0
    """Width factor of SwiGLU, rounded up to a multiple of 256 (token-based mixers)."""
    heads: int = 8
    """Attention heads."""
    rope: Rope = "1d"
    """Rotary positions of attention."""
    board: tuple[int, int] | None = None
    """Height and width, which 2-D rotary positions need."""
    prefix: int = 0
    """Positions of the puzzle embedding in front of the board (TRM)."""
    identifiers: int = 0
    """Rows of the puzzle embedding (TRM); 0 for none."""

    def __post_init__(self) -> None:
        for name in ("hidden", "layers", "h_cycles", "l_cycles", "states"):
            if not 1 <= getattr(self, name) <= 1 << 20:
                raise InputError(f"{name} must be at least 1, got {getattr(self, name)}")
        if not 0 < self.damping <= 1:
            raise InputError(f"damping (lambda) must be in (0, 1], got {self.damping}")
        if self.rope == "2d" and self.board is None:
            raise InputError("2-D rotary positions need the board's height and width")
        if self.mixer != "structured" and not (self.vocabulary and self.length):
            raise InputError(f"the {self.mixer} mixer needs a vocabulary and a length")

    @property
    def structured(self) -> bool:
        return self.mixer == "structured"

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> ReasonerConfig:
        """Strictly: unknown keys and wrong types are errors."""
        known = get_type_hints(cls)
        for key, given in value.items():
            if key not in known:
                raise InputError(f"config has the unknown key {key!r}")
            wanted = known[key]
            if key == "board":
                continue
            options = get_args(wanted)
            if options and given not in options:
                raise InputError(f"config {key} must be one of {options}, got {given!r}")
            if not options and not isinstance(given, (int, float) if wanted is float else wanted):
                raise InputError(f"config {key} must be {wanted.__name__}, got {given!r}")
        board = value.get("board")
        if board is not None:
            if not (isinstance(board, list | tuple) and len(board) == 2):
                raise InputError(f"config board must be [height, width], got {board!r}")
            value = {**value, "board": (int(board[0]), int(board[1]))}
        return cls(**value)
