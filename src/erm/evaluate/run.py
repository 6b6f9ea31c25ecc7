"""Evaluation and tempering runs over a data set: resumable, sharded, bounded in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from erm.data.dataset import Dataset
from erm.data.fingerprint import count_seen
from erm.errors import InputError
from erm.evaluate.journal import Sample, Share, run_sharded
from erm.evaluate.metrics import oracle
from erm.evaluate.provenance import commit, describe_checkpoint, versions
from erm.evaluate.results import summarise_search, summarise_temper
from erm.evaluate.sample import judge_choice, judge_result
from erm.search.guide import GuideName
from erm.search.options import SearchOptions
from erm.search.select import load_selector, selector_names
from erm.search.solver import Solver, Zoo, load
from erm.search.temper import TemperOptions
from erm.types import Puzzle

SHIPPED = "zoo"
"""As a checkpoint's name: for each puzzle the shipped checkpoint of its task."""


COMPILED_CHUNK = 8
"""Rows in one call of a compiled network, where nothing else is asked for: the fastest on a CPU."""


@runtime_checkable
class Solvers(Protocol):
    """A solver for each task."""

    def __getitem__(self, task: str) -> Solver: ...


class _OneSolver:
    """One checkpoint for all puzzles; those of other tasks are an error."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver

    def __getitem__(self, task: str) -> Solver:
        return self.solver


def open_solvers(checkpoint: str | Path, device: str = "cpu") -> Solvers:
    return Zoo(device) if str(checkpoint) == SHIPPED else _OneSolver(load(checkpoint, device))


def default_selectors() -> list[str]:
    """Every selector that any reasoner's pool can answer for."""
    return [name for name in selector_names() if name not in ("et", "certified")]


def evaluate(
    checkpoint: str | Path,
    data: Dataset,
    options: SearchOptions,
    out: str | Path,
    selectors: Sequence[str] | None = None,
    save_pools: bool = False,
    share: Share | None = None,
    guide: GuideName | None = None,
    device: str = "cpu",
    quiet: bool = False,
    compiled: bool = False,
) -> dict[str, Any] | None:
    """Search every puzzle, let every selector choose, sum up in `out`/results.json.

    `guide` is that of `Solver.guide_for`; `compiled` pays in long runs of one board size. Gives
    the results, or None while other processes still have puzzles to do.
    """
    solvers = open_solvers(checkpoint, device)
    # The oracle is no selector: it reads labels, and its row is always there.
    names = [one for one in selectors or _selectors_of(checkpoint) if one != "oracle"]
    for name in names:
        load_selector(name)
    _check_all_fit(solvers, data)
    out = Path(out)
    if compiled:
        options = replace(options, chunk=options.chunk or COMPILED_CHUNK)
        for task in {puzzle.task for puzzle in data}:
            solvers[task].reasoner.compile_step(options.chunk, dynamic=False)

    def work(indices: Sequence[int]) -> Iterator[Sample]:
        for task, group in _grouped(data, indices):
            solver, puzzles = solvers[task], (data[index] for index in group)
            for result in solver.solve_many(puzzles, options, guide=guide):
                index = group[result.number]
                if save_pools:
                    result.candidates.save(out / "pools" / f"{index:06d}.npz")
                yield judge_result(index, result, names)

    config = _config("evaluate", checkpoint, data) | {
        "options": _search_settings(options),
        "selectors": names,
        "guide": guide or "rules in adaptive searches of checkpoints that can guess",
        "compiled": compiled,
    }
    return run_sharded(
        out,
        config,
        len(data),
        work,
        lambda samples: {
            **config,
            **_origin(),
            "seen_in_training": _seen(solvers, data, quiet),
            **summarise_search(samples),
        },
        share or Share.from_environment(),
        "evaluate",
        quiet,
    )


