"""What the HTTP API may be asked; every field is bounded before anything is done with it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from erm.model.config import MAX_ETA

MAX_TEXT = 100_000
SEEDS = 1 << 31


class Request(BaseModel):
    """Unknown fields are errors, so that a misspelt option is not ignored in silence."""

    model_config = ConfigDict(extra="forbid")


class PuzzleRequest(Request):
    """A puzzle as text or as the arrays that are printed on its board."""

    task: str | None = Field(None, max_length=40, examples=["sudoku"])
    """Name of the task; told from the text where it is left out."""
    text: str | None = Field(None, max_length=MAX_TEXT, examples=[".2.4.3..31...4.."])
    """A Sudoku's digits, a maze's rows or a puzz.link address."""
    givens: dict[str, Any] | None = None
    """What is printed, as `POST /api/puzzle` answers it; needs `task`."""


class CheckRequest(PuzzleRequest):
    """An answer to judge: one character per cell, "." where nothing is filled in yet."""

    answer: str = Field(max_length=4096)


class Tempering(Request):
    """Parallel tempering: K = ladders x rungs replicas."""

    ladders: int = Field(default=8, ge=1)
    rungs: int = Field(default=16, ge=1)
    """Temperatures of a ladder."""
    noise: float = Field(default=0.1, ge=0, le=10)
    """sigma at the hottest temperature."""
    metropolis: bool = False
    """Undo steps that raise the energy too much for the replica's temperature."""
    swaps: bool = True


class SearchRequest(PuzzleRequest):
    """What to search and how far."""

    width: int = Field(64, ge=1)
    """K, candidates; with tempering it follows from ladders x rungs."""
    depth: int = Field(64, ge=1)
    """D, steps of a candidate."""
    mode: Literal["adaptive", "full", "temper"] = "adaptive"
    """adaptive: the rules first, then candidates until one breaks no rule; full: K x D; temper:
    parallel tempering."""
    selector: str = Field("energy", max_length=40)
    """Which candidate is the answer (full and temper)."""
    seed: int = Field(0, ge=0, lt=SEEDS)
    checkpoint: str | None = Field(None, max_length=80)
    """Name of a checkpoint; the task's own where it is left out; "none": the rules alone."""
    tempering: Tempering | None = None
    """Only with mode "temper"."""
    guidance: float = Field(0.0, ge=0, le=MAX_ETA)
    """eta, how far the energy's gradient moves z_H between two steps; 0 is off."""
    unique: bool = False
    """Go on until the answer is proved unique or a second one is found (adaptive only)."""
