"""The sizes of the paper and of the work it builds on, as configs of our reasoner."""

from __future__ import annotations

from dataclasses import replace

from erm.model.config import ReasonerConfig

PPBENCH_VOCABULARY = 347
"""Tokens that our five pencil puzzles share; a test holds it against the tasks."""

EQR_SUDOKU = ReasonerConfig(
    mixer="token-mlp",
    hidden=512,
    layers=2,
    h_cycles=3,
    l_cycles=6,
    damping=0.95,
    path_noise=0.01,
    vocabulary=11,
    length=81,
    rope="none",
    prefix=16,
    identifiers=1,
)
"""5.03 M, as EqR's and the paper's tables count and as the published checkpoint is: with 16 puzzle
positions in front of the board."""
EQR_SUDOKU_RELEASED = replace(EQR_SUDOKU, prefix=0, identifiers=0)
"""4.86 M: EqR's released code has the 81 positions of the board and nothing in front."""
EQR_MAZE = replace(
    EQR_SUDOKU,
    mixer="attention",
    hidden=128,
    layers=1,
    l_cycles=4,
    vocabulary=6,
    length=900,
    rope="1d",
    prefix=0,
    identifiers=0,
)
EQR_PPBENCH = replace(
    EQR_SUDOKU,
    mixer="attention",
    vocabulary=PPBENCH_VOCABULARY,
    length=100,
    rope="1d",
    prefix=0,
    identifiers=0,
)
EQR_ET_SUDOKU = replace(
    EQR_SUDOKU,
    mixer="energy-transformer",
    inner=2048,
    rope="2d",
    board=(9, 9),
    prefix=0,
    identifiers=0,
)


def _trm(eqr: ReasonerConfig, **changes) -> ReasonerConfig:
    """TRM is EqR's recursion with a fixed start, no damping, no noise and a puzzle embedding."""
    return replace(
        eqr,
        damping=1.0,
        path_noise=0.0,
        random_start=False,
        prefix=16,
        identifiers=1,
        **changes,
    )


TRM_SUDOKU = _trm(EQR_SUDOKU)
TRM_SUDOKU_ATTENTION = _trm(EQR_SUDOKU, mixer="attention", rope="1d")
TRM_MAZE = _trm(TRM_SUDOKU_ATTENTION, l_cycles=4, vocabulary=6, length=900)
TRM_PPBENCH = _trm(EQR_PPBENCH)

SIZES: dict[str, ReasonerConfig] = {
    "eqr-sudoku": EQR_SUDOKU,
    "eqr-sudoku-released": EQR_SUDOKU_RELEASED,
    "eqr-maze": EQR_MAZE,
    "eqr-ppbench": EQR_PPBENCH,
    "eqr-et-sudoku": EQR_ET_SUDOKU,
    "trm-sudoku": TRM_SUDOKU,
    "trm-sudoku-attention": TRM_SUDOKU_ATTENTION,
    "trm-maze": TRM_MAZE,
    "trm-ppbench": TRM_PPBENCH,
}
