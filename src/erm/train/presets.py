"""Named starting points: cpu/* train on this kind of machine, paper/* are the published sizes."""

from __future__ import annotations

from dataclasses import replace

from erm.model.config import ReasonerConfig
from erm.model.sizes import EQR_ET_SUDOKU, EQR_MAZE, EQR_PPBENCH, EQR_SUDOKU, TRM_SUDOKU
from erm.train.commit import CommitOptions
from erm.train.config import (
    DataOptions,
    LossOptions,
    OptimOptions,
    SegmentOptions,
    TrainConfig,
)

PENCIL = ReasonerConfig(
    mixer="structured", hidden=64, inner=128, messages=8, l_cycles=3, hears="pruning"
)
"""Cells that hear a short message from each neighbour, four blocks a step."""
MAZE = ReasonerConfig(mixer="structured", hidden=32, inner=64, l_cycles=5, hears="pruning")
"""Narrower cells that see all of their neighbours, six blocks a step."""
SUDOKU = ReasonerConfig(
    mixer="structured", hidden=48, inner=96, lattice=False, l_cycles=3, hears="pruning"
)
"""(cell, digit) pairs, four blocks a step."""

OFFICIAL_OPTIM = OptimOptions(
    optimiser="adam-atan2",
    lr=1e-4,
    warmup=2000,
    decay="constant",
    beta2=0.95,
    weight_decay=1.0,
    clip=0.0,
    ema=0.999,
)
"""What HRM, TRM and EqR train with."""
OFFICIAL = TrainConfig(
    batch=768,
    steps=50_000,
    precision="bfloat16",
    loss=LossOptions(loss="stablemax"),
    optim=OFFICIAL_OPTIM,
    segments=SegmentOptions(horizon=16, halt="q", explore=0.1),
)
SMALL_TOKEN = replace(
    EQR_SUDOKU, hidden=128, layers=1, h_cycles=1, l_cycles=3, prefix=0, identifiers=0
)
SMALL_ET = replace(EQR_ET_SUDOKU, hidden=128, inner=256, heads=4, layers=1, h_cycles=1, l_cycles=3)
ON_CPU = TrainConfig(
    segments=SegmentOptions(horizon=24),
    optim=OptimOptions(lr=1e-3, warmup=300),
    evaluate_depth=32,
)
GUESSING = replace(ON_CPU, commits=CommitOptions(guess=0.15, commit_horizon=6, prune=0.6))
"""Learns on its own guesses, so that guided search can trust it."""

PRESETS: dict[str, tuple[str, TrainConfig]] = {
    "cpu/sudoku": (
        "structured Sudoku reasoner of 28,000 parameters",
        replace(GUESSING, model=SUDOKU, steps=30_000),
    ),
    "cpu/sudoku-1k": (
        "the same from the public 1,000 puzzles with augmentation",
        replace(GUESSING, model=SUDOKU, steps=30_000, data=DataOptions(task="sudoku")),
    ),
    "cpu/maze": (
        "structured maze reasoner; small boards first, it serves every size",
        replace(
            ON_CPU,
            model=MAZE,
            steps=10_000,
            commits=CommitOptions(guess=0.03, commit_horizon=6),
            segments=SegmentOptions(horizon=48),
        ),
    ),
    "cpu/lightup": ("structured lightup reasoner", replace(GUESSING, model=PENCIL, steps=20_000)),
    "cpu/nurikabe": (
        "structured nurikabe reasoner",
        replace(GUESSING, model=PENCIL, steps=30_000),
    ),
    "cpu/heyawake": (
        "structured heyawake reasoner",
        replace(GUESSING, model=PENCIL, steps=30_000),
    ),
    "cpu/tapa": ("structured tapa reasoner", replace(GUESSING, model=PENCIL, steps=30_000)),
    "cpu/sudoku-token-mlp": (
        "EqR's Sudoku architecture, small",
        replace(
            ON_CPU,
            model=SMALL_TOKEN,
            steps=20_000,
            loss=LossOptions(loss="stablemax"),
            optim=replace(OFFICIAL_OPTIM, lr=1e-3, warmup=500, weight_decay=0.1, clip=1.0),
        ),
    ),
    "cpu/sudoku-energy-transformer": (
        "EqR with energy transformer blocks, small",
        replace(
            ON_CPU,
            model=SMALL_ET,
            steps=20_000,
            loss=LossOptions(loss="stablemax"),
            optim=replace(OFFICIAL_OPTIM, lr=1e-3, warmup=500, weight_decay=0.1, clip=1.0),
        ),
    ),
    "paper/eqr-sudoku": (
        "EqR Sudoku, 5.03 M parameters",
        replace(OFFICIAL, model=EQR_SUDOKU, data=DataOptions(task="sudoku")),
    ),
    "paper/trm-sudoku": (
        "TRM Sudoku: fixed start, no damping, no noise",
        replace(OFFICIAL, model=TRM_SUDOKU, data=DataOptions(task="sudoku")),
    ),
    "paper/eqr-maze": (
        "EqR Maze-Unique, 0.264 M parameters",
        replace(
            OFFICIAL,
            model=EQR_MAZE,
            data=DataOptions(task="maze", augment=False),
        ),
    ),
    "paper/ppbench": (
        "one attention reasoner for the five Pencil Puzzle Bench types, about 7.1 M parameters",
        replace(OFFICIAL, model=EQR_PPBENCH),
    ),
    "paper/eqr-et-sudoku": (
        "EqR with energy transformer blocks",
        replace(
            OFFICIAL,
            model=EQR_ET_SUDOKU,
            data=DataOptions(task="sudoku"),
        ),
    ),
}
