"""Parameters and compute of the paper's table, counted on real models, beside the paper's own."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from erm import zoo
from erm.model.checkpoint import blank, read_config
from erm.model.config import ReasonerConfig
from erm.model.sizes import SIZES


@dataclass(frozen=True)
class Published:
    """One row of the paper's table; None where the paper does not say."""

    model: str
    size: str
    depth: int
    width: int
    selector: str
    millions: float | None
    layers: int | None
    """Equivalent layers as the paper counts them."""
    notes: tuple[str, ...] = ()


PPBENCH, MAZE, CYCLES, PUZZLE, VOTE, TRANSFORMER = "a", "b", "c", "d", "e", "f"
NOTES = {
    PPBENCH: "the paper does not state its PPBench vocabulary: 7.12 M needs about 296 tokens, "
    "our five tasks share 347",
    MAZE: "the published Maze backbone (hidden 128, one block) has 0.264 M parameters; "
    "the paper's table says 2.64 M",
    CYCLES: "TRM publishes its Maze model with 4 L-cycles, 30 layers per step; the paper counts 42",
    PUZZLE: "5.03 M includes TRM's 16 puzzle positions; 81 positions alone give 4.86 M",
    VOTE: "EqR's own selector is top-1 convergence, the smallest change over the last 3 steps",
    TRANSFORMER: "the paper gives no sizes for EqR+ET; ours keeps EqR's width, cycles and blocks",
}

TABLE = (
    Published("TRM Sudoku", "trm-sudoku", 16, 1, "none", 5.00, 672),
    Published("TRM attention", "trm-sudoku-attention", 16, 1, "none", 7.00, 672),
    Published("PTRM Sudoku", "trm-sudoku", 64, 100, "q-head", 5.00, 268_800),
    Published("PTRM Maze", "trm-maze", 16, 100, "q-head", 7.00, 67_200, (CYCLES,)),
    Published("PTRM PPBench", "trm-ppbench", 48, 100, "q-head", 7.00, 201_600, (PPBENCH,)),
    Published("EqR Sudoku", "eqr-sudoku", 64, 128, "majority vote", 5.03, 344_064, (PUZZLE, VOTE)),
    Published("EqR Maze", "eqr-maze", 64, 128, "majority vote", 2.64, 122_880, (MAZE, VOTE)),
    Published("ERM Sudoku", "eqr-sudoku", 64, 128, "Hopfield energy", 5.03, 344_064, (PUZZLE,)),
    Published("ERM PPBench", "eqr-ppbench", 64, 128, "Hopfield energy", 7.12, 344_064, (PPBENCH,)),
    Published("ERM Maze", "eqr-maze", 64, 128, "Hopfield energy", 2.64, 122_880, (MAZE,)),
    Published("EqR+ET Sudoku", "eqr-et-sudoku", 64, 16, "ET energy", None, None, (TRANSFORMER,)),
)
"""Table "Parameter and Compute Accounting" of the paper, and its EqR+ET experiment."""


@dataclass(frozen=True)
class Account:
    """What one model costs: our count, and the paper's where it has one."""

    model: str
    parameters: int
    depth: int
    width: int
    evaluations: int
    """D x K outer steps."""
    layers_per_step: int
    layers: int
    """Equivalent layers: evaluations times the layers of a step."""
    selector: str
    paper_millions: float | None = None
    paper_layers: int | None = None
    notes: tuple[str, ...] = ()


def account(
    model: str, config: ReasonerConfig, depth: int, width: int, selector: str, **paper: Any
) -> Account:
    """Count a config's parameters on a real model, and its compute at D = depth, K = width."""
    evaluations = depth * width
    return Account(
        model=model,
        parameters=blank(config).parameter_count,
        depth=depth,
        width=width,
        evaluations=evaluations,
        layers_per_step=config.layers_per_step,
        layers=evaluations * config.layers_per_step,
        selector=selector,
        **paper,
    )


def paper_accounts() -> list[Account]:
    """Every row of the paper's table, recounted."""
    return [
        account(
            row.model,
            SIZES[row.size],
            row.depth,
            row.width,
            row.selector,
            paper_millions=row.millions,
            paper_layers=row.layers,
            notes=row.notes,
        )
        for row in TABLE
    ]


def shipped_accounts(depth: int = 64, width: int = 128) -> list[Account]:
    """The checkpoints that ship with erm, at the paper's budget."""
    return [
        account(name, read_config(found.folder), depth, width, "Hopfield energy")
        for name, found in zoo.shelf().items()
    ]


def as_json() -> dict[str, Any]:
    return {
        "paper": [asdict(row) for row in paper_accounts()],
        "shipped": [asdict(row) for row in shipped_accounts()],
        "notes": NOTES,
    }
