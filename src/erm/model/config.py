"""What a reasoner is made of: one dataclass, saved as config.json beside the weights."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_type_hints

from erm.errors import InputError

MixerName = Literal["structured", "token-mlp", "attention", "energy-transformer"]
Rope = Literal["none", "1d", "2d"]
Advice = Literal["none", "energy", "propagation"]

BOUNDS = {
    "hidden": (1, 1 << 14),
    "inner": (1, 1 << 16),
    "layers": (1, 64),
    "h_layers": (0, 64),
    "h_cycles": (1, 1024),
    "l_cycles": (1, 1024),
    "states": (1, 1024),
    "features": (0, 1 << 14),
    "partitions": (0, 64),
    "messages": (0, 1 << 12),
    "vocabulary": (0, 1 << 20),
    "length": (0, 1 << 16),
    "heads": (1, 1024),
    "prefix": (0, 1 << 12),
    "identifiers": (0, 1 << 22),
    "identifier": (0, 1 << 22),
    "puzzle_width": (0, 1 << 20),
}
"""A config may come from a stranger's file: these keep what it can ask for within reason."""
OLD_ADVICE = {"nothing": "none", "pruning": "propagation"}
"""Values of `hears`, the name of `advice` before 2026-11-18, that changed."""
MAX_NOISE = 1000.0
MAX_ETA = 100.0
"""Largest eta of energy guidance."""
MAX_RULES, MAX_RULE_NAME = 64, 200
NAMES = {"factors", "potentials", "preferences", "kinds"}
"""Fields that hold names of rules."""


