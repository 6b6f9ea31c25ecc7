"""Named starting points: cpu/* train on this kind of machine, paper/* are the published sizes.

The sizes of a task's network follow from its rulebook, so there is a cpu/TASK for each task.
"""

from __future__ import annotations

from dataclasses import replace

from erm.model.config import ReasonerConfig
from erm.model.sizes import (
    EQR_ET_SUDOKU,
    EQR_MAZE,
    EQR_PPBENCH,
    EQR_SUDOKU,
    EQR_SUDOKU_RELEASED,
    TRM_MAZE,
    TRM_SUDOKU,
    TRM_SUDOKU_ATTENTION,
)
from erm.rulebook.registry import all_tasks
from erm.rulebook.task import Task
from erm.train.config import (
    DataOptions,
    LossOptions,
    OptimOptions,
    SegmentOptions,
    TrainConfig,
)

CELLS = ReasonerConfig(mixer="structured", hidden=64, inner=128, messages=8, l_cycles=3)
"""Cells that get a short message from each neighbour, four blocks a step."""
PAIRS = ReasonerConfig(mixer="structured", hidden=96, inner=192, lattice=False, l_cycles=3)
"""(cell, state) pairs, for states that can be renamed; four blocks a step."""

OFFICIAL_OPTIM = OptimOptions(
    optimiser="adam-atan2",
    lr=1e-4,
    warmup=2000,
    decay="constant",
    beta2=0.95,
    weight_decay=1.0,
    clip=0.0,
    ema=0.999,
    ema_warmup=False,
    puzzle_lr=1e-4,
    puzzle_weight_decay=1.0,
)
"""What TRM and EqR train with; the two rates differ in HRM's ARC runs only."""
OFFICIAL = TrainConfig(
    batch=768,
    global_batch=768,
    steps=50_000,
    precision="bfloat16",
    loss=LossOptions(loss="stablemax"),
    optim=OFFICIAL_OPTIM,
    segments=SegmentOptions(horizon=16, halt="q", explore=0.1),
)
TRM_STEPS = 65_104
"""50,000 epochs of 1,000 puzzles in batches of 768, as Samsung's program counts; EqR's program
takes an epoch of less than two batches for one step."""
SMALL_OPTIM = replace(
    OFFICIAL_OPTIM, lr=1e-3, warmup=500, weight_decay=0.1, clip=1.0, ema_warmup=True, puzzle_lr=None
)
"""The same for small networks and short runs."""
SMALL_TOKEN = replace(
    EQR_SUDOKU, hidden=128, layers=1, h_cycles=1, l_cycles=3, prefix=0, identifiers=0
)
SMALL_ET = replace(EQR_ET_SUDOKU, hidden=128, inner=256, heads=4, h_cycles=1, l_cycles=3)
SMALL_PPBENCH = replace(
    EQR_PPBENCH,
    mixer="token-mlp",
    hidden=128,
    layers=1,
    h_cycles=1,
    l_cycles=3,
    expansion=2.0,
    rope="none",
)
"""In minutes a token-MLP learns what attention, the paper's, does not (docs/training.md)."""
ON_CPU = TrainConfig(
    segments=SegmentOptions(horizon=24),
    optim=OptimOptions(lr=1e-3, warmup=300),
    evaluate_depth=32,
)
PRESETS: dict[str, tuple[str, TrainConfig]] = {
    "cpu/sudoku-1k": (
        "cpu/sudoku from the public 1,000 puzzles with augmentation",
        replace(ON_CPU, model=PAIRS, steps=30_000, data=DataOptions(task="sudoku")),
    ),
    "cpu/sudoku-token-mlp": (
        "EqR's Sudoku architecture, small",
        replace(
            ON_CPU,
            model=SMALL_TOKEN,
            steps=20_000,
            loss=LossOptions(loss="stablemax"),
            optim=SMALL_OPTIM,
        ),
    ),
    "cpu/sudoku-energy-transformer": (
        "EqR with energy transformer blocks, small",
        replace(
            ON_CPU,
            model=SMALL_ET,
            steps=20_000,
            loss=LossOptions(loss="stablemax"),
            optim=SMALL_OPTIM,
        ),
    ),
    "cpu/ppbench": (
        "one token-MLP for the five Pencil Puzzle Bench types, boards up to 100 cells, small; "
        "give it a file of each type",
        replace(
            ON_CPU,
            model=SMALL_PPBENCH,
            steps=20_000,
            batch=32,
            segments=SegmentOptions(horizon=16),
            optim=replace(SMALL_OPTIM, lr=2e-3),
        ),
    ),
    "paper/eqr-sudoku": (
        "EqR Sudoku as its tables and its published checkpoint have it: 97 positions, 5.03 M",
        replace(OFFICIAL, model=EQR_SUDOKU, data=DataOptions(task="sudoku")),
    ),
    "paper/eqr-sudoku-released": (
        "EqR Sudoku as its released code trains it: 81 positions, 4.86 M parameters",
        replace(OFFICIAL, model=EQR_SUDOKU_RELEASED, data=DataOptions(task="sudoku")),
    ),
    "paper/trm-sudoku": (
        "TRM Sudoku as Samsung publishes it: token MLP, fixed start, no damping, no noise",
        replace(OFFICIAL, model=TRM_SUDOKU, steps=TRM_STEPS, data=DataOptions(task="sudoku")),
    ),
    "paper/trm-sudoku-attention": (
        "TRM Sudoku with attention, Samsung's other variant",
        replace(
            OFFICIAL, model=TRM_SUDOKU_ATTENTION, steps=TRM_STEPS, data=DataOptions(task="sudoku")
        ),
    ),
    "paper/trm-maze": (
        "TRM Maze-Hard as Samsung publishes it: attention, four inner cycles",
        replace(OFFICIAL, model=TRM_MAZE, steps=TRM_STEPS, data=DataOptions(task="maze")),
    ),
    "paper/eqr-maze": (
        "EqR Maze-Unique, 0.264 M parameters",
        replace(
            OFFICIAL,
            model=EQR_MAZE,
            steps=100_000,
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


def presets() -> dict[str, tuple[str, TrainConfig]]:
    """All that can be trained by name: cpu/TASK for every known task, and those above."""
    own = {f"cpu/{task.name}": _of_task(task) for task in all_tasks()}
    return own | PRESETS


def _of_task(task: Task) -> tuple[str, TrainConfig]:
    """The network of a task, in a size that two cores can train."""
    model = PAIRS if task.interchangeable else CELLS
    if not task.lattice:
        model = replace(model, lattice=False, messages=0, scopes=True)
    about = f"structured {task.name} reasoner, no rule at run time (--advice none)"
    return about, replace(ON_CPU, model=model, steps=30_000)
