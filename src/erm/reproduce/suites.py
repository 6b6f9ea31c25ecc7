"""The benchmarks and the budgets of the study, as data.

Depths, widths and other settings stand here before any test puzzle is read. Besides `paper`, no
other file of this folder names a kind of puzzle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from erm.puzzles.pencil import PPBENCH

BudgetName = Literal["smoke", "laptop", "full"]
SEED = 7_260_517
"""Of all generated test puzzles, and the numbers after it; training never uses them."""


@dataclass(frozen=True)
class Budget:
    """Depths and widths of a study."""

    name: BudgetName
    depth: int
    """D, the paper's 64."""
    width: int
    """K, the paper's 128."""
    shallow: int
    """D of the table that the paper makes at 16."""
    rungs: int
    """Temperatures of a ladder; there are as many ladders as K allows."""
    sigmas: tuple[float, ...]
    """PTRM's noise; all of them are printed."""
    minutes: float | None = None
    """Time for all runs; None for as long as they take."""


BUDGETS: dict[str, Budget] = {
    "smoke": Budget("smoke", 8, 4, 4, 2, (0.2,)),
    "laptop": Budget("laptop", 32, 32, 16, 8, (0.05, 0.2, 0.3, 1.0), 20),
    "full": Budget("full", 64, 128, 16, 16, (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)),
}


class Boards(NamedTuple):
    """Boards to generate where no file is given; `options` as `erm data` takes them."""

    side: int
    small: int
    """The side in a smoke run."""
    options: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Suite:
    """One benchmark."""

    name: str
    title: str
    boards: Mapping[str, Boards]
    """By task."""
    most: Mapping[str, int]
    """By budget, at most so many puzzles of each task; 0 leaves the suite out."""
    weight: float
    """Share of a time-boxed budget, of one of its tasks."""
    file: str | None = None
    """Where its puzzles lie in a folder of the field's data."""
    seed: int | None = SEED
    """Of the generated puzzles; None where there are none without a file."""

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(self.boards)


def _most(*counts: int) -> dict[str, int]:
    return dict(zip(BUDGETS, counts, strict=True))


_EASY = {"sudoku": Boards(9, 9, {"clues": 28})}
_PENCILS = {task: Boards(8, 5) for task in PPBENCH[1:]}
_LARGE = {task: Boards(15, 6) for task in ("lightup", "nurikabe", "heyawake")}
_SUITES = (
    Suite("sudoku", "Sudoku 9x9, 28 clues", _EASY, _most(4, 256, 2048), 1.0),
    Suite(
        "sudoku-minimal", "Sudoku 9x9, minimal", {"sudoku": Boards(9, 9)}, _most(0, 128, 1024), 0.7,
        seed=SEED + 1,
    ),
    Suite(
        "sudoku-6x6", "Sudoku 6x6, 16 clues", {"sudoku": Boards(6, 6, {"clues": 16})},
        _most(2, 256, 1024), 0.5,
    ),
    Suite(
        "ppbench", "PPBench, five types", {**_EASY, **_PENCILS}, _most(2, 60, 100), 0.22,
        "ppbench/golden_300_five_types.jsonl", SEED + 2,
    ),
    Suite(
        "maze", "Maze 30x30", {"maze": Boards(30, 9)}, _most(4, 250, 1000), 1.0,
        "maze/maze-unique-30x30.npz",
    ),
    Suite(
        "sudoku-extreme", "Sudoku-Extreme", {"sudoku": Boards(9, 9)}, _most(0, 256, 2048), 0.5,
        "sudoku/sudoku-extreme-test.csv", None,
    ),
    Suite(
        "wild", "janko.at", _LARGE, _most(0, 60, 400), 0.2, "wild/janko-half.jsonl.gz", None,
    ),
)  # fmt: skip
SUITES: dict[str, Suite] = {suite.name: suite for suite in _SUITES}

MAIN = ("sudoku", "sudoku-minimal", "sudoku-6x6", "ppbench", "maze")
"""Suites of Table 1 and of what follows it."""
SHALLOW = "maze"
"""The suite at D = 16."""
TRANSFORMER = "sudoku-6x6"
"""The suite of EqR + Energy Transformer."""
SOLVER = ("sudoku-minimal", "sudoku-extreme", "ppbench", "wild", "maze")
"""Suites of the rules alone."""


def of_budget(names: tuple[str, ...], budget: Budget) -> list[Suite]:
    """The suites that a budget has puzzles for."""
    return [SUITES[name] for name in names if SUITES[name].most[budget.name]]
