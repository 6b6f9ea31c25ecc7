"""What evaluation asks of solvers; it asks here and nowhere else."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from erm.errors import InputError
from erm.evaluate.energies import changed, is_changed_energy
from erm.formats.dataset import Dataset
from erm.rulebook.propagate import Tally, tally
from erm.search.options import SearchOptions
from erm.search.result import Result
from erm.search.solver import Solver, Solvers
from erm.search.temper import TemperOptions, TemperResult
from erm.types import Puzzle

COMPILED_CHUNK = 8
"""Rows in one call of a compiled network, where nothing else is asked for: the fastest on a CPU."""


def search_all(
    solvers: Solvers, data: Dataset, indices: Sequence[int], options: SearchOptions
) -> Iterator[tuple[int, Result, Tally]]:
    """Search those puzzles; each result comes with its index and what the rules propagated since
    the one before. Its seconds are those since then, so that they add up. Puzzles of one task and
    shape go together, as batches need them."""
    groups: dict[tuple, list[int]] = {}
    for index in indices:
        groups.setdefault((data[index].task, data[index].shape), []).append(index)
    before, began = replace(tally), time.perf_counter()
    for (task, _), group in groups.items():
        puzzles = (data[index] for index in group)
        for result in solvers[task].solve_many(puzzles, options):
            spent = Tally(tally.boards - before.boards, tally.seconds - before.seconds)
            now = time.perf_counter()
            seconds, before, began = now - began, replace(tally), now
            yield group[result.number], replace(result, seconds=seconds), spent


def tempered(solver: Solver, puzzle: Puzzle, options: TemperOptions, energy: str) -> TemperResult:
    """Temper one puzzle with a selector's score, or with the energy under other settings."""
    if is_changed_energy(energy):
        solver = _with_energy(solver, energy)
        energy = "energy"
    return solver.temper(puzzle, replace(options, energy=energy))


def _with_energy(solver: Solver, energy: str) -> Solver:
    """The same network under other constants of its tasks' energies."""
    other = copy.copy(solver)
    other.tasks = {
        name: task.with_settings(changed(task.settings, energy))
        for name, task in solver.tasks.items()
    }
    return other


def seconds_per_puzzle(
    checkpoint: str | Path,
    puzzles: Sequence[Puzzle],
    options: SearchOptions | TemperOptions,
    energies: Sequence[str],
    limit: float,
    device: str = "cpu",
    compiled: bool = False,
) -> float:
    """How long one of these puzzles takes on average, tried for about `limit` seconds."""
    solver = Solvers(checkpoint, device)[puzzles[0].task]
    if compiled:
        options = replace(options, chunk=options.chunk or COMPILED_CHUNK)
        solver.reasoner.compile_step(options.chunk)

    def run(puzzle: Puzzle, options: SearchOptions | TemperOptions) -> None:
        if isinstance(options, TemperOptions):
            for energy in energies:
                tempered(solver, puzzle, options, energy)
        else:
            list(solver.solve_many([puzzle], options))

    run(puzzles[0], replace(options, depth=1))
    began, count = time.perf_counter(), 0
    for puzzle in puzzles:
        run(puzzle, options)
        count += 1
        if time.perf_counter() - began > limit:
            break
    return (time.perf_counter() - began) / count


def readable(
    checkpoint: str | Path, puzzles: Sequence[Puzzle], device: str = "cpu"
) -> tuple[list[Puzzle], str | None]:
    """The puzzles whose boards a checkpoint can read, and why not the others."""
    solvers = Solvers(checkpoint, device)
    refused: dict[tuple, str | None] = {}
    for puzzle in puzzles:
        if (puzzle.task, puzzle.shape) not in refused:
            try:
                solvers[puzzle.task].problem(puzzle)
                refused[puzzle.task, puzzle.shape] = None
            except InputError as error:
                refused[puzzle.task, puzzle.shape] = str(error)
    reasons = [reason for reason in refused.values() if reason]
    kept = [puzzle for puzzle in puzzles if refused[puzzle.task, puzzle.shape] is None]
    return kept, reasons[0] if reasons else None


def check_all_fit(solvers: Solvers, data: Dataset, options: SearchOptions | None = None) -> None:
    """Say at the start which puzzle a checkpoint cannot read, not hours later."""
    seen: set[tuple] = set()
    for index, puzzle in enumerate(data.puzzles):
        if (puzzle.task, puzzle.shape) not in seen:
            seen.add((puzzle.task, puzzle.shape))
            try:
                solvers[puzzle.task].problem(puzzle, options)
            except InputError as error:
                raise InputError(f"{data.path}, puzzle {index + 1}: {error}") from None
