"""The saved pools of a run, judged again: other selectors, other energies, no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from erm.errors import InputError
from erm.evaluate.diagnosis import diagnose_search
from erm.evaluate.energies import check_selector
from erm.evaluate.pools import PoolFolder
from erm.evaluate.results import summarise_search
from erm.evaluate.sample import choices
from erm.evaluate.schema import open_run
from erm.formats.dataset import Dataset, load_dataset
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
    results = {**config, **summarise_search(samples)}
    results["diagnosis"] = diagnose_search(results, samples)
    if out is not None:
        kept = RunFolder(Path(out))
        kept.claim({**config, "rescored": str(run.path), "selectors": list(selectors)})
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
