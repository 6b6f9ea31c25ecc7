"""Evaluation and tempering runs over a data set: resumable, sharded, bounded in memory.

The solver is asked here and nowhere else in evaluation.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from erm import zoo
from erm.data.dataset import Dataset
from erm.data.fingerprint import count_seen
from erm.errors import InputError
from erm.evaluate.diagnosis import diagnose_search, diagnose_temper
from erm.evaluate.energies import (
    DECODED,
    changed,
    check_selector,
    is_changed_energy,
    needs_log_probs,
)
from erm.evaluate.pools import PoolFolder
from erm.evaluate.provenance import commit, describe_checkpoint, versions
from erm.evaluate.results import summarise_search, summarise_temper
from erm.evaluate.sample import choices, search_sample, temper_sample
from erm.progress import messages, progress_bar
from erm.rulebook.registry import load_task
from erm.run_folder import RunFolder, Sample, Share, run_sharded
from erm.search.guide import GuideName
from erm.search.hunt import Hunt, SearchOptions
from erm.search.problem import Problem
from erm.search.select import selector_names
from erm.search.solver import Solver, Zoo, load
from erm.search.temper import TemperOptions
from erm.types import Puzzle

SHIPPED = "zoo"
"""As a checkpoint's name: for each puzzle the shipped checkpoint of its task."""


COMPILED_CHUNK = 8
"""Rows in one call of a compiled network, where nothing else is asked for: the fastest on a CPU."""

_SPEED_ONLY = {"chunk", "rows"}
"""Options that change how fast a run is and nothing else; a run may be continued with others."""


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


def default_selectors(tasks: Sequence[str] = ()) -> list[str]:
    """Every selector that any reasoner's pool can answer for; where a task's energy reads
    log-probabilities (Eq. 6), also its reading on decoded answers (Eq. 7)."""
    names = [name for name in selector_names() if name not in ("et", "certified")]
    return names + [DECODED] * any(load_task(task).settings.soft for task in tasks)


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
    energies: Sequence[str] = (),
) -> dict[str, Any] | None:
    """Search every puzzle, let every selector choose, sum up in `out`/results.json.

    `energies` are further selectors such as `energy:tau=2`. The candidates are kept in `out`/pools,
    so that a finished run takes further selectors without the network; `save_pools` keeps the
    log-probabilities and what a trace holds as well. `guide` is that of `Solver.guide_for`;
    `compiled` pays in long runs of one board size. Gives the results, or None while other processes
    still have puzzles to do.
    """
    solvers = open_solvers(checkpoint, device)
    names = list(dict.fromkeys([*(selectors or _selectors_of(checkpoint, data)), *energies]))
    # The oracle is no selector: it reads labels, and its row is always there.
    names = [name for name in names if name != "oracle"]
    for name in names:
        check_selector(name)
    _check_all_fit(solvers, data)
    folder, share = RunFolder(Path(out)), share or Share.from_environment()
    pools = PoolFolder(folder.path / "pools", whole=save_pools)
    reads_log_probs = any(
        needs_log_probs(load_task(t), name) for t in _tasks(data) for name in names
    )
    searched = replace(options, keep_log_probs=save_pools or reads_log_probs)
    if compiled:
        searched = replace(searched, chunk=options.chunk or COMPILED_CHUNK)
        for task in _tasks(data):
            solvers[task].reasoner.compile_step(searched.chunk, dynamic=False)

    config = _config("evaluate", checkpoint, data) | {
        "options": _search_settings(options),
        "guide": guide or "rules in adaptive searches of checkpoints that can guess",
        "compiled": compiled,
    }
    folder.claim(config, optional=("selectors",))
    before = folder.finished()

    def work(indices: Sequence[int]) -> Iterator[Sample]:
        unsearched = []
        for index in indices:
            more = _further_choices(before.get(index), solvers, data[index], pools, names, options)
            if more is None:
                unsearched.append(index)
            else:
                yield {"index": index, "choices": more}
        for hunt in _searched(solvers, data, unsearched, searched, guide):
            pools.save(hunt.tag, hunt.pool())
            yield search_sample(hunt.tag, hunt, names)

    def is_complete(sample: Sample) -> bool:
        return sample.get("choices", {}).keys() >= {*names}

    def summarise(samples: list[Sample]) -> dict[str, Any]:
        found = {
            **config,
            **_origin(),
            "seen_in_training": _seen(solvers, data, quiet),
            **summarise_search(samples),
        }
        return {**found, "diagnosis": diagnose_search(found, samples)}

    return _complete(folder, len(data), work, is_complete, summarise, share, "evaluate", quiet)


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
    """Temper every puzzle with each of the energies, sum up in `out`/results.json.

    An energy is any selector's name, or `energy:tau=2` for the task's own under other settings.
    """
    solvers = open_solvers(checkpoint, device)
    for name in energies:
        check_selector(name)
    _check_all_fit(solvers, data)
    folder, share = RunFolder(Path(out)), share or Share.from_environment()
    settings = {key: value for key, value in asdict(options).items() if key not in _SPEED_ONLY}
    del settings["energy"]
    config = _config("temper", checkpoint, data) | {"options": settings}
    folder.claim(config, optional=("energies",))
    before = folder.finished()

    def work(indices: Sequence[int]) -> Iterator[Sample]:
        for index in indices:
            puzzle = data[index]
            solver = solvers[puzzle.task]
            done = before.get(index, {}).get("energies", {})
            wanted = [name for name in energies if name not in done]
            results = {name: _tempered(solver, puzzle, options, name) for name in wanted}
            yield temper_sample(index, solver.problem(puzzle), results)

    def is_complete(sample: Sample) -> bool:
        return sample.get("energies", {}).keys() >= {*energies}

    def summarise(samples: list[Sample]) -> dict[str, Any]:
        found = {**config, **_origin(), **summarise_temper(samples)}
        return {**found, "diagnosis": diagnose_temper(found)}

    return _complete(folder, len(data), work, is_complete, summarise, share, "temper", quiet)