def temper_all(
    checkpoint: str | Path,
    data: Dataset,
    options: TemperOptions,
    energies: Sequence[str],
    out: str | Path,
    share: Share | None = None,
    device: str = "cpu",
    quiet: bool = False,
) -> dict[str, Any] | None:
    """Temper every puzzle with each of the energies, sum up in `out`/results.json."""
    solvers = open_solvers(checkpoint, device)
    each = {name: replace(options, energy=name) for name in energies}
    for name in energies:
        load_selector(name)
    _check_all_fit(solvers, data)

    def work(indices: Sequence[int]) -> Iterator[Sample]:
        for index in indices:
            puzzle = data[index]
            solver = solvers[puzzle.task]
            yield _tempered(index, solver, puzzle, each)

    settings = {key: value for key, value in asdict(options).items() if key not in _SPEED_ONLY}
    del settings["energy"]
    config = _config("temper", checkpoint, data) | {
        "options": settings,
        "energies": list(energies),
    }
    return run_sharded(
        out,
        config,
        len(data),
        work,
        lambda samples: {**config, **_origin(), **summarise_temper(samples)},
        share or Share.from_environment(),
        "temper",
        quiet,
    )


def _tempered(
    index: int, solver: Solver, puzzle: Puzzle, options: dict[str, TemperOptions]
) -> Sample:
    problem = solver.problem(puzzle)
    sample: Sample = {"index": index, "task": puzzle.task, "shape": list(puzzle.shape)}
    sample |= {"energies": {}, "evaluations": 0, "seconds": 0.0, "good": False}
    for name, wanted in options.items():
        result = solver.temper(puzzle, wanted)
        row: Sample = {
            "selected": judge_choice(problem, result.selected),
            "best": judge_choice(problem, result.best),
            "swap_rates": [None if np.isnan(r) else round(float(r), 6) for r in result.swap_rates],
            "acceptance": result.acceptance,
        }
        if puzzle.answer is not None:
            row["oracle"] = oracle(result.pool.answers, puzzle.answer)._asdict()
            row["visited"] = oracle(result.visited, puzzle.answer)._asdict()
        sample["energies"][name] = row
        sample["evaluations"] = result.evaluations
        sample["seconds"] += round(result.seconds, 3)
        sample["good"] = sample["good"] or row["selected"].get("correct", row["selected"]["valid"])
    return sample


_SPEED_ONLY = {"chunk", "rows"}
"""Options that change how fast a run is and nothing else; a run may be continued with others."""


def _seen(solvers: Solvers, data: Dataset, quiet: bool) -> int | None:
    """Puzzles that equal a training puzzle up to symmetry; None where a checkpoint cannot tell."""
    total = 0
    for task in sorted({puzzle.task for puzzle in data}):
        seen = solvers[task].seen
        if seen is None:
            return None
        total += count_seen([puzzle for puzzle in data if puzzle.task == task], seen, quiet)
    return total


def _search_settings(options: SearchOptions) -> dict[str, Any]:
    return {key: value for key, value in asdict(options).items() if key not in _SPEED_ONLY}


def _selectors_of(checkpoint: str | Path) -> list[str]:
    names = default_selectors()
    if str(checkpoint) != SHIPPED and "energy-transformer" in str(
        describe_checkpoint(checkpoint)["architecture"]
    ):
        names.append("et")
    return names


def _check_all_fit(solvers: Solvers, data: Dataset) -> None:
    """Say at the start which puzzle a checkpoint cannot read, not hours later."""
    seen: set[tuple] = set()
    for index, puzzle in enumerate(data.puzzles):
        if (puzzle.task, puzzle.shape) not in seen:
            seen.add((puzzle.task, puzzle.shape))
            try:
                solvers[puzzle.task].problem(puzzle)
            except InputError as error:
                raise InputError(f"{data.path}, puzzle {index + 1}: {error}") from None


def _grouped(data: Dataset, indices: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
    """Puzzles of one task and shape together, as batches need them."""
    groups: dict[tuple, list[int]] = {}
    for index in indices:
        groups.setdefault((data[index].task, data[index].shape), []).append(index)
    for (task, _), group in groups.items():
        yield task, group


def _config(command: str, checkpoint: str | Path, data: Dataset) -> dict[str, Any]:
    """What makes two runs the same run."""
    if str(checkpoint) == SHIPPED:
        used = sorted({puzzle.task for puzzle in data.puzzles})
        weights: Any = {task: describe_checkpoint(task) for task in used}
    else:
        weights = describe_checkpoint(checkpoint)
    return {"command": command, "checkpoint": weights, "data": data.describe()}


def _origin() -> dict[str, Any]:
    return {"versions": versions(), "commit": commit()}
