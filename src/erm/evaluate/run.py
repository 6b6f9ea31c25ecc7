"""Evaluation and tempering runs over a data set: resumable, sharded, bounded in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from erm.data.fingerprint import count_seen
from erm.evaluate.diagnosis import diagnose_search, diagnose_temper
from erm.evaluate.energies import (
    DECODED,
    check_selector,
    needs_log_probs,
)
from erm.evaluate.pools import PoolFolder
from erm.evaluate.provenance import commit, versions
from erm.evaluate.results import summarise_search, summarise_temper
from erm.evaluate.sample import choices, search_sample, temper_sample
from erm.evaluate.schema import run_folder
from erm.evaluate.solving import (
    COMPILED_CHUNK,
    check_all_fit,
    search_all,
    tempered,
)
from erm.formats.dataset import Dataset
from erm.progress import messages, progress_bar
from erm.rulebook.registry import load_task
from erm.run_folder import RunFolder, Sample, Share, run_sharded
from erm.search.guidance import Guidance
from erm.search.options import SearchOptions
from erm.search.problem import Problem
from erm.search.select import selector_names
from erm.search.solver import Solver, Solvers
from erm.search.temper import TemperOptions
from erm.types import Puzzle

DRAWS = "philox"
"""How candidates draw: runs from before they drew by address cannot be continued."""
_SPEED_ONLY = {"chunk", "rows"}
"""Options that change how fast a run is and nothing else; a run may be continued with others."""


def default_selectors(tasks: Sequence[str] = ()) -> list[str]:
    """Every selector that any reasoner's pool can answer for; where a task's energy reads
    log-probabilities (Eq. 6), also its reading on decoded answers (Eq. 7)."""
    names = [name for name in selector_names() if name not in ("et", "certified")]
    return names + [DECODED] * any(load_task(task).settings.soft for task in tasks)


def evaluate(
    checkpoint: str | Path | Solver,
    data: Dataset,
    options: SearchOptions,
    out: str | Path,
    selectors: Sequence[str] | None = None,
    save_pools: bool = False,
    share: Share | None = None,
    device: str = "cpu",
    quiet: bool = False,
    compiled: bool = False,
    energies: Sequence[str] = (),
) -> dict[str, Any] | None:
    """Search every puzzle, let every selector choose, sum up in `out`/results.json.

    `checkpoint` is a solver, a name or folder of weights, `zoo`, or `none`. `energies` are further
    selectors such as `energy:tau=2`. The candidates are kept in `out`/pools, so that a finished run
    takes further selectors without the network; `save_pools` keeps the log-probabilities and what a
    trace holds as well. `compiled` pays in long runs of one board size. Gives the results, or None
    while other processes still have puzzles to do.
    """
    solvers = Solvers(checkpoint, device)
    names = list(dict.fromkeys([*(selectors or _selectors_of(solvers, data, options)), *energies]))
    # The oracle is no selector: it reads labels, and its row is always there.
    names = [name for name in names if name != "oracle"]
    for name in names:
        check_selector(name)
    check_all_fit(solvers, data, options)
    folder, share = run_folder(out, "evaluate"), share or Share.from_environment()
    pools = PoolFolder(folder.path / "pools", whole=save_pools)
    reads_log_probs = any(
        needs_log_probs(load_task(t), name) for t in _tasks(data) for name in names
    )
    searched = replace(options, keep_log_probs=save_pools or reads_log_probs)
    if compiled:
        searched = replace(searched, chunk=options.chunk or COMPILED_CHUNK)
        _compile(solvers, data, searched.chunk)

    config = _config("evaluate", solvers, data, options) | {
        "options": _search_settings(options),
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
        for index, found, spent in search_all(solvers, data, unsearched, searched):
            pools.save(index, found.candidates)
            yield search_sample(index, found, names, spent)

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
    checkpoint: str | Path | Solver,
    data: Dataset,
    options: TemperOptions,
    energies: Sequence[str],
    out: str | Path,
    share: Share | None = None,
    device: str = "cpu",
    quiet: bool = False,
    compiled: bool = False,
) -> dict[str, Any] | None:
    """Temper every puzzle with each of the energies, sum up in `out`/results.json.

    An energy is any selector's name, or `energy:tau=2` for the task's own under other settings.
    """
    solvers = Solvers(checkpoint, device)
    for name in energies:
        check_selector(name)
    check_all_fit(solvers, data)
    folder, share = run_folder(out, "temper"), share or Share.from_environment()
    settings = _settings(options)
    del settings["energy"]
    if compiled:
        options = replace(options, chunk=options.chunk or COMPILED_CHUNK)
        _compile(solvers, data, options.chunk)
    config = _config("temper", solvers, data, options) | {"options": settings, "compiled": compiled}
    folder.claim(config, optional=("energies",))
    before = folder.finished()

    def work(indices: Sequence[int]) -> Iterator[Sample]:
        for index in indices:
            puzzle = data[index]
            solver = solvers[puzzle.task]
            done = before.get(index, {}).get("energies", {})
            wanted = [name for name in energies if name not in done]
            results = {name: tempered(solver, puzzle, options, name) for name in wanted}
            yield temper_sample(index, solver.problem(puzzle), results)

    def is_complete(sample: Sample) -> bool:
        return sample.get("energies", {}).keys() >= {*energies}

    def summarise(samples: list[Sample]) -> dict[str, Any]:
        found = {**config, **_origin(), **summarise_temper(samples)}
        return {**found, "diagnosis": diagnose_temper(found)}

    return _complete(folder, len(data), work, is_complete, summarise, share, "temper", quiet)


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
    """Do this process's share under a progress bar; the last process sums the run up."""
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
    task = solvers[puzzle.task].tasks[puzzle.task]
    problem = Problem(task, puzzle)
    pool = pools.load(sample["index"], problem)
    if pool is None:
        return None
    if pool.log_probs is None and any(needs_log_probs(task, name) for name in new):
        return None
    return choices(problem, pool, new)