def seconds_per_puzzle(
    checkpoint: str | Path,
    puzzles: Sequence[Puzzle],
    options: SearchOptions | TemperOptions,
    energies: Sequence[str],
    guide: GuideName | None,
    limit: float,
    device: str = "cpu",
) -> float:
    """How long one of these puzzles takes on average, tried for about `limit` seconds."""
    solver = load(checkpoint, device)

    def run(puzzle: Puzzle, options: SearchOptions | TemperOptions) -> None:
        if isinstance(options, TemperOptions):
            for energy in energies:
                _tempered(solver, puzzle, options, energy)
        else:
            list(solver.solve_many([puzzle], options, guide=guide))

    run(puzzles[0], replace(options, depth=1))
    began, count = time.perf_counter(), 0
    for puzzle in puzzles:
        run(puzzle, options)
        count += 1
        if time.perf_counter() - began > limit:
            break
    return (time.perf_counter() - began) / count


def readable(checkpoint: str | Path, puzzles: Sequence[Puzzle]) -> tuple[list[Puzzle], str | None]:
    """The puzzles whose boards a checkpoint can read, and why not the others."""
    solver = load(checkpoint)
    refused: dict[tuple, str | None] = {}
    for puzzle in puzzles:
        if puzzle.shape not in refused:
            try:
                solver.problem(puzzle)
                refused[puzzle.shape] = None
            except InputError as error:
                refused[puzzle.shape] = str(error)
    reasons = [reason for reason in refused.values() if reason]
    kept = [puzzle for puzzle in puzzles if refused[puzzle.shape] is None]
    return kept, reasons[0] if reasons else None


