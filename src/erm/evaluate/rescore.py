"""Saved pools and answers from elsewhere, judged: any selectors and energies, no network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from erm.errors import InputError
from erm.evaluate.answers import read_answers
from erm.evaluate.diagnosis import diagnose_search
from erm.evaluate.energies import check_selector
from erm.evaluate.pools import PoolFolder
from erm.evaluate.provenance import commit, versions
from erm.evaluate.results import summarise_search
from erm.evaluate.run import default_selectors
from erm.evaluate.sample import choices, pool_sample
from erm.evaluate.schema import open_run
from erm.formats.dataset import Dataset, load_dataset
from erm.formats.lines import TextFile
from erm.progress import progress_bar
from erm.rulebook.registry import load_task
from erm.run_folder import RunFolder, Sample
from erm.search.problem import Problem


def rescore(
    path: str | Path,
    selectors: Sequence[str],
    data: str | Path | None = None,
    out: str | Path | None = None,
    quiet: bool = False,
) -> dict[str, Any]:
    """Let selectors (`energy:tau=2` among them) choose from the saved pools of a run.

    `data` says where the puzzles lie now, if they have moved; `out` keeps the outcome as a run of
    its own. Gives the results as `evaluate` does.
    """
    for name in selectors:
        check_selector(name)
    run = open_run(path, "evaluate")
    config = run.read_config()
    puzzles = puzzles_of(config, data)
    pools, before = PoolFolder(run.path / "pools"), run.finished()
    samples: list[Sample] = []
    with progress_bar(quiet) as bar:
        task = bar.add_task("rescore", total=len(before), note="")
        for index, sample in sorted(before.items()):
            if index >= len(puzzles):
                raise InputError(
                    f"{run.path} has a puzzle {index + 1}, but there are {len(puzzles)}"
                )
            puzzle = puzzles[index]
            problem = Problem(load_task(puzzle.task), puzzle)
            pool = pools.load(index, problem)
            if pool is None:
                raise InputError(
                    f"{run.path} kept no pool of puzzle {index + 1}; runs made before pools were "
                    "kept have to be made again, into another --out"
                )
            chosen = choices(problem, pool, selectors)
            samples.append({**sample, "choices": chosen})
            bar.update(task, advance=1)
    if not samples:
        raise InputError(f"{run.path} has no finished puzzle yet")
    return _summed_up(config, samples, out, {"rescored": str(run.path), "selectors": [*selectors]})


def rescore_answers(
    path: str | Path,
    selectors: Sequence[str] = (),
    data: str | Path | None = None,
    out: str | Path | None = None,
    energies: Sequence[str] = (),
    quiet: bool = False,
) -> dict[str, Any]:
    """Let selectors choose from the answers of any program, a JSONL file that `answers` describes.

    Labels come from `data` or from the lines. Without `selectors`, those that the file has the
    scores for are compared. Gives the results as `evaluate` does.
    """
    for name in (*selectors, *energies):
        check_selector(name)
    file = TextFile.open(path)
    puzzles = None if data is None else load_dataset(data)
    found = sorted(read_answers(file, puzzles), key=lambda one: one.index)
    if not found:
        raise InputError(f"{file.name} holds no answers")
    tasks = Counter(one.problem.task.name for one in found)
    names = [
        name for name in default_selectors(sorted(tasks)) if all(one.can_use(name) for one in found)
    ]
    names = list(dict.fromkeys([*(selectors or names), *energies]))
    samples: list[Sample] = []
    with progress_bar(quiet) as bar:
        task = bar.add_task("rescore", total=len(found), note="")
        for one in found:
            samples.append(pool_sample(one.index, one.problem, one.pool, names))
            bar.update(task, advance=1)
    own = {
        "path": str(path),
        "format": "answers",
        "count": len(found),
        "tasks": dict(sorted(tasks.items())),
        "sha256": file.sha256,
    }
    config = {
        "command": "evaluate",
        "lane": "candidates from elsewhere",
        "checkpoint": {"name": str(path), "tasks": sorted(tasks), "sha256": file.sha256},
        "data": own if puzzles is None else puzzles.describe(),
        "options": {"mode": "full"},
    }
    return _summed_up(config, samples, out, {"selectors": names})


def _summed_up(
    config: Mapping[str, Any],
    samples: Sequence[Sample],
    out: str | Path | None,
    more: Mapping[str, Any],
) -> dict[str, Any]:
    """The results of samples, kept in `out` as a run of its own where that is given."""
    results = {"versions": versions(), "commit": commit(), **config, **summarise_search(samples)}
    results["diagnosis"] = diagnose_search(results, samples)
    if out is not None:
        kept = RunFolder(Path(out))
        kept.claim({**config, **more})
        kept.finish(samples, results)
    return results


def puzzles_of(config: dict[str, Any], path: str | Path | None = None) -> Dataset:
    """The puzzles of a run, checked to be the same as then."""
    described = config["data"]
    place = path or described["path"]
    (only,) = described["tasks"] if len(described["tasks"]) == 1 else (None,)
    data = load_dataset(place, only, described.get("split"), described["count"])
    if data.sha256 != described["sha256"]:
        raise InputError(f"{place} is not the file of that run; --data says where that lies")
    return data
