"""How much to spend: three budgets, from a smoke test to the paper's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BudgetName = Literal["smoke", "laptop", "full"]


@dataclass(frozen=True)
class Budget:
    """Depths and widths of a study; how many puzzles that is, the suites say."""

    name: BudgetName
    depth: int
    """D of the paper's 64."""
    width: int
    """K of the paper's 128."""
    shallow: int
    """D of the table that the paper makes at 16."""
    rungs: int
    """Temperatures of a ladder; there are as many ladders as K allows."""
    adaptive_depth: int
    adaptive_width: int
    """How far certified search may go."""
    minutes: float | None = None
    """Time for all runs; None for as long as they take."""
    own_sigma: bool = True
    """Also run PTRM with the noise that suits our backbones better than the published one."""


ALL = 1 << 30
"""As many puzzles as there are."""

BUDGETS: dict[str, Budget] = {
    "smoke": Budget(
        name="smoke",
        depth=8,
        width=4,
        shallow=4,
        rungs=2,
        adaptive_depth=8,
        adaptive_width=4,
        own_sigma=False,
    ),
    "laptop": Budget(
        name="laptop",
        depth=32,
        width=32,
        shallow=16,
        rungs=8,
        adaptive_depth=64,
        adaptive_width=32,
        minutes=20,
        own_sigma=False,
    ),
    "full": Budget(
        name="full",
        depth=64,
        width=128,
        shallow=16,
        rungs=16,
        adaptive_depth=64,
        adaptive_width=128,
    ),
}