def _complete(
    folder: RunFolder,
    count: int,
    work: Callable[[Sequence[int]], Iterator[Sample]],
    is_complete: Callable[[Sample], bool],
    summarise: Callable[[list[Sample]], dict[str, Any]],
    share: Share,
    label: str,
    quiet: bool,
) -> dict[str, Any] | None:
    """Do this process's share with a progress bar; whoever finds the run complete sums it up."""
    before, own = folder.finished(), range(share.rank, count, share.world)
    done = sum(index in before and is_complete(before[index]) for index in own)
    with progress_bar(quiet or share.rank != 0) as bar:
        task = bar.add_task(label, total=len(own), completed=done, note="")
        judged = good = 0
        for sample in run_sharded(folder, count, work, share, is_complete):
            judged += "good" in sample
            good += bool(sample.get("good"))
            bar.update(task, advance=1, note=f"{100 * good / judged:.1f}%" if judged else "")
    samples = folder.finished()
    left = [i for i in range(count) if i not in samples or not is_complete(samples[i])]
    if left:
        if not quiet:
            messages.print(f"rank {share.rank}: done; {len(left)} samples are with others")
        return None
    ordered = [samples[index] for index in range(count)]
    results = summarise(ordered)
    folder.finish(ordered, results)
    return results


def _further_choices(
    sample: Sample | None,
    solvers: Solvers,
    puzzle: Puzzle,
    pools: PoolFolder,
    names: Sequence[str],
    options: SearchOptions,
) -> dict[str, Sample] | None:
    """What selectors that a finished sample lacks take from its saved pool; None where the
    network has to be asked."""
    if sample is None or "choices" not in sample:
        return None
    new = [name for name in names if name not in sample["choices"]]
    pool = pools.load(sample["index"])
    if pool is None:
        return None
    task = solvers[puzzle.task].tasks[puzzle.task]
    if pool.log_probs is None and any(needs_log_probs(task, name) for name in new):
        return None
    return choices(Problem(task, puzzle), pool, new, options.mode)


def _searched(
    solvers: Solvers,
    data: Dataset,
    indices: Sequence[int],
    options: SearchOptions,
    guide: GuideName | None,
) -> Iterator[Hunt]:
    """Finished hunts; puzzles of one task and shape go together, as batches need them."""
    groups: dict[tuple, list[int]] = {}
    for index in indices:
        groups.setdefault((data[index].task, data[index].shape), []).append(index)
    for (task, _), group in groups.items():
        solver = solvers[task]
        problems = ((index, solver.problem(data[index])) for index in group)
        yield from solver.hunts(problems, options, solver.guide_for(options, guide))


def _tempered(solver: Solver, puzzle: Puzzle, options: TemperOptions, energy: str):
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


def _tasks(data: Dataset) -> list[str]:
    return sorted({puzzle.task for puzzle in data})


def _seen(solvers: Solvers, data: Dataset, quiet: bool) -> int | None:
    """Puzzles that equal a training puzzle up to symmetry; None where a checkpoint cannot tell."""
    total = 0
    for task in _tasks(data):
        seen = solvers[task].seen
        if seen is None:
            return None
        total += count_seen([puzzle for puzzle in data if puzzle.task == task], seen, quiet)
    return total


def _search_settings(options: SearchOptions) -> dict[str, Any]:
    """What makes another search; what a pool keeps does not."""
    settings = asdict(replace(options, keep_log_probs=False))
    return {key: value for key, value in settings.items() if key not in _SPEED_ONLY}


def _selectors_of(checkpoint: str | Path, data: Dataset) -> list[str]:
    names = default_selectors(_tasks(data))
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


def _config(command: str, checkpoint: str | Path, data: Dataset) -> dict[str, Any]:
    """What makes two runs the same run."""
    if str(checkpoint) == SHIPPED:
        weights: Any = {task: describe_checkpoint(zoo.path(task)) for task in _tasks(data)}
    else:
        weights = describe_checkpoint(checkpoint)
    return {"command": command, "checkpoint": weights, "data": data.describe()}


def _origin() -> dict[str, Any]:
    return {"versions": versions(), "commit": commit()}
