"""The rules alone beside clingo: prove wild boards unique, on one core, in the same process.

    python benchmarks/versus_clingo.py --boards janko-half.jsonl.gz --sudoku sudoku-extreme-test.csv

Both are given the parsed puzzle and asked for two answers: one, and the proof that there is no
other. Ours is `enumerate_answers`, with the time to state the rules; clingo's is our own encoding,
with the time to ground it. Times are processor time in milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from rich.table import Table

from erm.formats.dataset import load_dataset
from erm.progress import console, progress_bar
from erm.rulebook.complete import enumerate_answers
from erm.rulebook.registry import load_task
from erm.types import Puzzle

TASKS = ("lightup", "nurikabe", "heyawake")
SIZES = {"to 10x10": (1, 10), "15x15 to 20x20": (15, 20)}


@dataclass
class Options:
    """Medians, means and worst of both solvers."""

    boards: Path | None = None
    """A file of lightup, nurikabe and heyawake boards."""
    sudoku: Path | None = None
    """A file of Sudokus; clingo has no encoding of them, only ours is timed."""
    limit: int = 40
    """Boards of each kind and size."""
    seconds: float = 60.0
    """Longest search of ours for one board."""


@dataclass
class Times:
    """Milliseconds a board."""

    ours: list[float]
    clingo: list[float]
    undecided: int = 0


def main(options: Options) -> None:
    table = Table(title="a proof of uniqueness, ms of processor time a board")
    table.add_column("boards")
    for column in ("number", "ours: median", "mean", "worst", "undecided"):
        table.add_column(column, justify="right")
    for column in ("clingo: median", "mean", "worst"):
        table.add_column(column, justify="right")
    with progress_bar() as bar:
        for name, puzzles, beside in _groups(options):
            row = bar.add_task(name, total=len(puzzles), note="")
            times = _measure(puzzles, beside, options.seconds, lambda r=row: bar.advance(r))
            table.add_row(
                name,
                str(len(puzzles)),
                *_summary(times.ours),
                str(times.undecided),
                *_summary(times.clingo),
            )
    console.print(table)


def _groups(options: Options) -> list[tuple[str, Sequence[Puzzle], bool]]:
    groups: list[tuple[str, Sequence[Puzzle], bool]] = []
    if options.boards is not None:
        puzzles = load_dataset(options.boards).puzzles
        for task in TASKS:
            for size, (low, high) in SIZES.items():
                chosen = [
                    puzzle
                    for puzzle in puzzles
                    if puzzle.task == task and low <= min(puzzle.shape) <= max(puzzle.shape) <= high
                ]
                groups.append((f"{task} {size}", chosen[: options.limit], True))
    if options.sudoku is not None:
        groups.append(("sudoku", load_dataset(options.sudoku).puzzles[: options.limit], False))
    return groups


def _measure(
    puzzles: Sequence[Puzzle], beside: bool, seconds: float, advance: Callable[[], None]
) -> Times:
    times = Times([], [])
    for number, puzzle in enumerate(puzzles):
        if number == 0:
            _prove(puzzle, seconds)  # Compiled code is loaded before the clock runs.
        begin = time.process_time()
        count = _prove(puzzle, seconds)
        times.ours.append(1e3 * (time.process_time() - begin))
        times.undecided += count is None
        if beside:
            begin = time.process_time()
            expected = len(list(load_task(puzzle.task).prover(puzzle.givens).answers(2)))
            times.clingo.append(1e3 * (time.process_time() - begin))
            if count not in (None, expected):
                raise AssertionError(f"{count} answers, but clingo finds {expected}: {puzzle.meta}")
        advance()
    return times


def _prove(puzzle: Puzzle, seconds: float) -> int | None:
    """How many answers there are, at most two; None where time ran out."""
    found = enumerate_answers(load_task(puzzle.task).rules(puzzle), limit=2, seconds=seconds)
    return len(found.answers) if found.exhausted or len(found.answers) == 2 else None


def _summary(times: Sequence[float]) -> tuple[str, str, str]:
    if not times:
        return "-", "-", "-"
    return tuple(f"{value:.1f}" for value in (np.median(times), np.mean(times), np.max(times)))


if __name__ == "__main__":
    main(tyro.cli(Options))
