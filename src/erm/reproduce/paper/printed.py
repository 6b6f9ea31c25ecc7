"""Numbers as printed; counts that the text does not give follow from percentages of the total."""

from __future__ import annotations

from dataclasses import dataclass

from erm.evaluate.intervals import wilson

TASKS = ("sudoku", "ppbench", "maze")
"""The paper's three tasks, in its order."""
TITLES = {"sudoku": "Sudoku", "ppbench": "PPBench", "maze": "Maze"}


@dataclass(frozen=True)
class Printed:
    """One accuracy of somebody else, in percent."""

    exact: float
    total: int | None = None
    token: float | None = None

    @property
    def correct(self) -> int | None:
        return None if self.total is None else round(self.exact * self.total / 100)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95% interval of the printed count, as a share."""
        if self.total is None or self.correct is None:
            return None
        return wilson(self.correct, self.total)


TOTALS = {"sudoku": 2048, "ppbench": 301, "maze": 1000}

SHARED: dict[str, dict[str, Printed]] = {
    task: {name: Printed(exact, TOTALS[task]) for name, exact in row.items()}
    for task, row in {
        "sudoku": {
            "first": 89.31,
            "majority": 97.90,
            "qhead": 98.54,
            "confidence": 98.58,
            "energy": 98.83,
            "oracle": 98.83,
        },
        "ppbench": {
            "first": 68.44,
            "majority": 79.07,
            "qhead": 83.39,
            "confidence": 80.73,
            "energy": 88.04,
            "oracle": 88.04,
        },
        "maze": {
            "first": 89.10,
            "majority": 97.80,
            "qhead": 97.30,
            "confidence": 97.80,
            "energy": 99.30,
            "oracle": 99.30,
        },
    }.items()
}
"""Table 1, shared-candidate selection at D = 64, K = 128, by selector."""


@dataclass(frozen=True)
class PrintedTempering:
    """One row of Table 2."""

    original: Printed
    selected: Printed
    oracle: Printed
    swap_rate: float


def _tempering(task: str, rows: dict[str, tuple[float, float, float, float]]):
    total = TOTALS[task]
    return {
        energy: PrintedTempering(
            Printed(original, total), Printed(selected, total), Printed(oracle, total), swap_rate
        )
        for energy, (original, selected, oracle, swap_rate) in rows.items()
    }


TEMPERING: dict[str, dict[str, PrintedTempering]] = {
    "sudoku": _tempering(
        "sudoku",
        {
            "qhead": (98.54, 98.63, 98.68, 0.7964),
            "confidence": (98.58, 98.63, 98.63, 0.9548),
            "energy": (98.83, 98.97, 98.97, 0.9010),
        },
    ),
    "ppbench": _tempering(
        "ppbench",
        {
            "qhead": (83.39, 83.39, 87.38, 0.8948),
            "confidence": (80.73, 81.06, 88.04, 0.9939),
            "energy": (88.04, 88.04, 88.04, 0.9378),
        },
    ),
    "maze": _tempering(
        "maze",
        {
            "qhead": (97.30, 97.40, 99.20, 0.8669),
            "confidence": (97.80, 97.90, 99.30, 0.9952),
            "energy": (99.30, 99.30, 99.30, 0.9471),
        },
    ),
}
"""Table 2, parallel tempering with three energies."""

TEMPERATURES = 0.001, 1.0
"""Appendix, the coldest and the hottest temperature of EqR+ET's tempering."""

SHALLOW_TASK = "maze"
SHALLOW_DEPTH = 16
SHALLOW: dict[str, Printed] = {
    "first": Printed(81.40, 1000, 98.20),
    "qhead": Printed(99.40, 1000, 100.00),
    "confidence": Printed(99.40, 1000, 99.99),
    "energy": Printed(99.90, 1000, 99.99),
    "oracle": Printed(99.90, 1000, 99.99),
}
"""Appendix, Maze at D = 16, K = 128."""

DEPTH = 64
DEPTH_POINTS: dict[str, dict[int, dict[str, Printed]]] = {
    SHALLOW_TASK: {SHALLOW_DEPTH: SHALLOW, DEPTH: SHARED[SHALLOW_TASK]}
}
"""Accuracies at several depths, by task and depth: points of Figure 2."""

STOPPING = {"maze": Printed(99.60, 1000, 99.95)}
"""Appendix, Maze with energy stopping from a budget of D = 64."""
STOPPING_DEPTHS = {"maze": (7.60, 6, 11)}
"""Mean, least and greatest depth at which it stopped."""

TRANSFORMER: dict[str, Printed] = {
    "first": Printed(65.97, 2048, 87.79),
    "et": Printed(76.86, 2048, 91.20),
    "confidence": Printed(76.86, 2048, 91.25),
    "majority": Printed(65.28, 2048, 88.13),
    "pt-confidence": Printed(75.93, 2048, 90.99),
}
"""Appendix, EqR + Energy Transformer, D = 64, K = 16."""
TRANSFORMER_TASK = "sudoku"
TRANSFORMER_WIDTH = 16


@dataclass(frozen=True)
class PrintedNoise:
    """PTRM's figures on one task (arXiv 2605.19943), and the settings they belong to."""

    data: str
    sigma: float
    depth: int
    trm: float
    """One rollout without noise."""
    ptrm: float
    """Largest q of K = 100."""
    oracle: float | None
    """pass@K."""
    notes: tuple[str, ...] = ()
    """Footnotes on them."""


PTRM_WIDTH = 100
PTRM: dict[str, PrintedNoise] = {
    "sudoku": PrintedNoise("Sudoku-Extreme", 0.3, 64, 87.28, 98.75, 99.06),
    "ppbench": PrintedNoise("golden puzzles of its sizes", 0.2, 48, 62.6, 91.2, None),
    "maze": PrintedNoise("Maze-Hard", 1.0, 16, 83.80, 85.17, 95.63, ("ptrm-maze",)),
}
TRM_DEPTH = 16

PTRM_SIDES = {"sudoku": 9, "lightup": 10, "nurikabe": 10, "heyawake": 10, "tapa": 10}
"""Board sides of the golden puzzles on which PTRM reports."""
GOLDEN_COUNTS = {"sudoku": 15, "lightup": 8, "nurikabe": 9, "heyawake": 7, "tapa": 10}
"""Golden puzzles that PTRM's size filter keeps."""
GOLDEN: dict[str, dict[str, float]] = {
    "TRM, D = 16": {
        "sudoku": 46.7,
        "lightup": 87.5,
        "nurikabe": 74.1,
        "heyawake": 85.7,
        "tapa": 40.0,
        "all": 62.6,
    },
    "PTRM, D = 48, K = 100": {
        "sudoku": 97.8,
        "lightup": 100.0,
        "nurikabe": 88.9,
        "heyawake": 85.7,
        "tapa": 80.0,
        "all": 91.2,
    },
}
"""PTRM's table on the golden puzzles, means over its runs."""

EQR: dict[str, dict[str, float]] = {
    "sudoku": {"D16 B1": 86.4, "D64 B1": 93.0, "D64 B128": 99.8},
    "maze": {"D16 B1": 82.2, "D64 B1": 88.9, "D64 B128": 93.0},
}
"""EqR's own figures (arXiv 2605.21488)."""
EQR_DATA = {"sudoku": "Sudoku-Extreme", "maze": "Maze-Unique"}
