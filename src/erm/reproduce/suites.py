"""The benchmarks of the study as data: their puzzles, files, sizes and shares of the time.

What the papers print is in `paper`; nothing else in this room names a kind of puzzle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from erm.puzzles.pencil import PPBENCH
from erm.reproduce.budget import ALL, BudgetName

SEED = 7_260_517
"""Of all generated test puzzles; training never uses it."""


@dataclass(frozen=True)
class Boards:
    """Boards to generate where no file is given; `options` as `erm data` takes them."""

    count: int
    side: int
    seed: int = SEED
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Suite:
    """One benchmark."""

    name: str
    weight: float
    """Share of a time-boxed budget, of one of its tasks."""
    most: Mapping[BudgetName, int]
    """At most so many puzzles of each of its tasks."""
    generated: Mapping[BudgetName, Mapping[str, Boards]]
    """By budget and task."""
    file: str | None = None
    """Where its puzzles lie in a folder of the field's data."""

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(self.generated["full"])


def _most(smoke: int, laptop: int, full: int) -> dict[BudgetName, int]:
    return {"smoke": smoke, "laptop": laptop, "full": full}


def _boards(
    tasks: tuple[str, ...],
    smoke: tuple[int, int],
    laptop: tuple[int, int],
    full: tuple[int, int],
    **options: Any,
) -> dict[BudgetName, dict[str, Boards]]:
    """(count, side) of each budget, alike for all tasks; options of their generators."""
    budgets: dict[BudgetName, tuple[int, int]] = {"smoke": smoke, "laptop": laptop, "full": full}
    return {
        budget: {task: Boards(*count_and_side, options=options) for task in tasks}
        for budget, count_and_side in budgets.items()
    }


def _sudokus(smoke: int, laptop: int, full: int, seed: int) -> dict[BudgetName, dict[str, Boards]]:
    hard = {"min_guesses": 10}
    return {
        "smoke": {"sudoku": Boards(smoke, 9, seed)},
        "laptop": {"sudoku": Boards(laptop, 9, seed, hard)},
        "full": {"sudoku": Boards(full, 9, seed, hard)},
    }


_PENCILS = _boards(PPBENCH[1:], (2, 5), (15, 10), (60, 10))
# Another seed than the Sudoku suite's, so that the two are different puzzles.
_PENCIL_SUDOKUS = _sudokus(2, 15, 60, SEED + 1)

SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        Suite(
            "sudoku",
            1.0,
            _most(4, 512, 2048),
            _sudokus(4, 256, 2048, SEED),
            "sudoku/sudoku-extreme-test.csv",
        ),
        Suite(
            "sudoku-small",
            0.3,
            _most(2, 128, 256),
            _boards(("sudoku",), (2, 6), (128, 6), (256, 6), clues=16),
        ),
        Suite(
            "maze",
            1.0,
            _most(4, 250, 1000),
            _boards(("maze",), (4, 9), (250, 30), (1000, 30)),
            "maze/maze-unique-30x30.npz",
        ),
        Suite(
            "ppbench",
            0.22,
            _most(2, 60, ALL),
            {budget: {**_PENCIL_SUDOKUS[budget], **_PENCILS[budget]} for budget in _PENCILS},
            "ppbench/golden_300_five_types.jsonl",
        ),
        Suite(
            "wild",
            0.35,
            _most(2, 60, ALL),
            _boards(("lightup", "nurikabe", "heyawake"), (2, 6), (15, 15), (60, 15)),
            "wild/janko-half.jsonl.gz",
        ),
        Suite(
            "maze-large",
            0.6,
            _most(2, 16, 100),
            _boards(("maze",), (2, 13), (16, 50), (100, 50)),
        ),
    )
}
FILE_TITLES = {
    "sudoku-extreme-test.csv": "Sudoku-Extreme test",
    "maze-unique-30x30.npz": "Maze-Unique test",
    "golden_300_five_types.jsonl": "Pencil Puzzle Bench golden",
    "janko-half.jsonl.gz": "janko.at puzzles",
}
"""What people call the field's files."""

OF_MANY_SIZES = ("ppbench", "wild", "maze", "maze-large")
"""Suites whose boards differ in size."""

MIXERS: dict[str, tuple[str, ...]] = {
    "sudoku": ("sudoku-energy-transformer", "sudoku-token-mlp", "sudoku-structured"),
    "sudoku-small": ("sudoku-6x6-energy-transformer", "sudoku-6x6-token-mlp", "sudoku-structured"),
}
"""By suite, small networks of one mixer each: trained for the same time on the same hard puzzles,
and on easy 6x6 ones, which token networks learn in minutes; those read boards of one length."""
TRANSFORMERS = {suite: roles[0] for suite, roles in MIXERS.items()}

ROLES: dict[str, tuple[str, ...]] = {
    **{task: (task,) for suite in SUITES.values() for task in suite.tasks},
    **{name: suite.tasks for name, suite in SUITES.items() if len(suite.tasks) > 1},
    **{role: SUITES[suite].tasks for suite, roles in MIXERS.items() for role in roles},
}
"""Names under which a study takes checkpoints, with the tasks each may serve: one for a task, one
for all tasks of a suite, and the mixers."""
