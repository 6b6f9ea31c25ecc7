"""Full, adaptive and guided search as ratios measured in one run: `python benchmarks/search.py`.

Full search always takes K x D model evaluations per puzzle, so its bill is known; its wall time is
measured on the first few of the puzzles (`--full-count`), on which all times are compared. Run it
on an otherwise idle machine for honest wall times.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, islice
from pathlib import Path

import torch
import tyro
from rich.table import Table

import erm
from erm.data.recipe import Recipe
from erm.evaluate.solving import COMPILED_CHUNK
from erm.formats.dataset import load_dataset
from erm.progress import console, progress_bar
from erm.search.options import Mode, SearchOptions
from erm.search.result import Result
from erm.search.solver import Solver
from erm.types import Puzzle


@dataclass
class Options:
    """Model evaluations and wall time of the three ways to search."""

    checkpoint: str = "sudoku"
    """A shipped checkpoint's name or a folder."""
    data: Path | None = None
    """Puzzles; if not given, hard Sudokus are generated."""
    count: int = 200
    """How many puzzles the rules get."""
    min_guesses: int = 10
    """Difficulty of the generated Sudokus."""
    full_count: int = 4
    """On how many of them the network runs."""
    depth: int = 64
    width: int = 128
    seed: int = 0
    threads: int = 1


def main(options: Options) -> None:
    torch.set_num_threads(options.threads)
    solver = erm.load(options.checkpoint)
    puzzles = _puzzles(options)
    few = puzzles[: options.full_count]
    full, full_seconds = _run(solver, few, "full", options)
    bill = options.depth * options.width
    table = Table(title=f"{len(puzzles)} puzzles, D={options.depth}, K={options.width}")
    for name in ("mode", "puzzles", "certified", "evaluations per puzzle", "seconds per puzzle"):
        table.add_column(name, justify="left" if name == "mode" else "right")
    _add(table, "full", full, bill, full_seconds)
    lines = []
    for name, rules in (("candidates up to a certificate", False), ("rules first", True)):
        # Candidates that find nothing cost as much as full search does.
        results, seconds = _run(solver, puzzles if rules else few, "adaptive", options, rules)
        _, few_seconds = _run(solver, few, "adaptive", options, rules)
        mean = sum(result.evaluations for result in results) / len(results)
        _add(table, name, results, mean, seconds)
        ratio = full_seconds / few_seconds
        lines.append(f"wall time on the same {len(few)} puzzles, full / {name}: {ratio:.1f}x")
    solver.reasoner.compile_step(COMPILED_CHUNK)
    _run(solver, few[:1], "full", replace(options, depth=1), chunk=COMPILED_CHUNK)
    compiled, seconds = _run(solver, few, "full", options, chunk=COMPILED_CHUNK)
    _add(table, "full, compiled", compiled, bill, seconds)
    lines.append(f"wall time, full / full compiled: {full_seconds / seconds:.2f}x")
    console.print(table)
    console.print("\n".join(lines))


def _add(
    table: Table, name: str, results: Sequence[Result], evaluations: float, seconds: float
) -> None:
    certified = sum(result.certified for result in results)
    each = seconds / len(results)
    table.add_row(name, str(len(results)), str(certified), f"{evaluations:.1f}", f"{each:.3f}")


def _puzzles(options: Options) -> Sequence[Puzzle]:
    if options.data is not None:
        return load_dataset(options.data, limit=options.count).puzzles
    recipe = Recipe("sudoku", 9, 9, options.seed, {"min_guesses": options.min_guesses})
    units = (recipe.make(unit) for unit in count())
    return list(islice(chain.from_iterable(units), options.count))


def _run(
    solver: Solver,
    puzzles: Sequence[Puzzle],
    mode: Mode,
    options: Options,
    rules: bool = True,
    chunk: int | None = None,
) -> tuple[list[Result], float]:
    wanted = SearchOptions(
        options.depth, options.width, mode, options.seed, rules=rules, chunk=chunk
    )
    began = time.perf_counter()
    results = []
    with progress_bar() as bar:
        task = bar.add_task(mode, total=len(puzzles), note="")
        for result in solver.solve_many(puzzles, wanted):
            results.append(result)
            bar.advance(task)
    return results, time.perf_counter() - began


if __name__ == "__main__":
    main(tyro.cli(Options))