def _compile(solvers: Solvers, data: Dataset, chunk: int | None) -> None:
    """The network of each task; one that serves several is compiled once."""
    for reasoner in {id(one): one for one in (solvers[t].reasoner for t in _tasks(data))}.values():
        reasoner.compile_step(chunk)


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
    return _settings(replace(options, keep_log_probs=False))


def _settings(options: SearchOptions | TemperOptions) -> dict[str, Any]:
    settings = {key: value for key, value in asdict(options).items() if key not in _SPEED_ONLY}
    if Guidance.of(options.guidance) is None:
        del settings["guidance"]  # A run of before there was guidance is the same run.
    return settings


def _selectors_of(solvers: Solvers, data: Dataset, options: SearchOptions) -> list[str]:
    if options.mode == "adaptive":
        return ["energy"]
    names = default_selectors(_tasks(data))
    solver = solvers[data[0].task]
    if solver.has_network and solver.reasoner.config.mixer == "energy-transformer":
        names.append("et")
    return names


def _config(
    command: str, solvers: Solvers, data: Dataset, options: SearchOptions | TemperOptions
) -> dict[str, Any]:
    """What makes two runs the same run."""
    own = {task: solvers[task] for task in _tasks(data)}
    described = {task: solver.describe() for task, solver in own.items()}
    one = solvers.tasks or len(own) == 1
    weights = next(iter(described.values())) if one else described
    lanes = sorted({solver.lane(options) for solver in own.values()})
    return {
        "command": command,
        "lane": lanes[0] if len(lanes) == 1 else lanes,
        "checkpoint": weights,
        "data": data.describe(),
        "draws": DRAWS,
    }


def _origin() -> dict[str, Any]:
    return {"versions": versions(), "commit": commit()}
