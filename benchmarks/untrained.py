"""What the network adds to the rules: guided search with shipped and with untrained weights.

    python benchmarks/untrained.py golden_300_five_types.jsonl --width 16

Both search alike; the untrained network has the same shape and random weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import tyro
from rich.table import Table

import erm
from erm.formats.dataset import load_dataset
from erm.model.reasoner import Reasoner
from erm.progress import console, progress_bar
from erm.search.options import SearchOptions
from erm.search.solver import Solver
from erm.types import Puzzle


@dataclass
class Options:
    """Certified puzzles and model evaluations, trained beside untrained."""

    data: tyro.conf.Positional[Path]
    """Puzzles of one or several tasks."""
    depth: int = 64
    width: int = 16
    limit: int | None = None
    """Only the first so many puzzles of each task."""
    seed: int = 0


def main(options: Options) -> None:
    torch.set_num_threads(1)
    puzzles = load_dataset(options.data).puzzles
    search = SearchOptions(options.depth, options.width, seed=options.seed)
    table = Table(title=f"{options.data.name}, guided search, D={search.depth}, K={search.width}")
    table.add_column("task")
    for weights in ("trained", "untrained"):
        table.add_column(f"{weights}: certified", justify="right")
        table.add_column("evaluations", justify="right")
    tasks = list(dict.fromkeys(puzzle.task for puzzle in puzzles))
    with progress_bar() as bar:
        row = bar.add_task("tasks", total=2 * len(tasks), note="")
        for task in tasks:
            own = [puzzle for puzzle in puzzles if puzzle.task == task][: options.limit]
            trained = erm.load(task)
            cells: list[str] = []
            for solver in (trained, _untrained(trained, options.seed)):
                cells += _search(solver, own, search)
                bar.update(row, advance=1, note=task)
            table.add_row(task, *cells)
    console.print(table)


def _untrained(solver: Solver, seed: int) -> Solver:
    torch.manual_seed(seed)
    return Solver(Reasoner(solver.reasoner.config), solver.card)


def _search(solver: Solver, puzzles: Sequence[Puzzle], options: SearchOptions) -> list[str]:
    results = list(solver.solve_many(puzzles, options, guide="rules"))
    certified = sum(result.certified for result in results)
    mean = sum(result.evaluations for result in results) / len(results)
    return [f"{certified}/{len(results)}", f"{mean:.1f}"]


if __name__ == "__main__":
    main(tyro.cli(Options))