@dataclass(frozen=True)
class ReasonerConfig:
    """One recursion, four mixers; HRM, EqR, TRM and PTRM are settings of it."""

    mixer: MixerName = "structured"
    """How positions exchange information inside a block."""
    hidden: int = 48
    """Width of a latent vector."""
    inner: int = 96
    """Width inside a structured block's MLP, or of the energy transformer's memories."""
    layers: int = 1
    """Blocks in one application of the network."""
    h_layers: int = 0
    """Blocks of a second network that updates z_H, as in HRM, where only the last update of each
    state has a gradient; 0: one network updates both states (TRM, EqR)."""
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
    scopes: bool = False
    """Cells exchange messages along the scopes of the rulebook's own factors (structured), so that
    structure which differs from board to board, as the edges of a graph, is seen."""
    kinds: tuple[str, ...] = ()
    """Rules along whose scopes they do, by name; follows from the data."""
    messages: int = 0
    """Width of what a cell tells each neighbour; 0: they see all of it (structured, lattice)."""

    advice: Advice = "none"
    """What the rulebook adds to the input of each step, from the network's marginals (structured):
    none; energy (retrieval, misfit, cells that potentials blame); propagation (also what all rules
    together would rule out)."""
    factors: tuple[str, ...] = ()
    """Factors in the advice, by name; follows from the data."""
    potentials: tuple[str, ...] = ()
    """Potentials in the advice, by name; follows from the data."""
    preferences: tuple[str, ...] = ()
    """Preferences in the advice, by name; follows from the data."""

    vocabulary: int = 0
    """Tokens of the board and the answer (token-based mixers)."""
    length: int = 0
    """Most cells of a board (token-based mixers); smaller ones take the first positions."""
    expansion: float = 4.0
    """Width factor of SwiGLU, rounded up to a multiple of 256 (token-based mixers)."""
    heads: int = 8
    """Attention heads."""
    rope: Rope = "1d"
    """Rotary positions of attention."""
    learned_positions: bool = False
    """A learned embedding of each position is added to the input (token-based mixers)."""
    board: tuple[int, int] | None = None
    """Height and width of the only board, where 2-D rotary positions are to be those of one."""
    prefix: int = 0
    """Positions of the puzzle embedding in front of the board (TRM)."""
    identifiers: int = 0
    """Rows of the puzzle embedding (TRM, HRM); 0 for none."""
    identifier: int = 0
    """The row that is used."""
    puzzle_width: int = 0
    """Width of a row of the puzzle embedding, spread over the prefix; 0 for `hidden` (TRM)."""

    def __post_init__(self) -> None:
        for name, (low, high) in BOUNDS.items():
            if not low <= getattr(self, name) <= high:
                raise InputError(
                    f"config {name} must be {low} to {high}, got {getattr(self, name)}"
                )
        if not 0 < self.damping <= 1:
            raise InputError(f"config damping (lambda) must be in (0, 1], got {self.damping}")
        for name in ("path_noise", "step_noise"):
            if not 0 <= getattr(self, name) <= MAX_NOISE:
                raise InputError(f"config {name} must be 0 or more, got {getattr(self, name)}")
        if not self.structured and not (self.vocabulary and self.length):
            raise InputError(f"the {self.mixer} mixer needs a vocabulary and a length")
        if self.advice != "none" and not self.structured:
            raise InputError(
                f"only the structured mixer takes advice; the {self.mixer} mixer needs advice none"
            )
        if self.learned_positions and self.structured:
            raise InputError("learned positions need a token-based mixer")
        if self.identifier and self.identifier >= self.identifiers:
            raise InputError(
                f"config identifier must be below the {self.identifiers} puzzle identifiers, "
                f"got {self.identifier}"
            )
        if self.scopes and not self.structured:
            raise InputError(
                f"only structured reasoners mix along scopes; the {self.mixer} mixer has none"
            )
        if not 0 < self.expansion <= 64:
            raise InputError(f"config expansion must be in (0, 64], got {self.expansion}")
        if self.mixer in ("attention", "energy-transformer"):
            self._check_heads()
        if self.identifiers and not (self.puzzle_width or self.hidden) <= self.prefix * self.hidden:
            raise InputError(
                f"a puzzle embedding of width {self.puzzle_width or self.hidden} does not fit in "
                f"a prefix of {self.prefix} positions of width {self.hidden}"
            )

    def _check_heads(self) -> None:
        axes = {"none": 0.5, "1d": 1, "2d": 2}[self.rope]
        if self.hidden % (self.heads * int(2 * axes)):
            raise InputError(
                f"hidden {self.hidden} does not split into {self.heads} heads "
                f"with {self.rope} rotary positions"
            )
        if self.rope != "2d":
            return
        if self.prefix:
            raise InputError(f"2-D rotary positions need a prefix of 0, got {self.prefix}")
        if self.board is not None and self.board[0] * self.board[1] != self.length:
            raise InputError(
                f"2-D rotary positions of a board need {self.board[0]} x {self.board[1]} "
                f"positions, got {self.length}"
            )

    @property
    def structured(self) -> bool:
        return self.mixer == "structured"

    @property
    def layers_per_step(self) -> int:
        """Equivalent layers of one outer step, as TRM and EqR count them."""
        return self.h_cycles * (self.l_cycles * self.layers + (self.h_layers or self.layers))

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> ReasonerConfig:
        """Strictly: unknown keys and wrong types are errors."""
        value = _current_keys(value)
        known = get_type_hints(cls)
        for key, given in value.items():
            if key not in known:
                raise InputError(f"config has the unknown key {key!r}")
            wanted = known[key]
            if key == "board":
                continue
            if key in NAMES:
                _check_names(key, given)
                continue
            options = get_args(wanted)
            if options and not (isinstance(given, str) and given in options):
                raise InputError(f"config {key} must be one of {options}, got {given!r}")
            if options:
                continue
            right = isinstance(given, (int, float) if wanted is float else wanted)
            if not right or isinstance(given, bool) != (wanted is bool):
                raise InputError(f"config {key} must be {wanted.__name__}, got {given!r}")
        board = value.get("board")
        if board is not None:
            sides = board if isinstance(board, list | tuple) else ()
            if len(sides) != 2 or not all(type(side) is int and 0 < side < 1024 for side in sides):
                raise InputError(f"config board must be [height, width], got {board!r}")
            value = {**value, "board": tuple(sides)}
        try:
            wide: dict[str, Any] = {
                key: float(given) if known[key] is float else given for key, given in value.items()
            }
        except OverflowError:
            raise InputError("config has a number beyond floats") from None
        for key in NAMES & value.keys():
            wide[key] = tuple(value[key])
        return cls(**wide)


def _current_keys(value: dict[str, Any]) -> dict[str, Any]:
    """A config of before 2026-11-18: `hears` is now `advice`; `hints` (guesses) is gone."""
    value = {key: given for key, given in value.items() if key != "hints"}
    if "hears" in value:
        value["advice"] = current_advice(value.pop("hears"))
    return value


def current_advice(before: Any) -> Any:
    """A value of `hears` as a value of `advice`; what is no such value stays as it is."""
    return OLD_ADVICE.get(before, before) if isinstance(before, str) else before


def _check_names(key: str, given: Any) -> None:
    names = given if isinstance(given, list | tuple) else None
    if names is None or len(names) > MAX_RULES:
        raise InputError(f"config {key} must be a list of at most {MAX_RULES} names")
    if not all(isinstance(name, str) and len(name) <= MAX_RULE_NAME for name in names):
        raise InputError(f"config {key} must hold names of at most {MAX_RULE_NAME} characters")
