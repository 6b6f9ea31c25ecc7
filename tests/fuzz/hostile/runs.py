"""Runs of erm evaluate and their saved pools."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hostile.arrays import bomb, npz
from hostile.cases import CASES, SUDOKU, Case, case
from hostile.checkpoints import checkpoint

_FINISHED: list[Path] = []


def run_of_evaluate(folder: Path) -> Path:
    """A finished run on one puzzle; made once, then copied."""
    if not _FINISHED:
        _FINISHED.append(_evaluate(folder))
        return _FINISHED[0]
    return Path(shutil.copytree(_FINISHED[0], folder / "run"))


def _evaluate(folder: Path) -> Path:
    from erm.cli.main import main

    path = checkpoint(folder)
    answer = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
    (folder / "p.txt").write_text(f"{SUDOKU} {answer}\n")
    options = ["--depth", "2", "--width", "2", "--mode", "full", "--quiet"]
    out = folder / "run"
    code = main(["evaluate", str(path), str(folder / "p.txt"), *options, "--out", str(out)])
    assert code == 0
    return out


def rescore_of(run: Path) -> list[str]:
    return ["rescore", str(run), "--quiet", "--select", "energy"]


def _damaged_pool(change: Callable[[dict[str, np.ndarray]], Any]) -> Case:
    def make(folder: Path) -> list[str]:
        run = run_of_evaluate(folder)
        path = run / "pools" / "000000.npz"
        with np.load(path) as file:
            arrays = dict(file)
        change(arrays)
        np.savez_compressed(path, allow_pickle=True, **arrays)
        return rescore_of(run)

    return make


def _put(name: str, value: Any) -> Callable[[dict[str, np.ndarray]], None]:
    return lambda arrays: arrays.__setitem__(name, np.array(value))


POOLS = {
    "without_answers": lambda arrays: arrays.pop("answers"),
    "with_answers_of_another_size": _put("answers", np.ones((2, 16), int)),
    "with_answers_beyond_states": _put("answers", np.full((2, 81), 77)),
    "with_negative_answers": _put("answers", np.full((2, 81), -3)),
    "with_answers_of_text": _put("answers", [["x"] * 81] * 2),
    "with_answers_of_fractions": _put("answers", np.full((2, 81), 0.5)),
    "with_answers_in_no_rows": _put("answers", 3),
    "of_another_task": _put("task", "nurikabe"),
    "of_a_task_nobody_knows": _put("task", "x"),
    "whose_task_is_a_number": _put("task", 7),
    "with_a_q_of_text": _put("q", ["a", "b"]),
    "with_complex_energies": _put("energy", [1j, 1j]),
    "with_energies_of_nan": _put("energy", [np.nan, np.nan]),
    "with_dates": _put("confidence", np.array(["2020-01-01", "2020-01-02"], "M8[D]")),
    "with_a_pickle": _put("q", np.array([{}, {}], object)),
    "with_log_probs_of_another_size": _put("log_probs", np.zeros((2, 3, 3))),
    "with_a_trace_of_another_size": _put("trace/answers", np.zeros((2, 3, 3), int)),
    "with_valid_of_numbers": _put("valid", [2.0, 3.0]),
    "with_a_factor_of_text": _put("factors/row", ["a", "b"]),
}
for _name, _change in POOLS.items():
    CASES[f"pool_{_name}"] = _damaged_pool(_change)


@case
def pool_that_is_abomb(folder: Path) -> list[str]:
    run = run_of_evaluate(folder)
    bomb(run / "pools" / "000000.npz", "answers", 1, 96)
    return rescore_of(run)


@case
def pool_that_is_a_single_array(folder: Path) -> list[str]:
    run = run_of_evaluate(folder)
    with open(run / "pools" / "000000.npz", "wb") as file:
        np.save(file, np.zeros(3))
    return rescore_of(run)


@case
def pool_packed_with_lzma(folder: Path) -> list[str]:
    run = run_of_evaluate(folder)
    npz(run / "pools" / "000000.npz", {"answers": np.zeros(3)}, zipfile.ZIP_LZMA)
    return rescore_of(run)


def _damaged_run(file: str, change: Callable[[Any], Any], command: str = "rescore") -> Case:
    def make(folder: Path) -> list[str]:
        run = run_of_evaluate(folder)
        text = (run / file).read_text()
        after = change(json.loads(text))
        (run / file).write_text((after if isinstance(after, str) else json.dumps(after)) + "\n")
        return rescore_of(run) if command == "rescore" else ["compare", str(run), str(run)]

    return make


def _without(*keys: str) -> Callable[[Any], Any]:
    return lambda value: {key: one for key, one in value.items() if key not in keys}


def _with(**changes: Any) -> Callable[[Any], Any]:
    return lambda value: {**value, **changes}


RUNS: dict[str, Case] = {
    "config_without_data": _damaged_run("config.json", _without("data")),
    "config_with_data_in_a_list": _damaged_run("config.json", _with(data=[1])),
    "config_whose_tasks_are_a_number": _damaged_run("config.json", _with(data={"tasks": 3})),
    "config_without_options": _damaged_run("config.json", _without("options")),
    "config_nested_without_end": _damaged_run("config.json", lambda _: '{"a":' * 100_000),
    "config_of_a_comparison_without_data": _damaged_run(
        "config.json", _without("data"), "compare"
    ),
    "sample_with_an_index_of_text": _damaged_run("shards/00000.jsonl", _with(index="x")),
    "sample_with_a_negative_index": _damaged_run("shards/00000.jsonl", _with(index=-1)),
    "sample_with_an_index_beyond_the_data": _damaged_run("shards/00000.jsonl", _with(index=9)),
    "sample_without_a_task": _damaged_run("shards/00000.jsonl", _without("task")),
    "sample_with_a_shape_of_text": _damaged_run("shards/00000.jsonl", _with(shape="ab")),
    "sample_without_evaluations": _damaged_run("shards/00000.jsonl", _without("evaluations")),
    "sample_with_an_oracle_of_text": _damaged_run("shards/00000.jsonl", _with(oracle="x")),
    "sample_that_is_a_list": _damaged_run("shards/00000.jsonl", lambda _: "[1]"),
    "sample_of_nan": _damaged_run("shards/00000.jsonl", lambda _: '{"index": 0, "depth": NaN}'),
    "comparison_of_damaged_samples": _damaged_run("samples.jsonl", _with(task=[1]), "compare"),
    "comparison_without_choices": _damaged_run("samples.jsonl", _with(choices=3), "compare"),
    "comparison_without_evaluations": _damaged_run(
        "samples.jsonl", _with(evaluations="x"), "compare"
    ),
}  # fmt: skip
CASES |= {f"run_{name}": make for name, make in RUNS.items()}
