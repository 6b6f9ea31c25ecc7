"""How much is the rules: one search with shipped weights, deaf to the rulebook, and untrained.

    python benchmarks/untrained.py golden_300_five_types.jsonl --width 16
    python benchmarks/untrained.py golden_300_five_types.jsonl --width 16 --protocol plain

All search alike. Deaf are the shipped weights to which the rulebook says nothing; the untrained
network has the same shape and random weights, with the rulebook's advice and without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
import tyro
from rich.table import Table
from torch import Tensor

import erm
from erm.formats.dataset import load_dataset
from erm.model.reasoner import Reasoner
from erm.progress import console, progress_bar
from erm.search.guide import GuideName
from erm.search.options import Mode, SearchOptions
from erm.search.solver import Solver
from erm.types import Puzzle

Protocol = Literal["plain", "network-guided", "certified"]
PROTOCOLS: dict[Protocol, tuple[Mode, GuideName]] = {
    "plain": ("full", "none"),
    "network-guided": ("full", "network"),
    "certified": ("adaptive", "rules"),
}
NETWORKS = "trained", "deaf", "untrained", "untrained, deaf"


@dataclass
class Options:
    """Puzzles solved, and model evaluations per puzzle, by each of four networks."""

    data: tyro.conf.Positional[Path]
    """Puzzles of one or several tasks."""
    protocol: Protocol = "certified"
    """plain: K rollouts to depth D; network-guided: they guess in their domains; certified: the
    rules prune and probe as well. Solved is what the energy selects and the rules certify."""
    depth: int = 64
    width: int = 16
    limit: int | None = None
    """Only the first so many puzzles of each task."""
    seed: int = 0


class DeafReasoner(Reasoner):
    """It asks, and the rulebook says nothing."""

    def advice(self, belief: Tensor, inputs) -> Tensor | None:
        heard = super().advice(belief, inputs)
        return None if heard is None else torch.zeros_like(heard)


def main(options: Options) -> None:
    torch.set_num_threads(1)
    puzzles = load_dataset(options.data).puzzles
    mode, guide = PROTOCOLS[options.protocol]
    search = SearchOptions(options.depth, options.width, mode, options.seed)
    table = Table(
        title=f"{options.data.name}, {options.protocol}, D={search.depth}, K={search.width}"
    )
    table.add_column("task")
    for network in NETWORKS:
        table.add_column(network, justify="right")
    tasks = list(dict.fromkeys(puzzle.task for puzzle in puzzles))
    with progress_bar() as bar:
        row = bar.add_task("tasks", total=len(NETWORKS) * len(tasks), note="")
        for task in tasks:
            own = [puzzle for puzzle in puzzles if puzzle.task == task][: options.limit]
            cells: list[str] = []
            for network in NETWORKS:
                solver = _network(erm.load(task), network, options.seed)
                cells.append(_search(solver, own, search, guide))
                bar.update(row, advance=1, note=task)
            table.add_row(task, *cells)
    console.print(table)


def _network(shipped: Solver, name: str, seed: int) -> Solver:
    torch.manual_seed(seed)
    kind = DeafReasoner if "deaf" in name else Reasoner
    reasoner = kind(shipped.reasoner.config)
    if "untrained" not in name:
        reasoner.load_state_dict(shipped.reasoner.state_dict())
    return Solver(reasoner, shipped.card)


def _search(
    solver: Solver, puzzles: Sequence[Puzzle], options: SearchOptions, guide: GuideName
) -> str:
    results = list(solver.solve_many(puzzles, options, guide=guide))
    solved = sum(result.certified for result in results)
    mean = sum(result.evaluations for result in results) / len(results)
    return f"{solved}/{len(results)} in {mean:.1f}"


if __name__ == "__main__":
    main(tyro.cli(Options))
