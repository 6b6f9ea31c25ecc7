"""What the rules solve without a network and without a guess: the yardstick for one rollout.

    python benchmarks/rules_alone.py tapa8-held.jsonl.gz nurikabe8-held.jsonl.gz --limit 64

*Pruning* rules out what some rule no longer allows, to the fixed point. *Probing* also tries every
open state of every cell on the rules and rules out those that lead to a contradiction.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
import tyro
from jaxtyping import Bool
from rich.table import Table
from torch import Tensor

from erm.formats.dataset import load_dataset
from erm.progress import console, progress_bar
from erm.rulebook.propagate import probe, prune_tensors
from erm.rulebook.registry import load_task
from erm.rulebook.rules import Rules
from erm.types import Puzzle

Domain = Bool[Tensor, "n S"]


@dataclass
class Options:
    """Boards that pruning and probing fill to the last cell."""

    data: tyro.conf.Positional[tuple[Path, ...]]
    """Files of puzzles."""
    limit: int | None = None
    """Only the first so many puzzles of each file."""


def main(options: Options) -> None:
    torch.set_num_threads(1)
    table = Table(title="solved by the rules alone")
    table.add_column("data")
    for way in ("pruning", "probing"):
        table.add_column(way, justify="right")
        table.add_column("cells", justify="right")
    with progress_bar() as bar:
        for path in options.data:
            puzzles = load_dataset(path).puzzles[: options.limit]
            row = bar.add_task(path.name, total=len(puzzles), note="")
            shares: list[tuple[float, float]] = []
            for puzzle in puzzles:
                shares.append(_settled_shares(puzzle))
                bar.update(row, advance=1)
            cells: list[str] = []
            for way in zip(*shares, strict=True):
                solved = sum(share == 1 for share in way)
                cells += [f"{solved}/{len(way)}", f"{100 * sum(way) / len(way):.0f}%"]
            table.add_row(path.name, *cells)
    console.print(table)


def _settled_shares(puzzle: Puzzle) -> tuple[float, float]:
    """The share of the open cells that pruning settles, and that probing does."""
    task = load_task(puzzle.task)
    rules, printed = task.rules(puzzle), torch.from_numpy(task.domain(puzzle))
    pruned = prune_tensors(rules, printed[None])[0]
    probed = _probe(rules, pruned)
    before = int((printed.sum(-1) > 1).sum())

    def settled(domain: Domain) -> float:
        return 1 - int((domain.sum(-1) > 1).sum()) / max(before, 1)

    return settled(pruned), settled(probed)


def _probe(rules: Rules, domain: Domain) -> Domain:
    while True:
        cells, states = (domain & (domain.sum(-1, keepdim=True) > 1)).nonzero().unbind(-1)
        rest = probe(rules, domain, cells, states)
        if rest is None:
            return domain
        domain = rest


if __name__ == "__main__":
    main(tyro.cli(Options))
