"""A killed run, started again with the same command, ends in the same bits."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from erm.cli.main import main
from erm.model.checkpoint import load_checkpoint
from erm.run_folder import lock
from erm.train import state
from erm.train.distributed import Group
from erm.train.loop import LOCK
from erm.train.metrics import read_metrics
from erm.train.trainer import Trainer

STEPS = 60


def command(data: Path, out: Path) -> list[str]:
    """A run that uses everything that must survive: noise, advice, two buckets, halting."""
    options = {
        "--out": out,
        "--steps": STEPS,
        "--batch": 4,
        "--hidden": 8,
        "--inner": 8,
        "--l-cycles": 1,
        "--path-noise": 0.01,
        "--horizon": 5,
        "--halt": "q",
        "--cohorts": 3,
        "--checkpoint-every": 7,
        "--log-every": 5,
        "--evaluate-every": 20,
        "--evaluate-depth": 2,
        "--warmup": 10,
        "--validation": data,
    }
    parts = [str(part) for pair in options.items() for part in pair]
    data_parts = ["--data", str(data), str(data), "--mix", "0.7", "0.3"]
    advice = ["--advice", "propagation"]
    return ["train", "cpu/sudoku", "--no-compile", *advice, *data_parts, *parts]


def start(data: Path, out: Path, before: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [*before, sys.executable, "-m", "erm", *command(data, out)],
        env=environment,
        stderr=subprocess.PIPE,
    )


def wait_for(process: subprocess.Popen[bytes], path: Path) -> None:
    while not path.exists():
        assert process.poll() is None, process.stderr and process.stderr.read().decode()
        time.sleep(0.005)


def final_tensors(out: Path) -> dict[str, torch.Tensor]:
    folder = out / "state" / f"{STEPS:08d}"
    found = load_file(folder / "shared.safetensors") | load_file(folder / "rows-0.safetensors")
    # A copy: the loaded tensors are views of the files, which a test may damage.
    return {name: tensor.clone() for name, tensor in found.items()}


def assert_same(one: Path, other: Path) -> None:
    first, second = final_tensors(one), final_tensors(other)
    assert first.keys() == second.keys()
    for name, tensor in first.items():
        assert torch.equal(tensor, second[name]), name
    weights = "checkpoint/model.safetensors"
    assert (one / weights).read_bytes() == (other / weights).read_bytes()


def timeless(out: Path) -> list[dict]:
    clocks = {"seconds", "samples_per_second"}
    lines = read_metrics(out / "metrics.jsonl")
    return [{name: line[name] for name in line if name not in clocks} for line in lines]


@pytest.fixture
def uninterrupted(sudokus, tmp_path) -> Path:
    out = tmp_path / "whole"
    assert main(command(sudokus, out)) == 0
    return out


def test_killed_and_interrupted_runs_end_in_the_same_bits(sudokus, uninterrupted, tmp_path):
    out = tmp_path / "cut"
    process = start(sudokus, out)
    wait_for(process, out / "state" / "00000014" / "manifest.json")
    process.kill()
    process.wait()
    assert not (out / "state" / f"{STEPS:08d}").exists(), "the run was over before the kill"
    process = start(sudokus, out)
    wait_for(process, out / "state" / "00000028" / "manifest.json")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130 and b"the same command continues" in said
    assert not (out / "state" / f"{STEPS:08d}").exists(), "the run was over before the interrupt"
    assert main(command(sudokus, out)) == 0
    assert_same(out, uninterrupted)
    assert timeless(out) == timeless(uninterrupted)


@pytest.mark.parametrize("damage", ["bytes", "missing", "manifest", "unfinished"])
def test_a_torn_state_is_said_and_the_one_before_is_used(
    sudokus, uninterrupted, tmp_path, capsys, damage
):
    newest, before = f"{STEPS:08d}", f"{STEPS - STEPS % 7:08d}"
    place = uninterrupted / "state" / newest
    expected = final_tensors(uninterrupted)
    weights = place / "shared.safetensors"
    if damage == "bytes":
        weights.write_bytes(weights.read_bytes()[:-3])
    elif damage == "missing":
        (place / "rows-0.safetensors").unlink()
    elif damage == "manifest":
        (place / "manifest.json").write_text('{"step": ')
    else:  # killed before the manifest was written
        (place / "manifest.json").unlink()
    capsys.readouterr()
    assert main(command(sudokus, uninterrupted)) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert f"at step {int(before)}" in said
    assert ("is torn" in said) == (damage != "unfinished")
    after = final_tensors(uninterrupted)
    assert all(torch.equal(tensor, after[name]) for name, tensor in expected.items())


def test_only_two_generations_are_kept(tmp_path):
    for step in (1, 2, 3, 4):
        tensors = {"x": torch.full((2,), float(step))}
        state.save(tmp_path, step, 0.5 * step, tensors, tensors, Group())
    kept = sorted(path.name for path in (tmp_path / "state").iterdir())
    assert kept == ["00000003", "00000004"]
    saved = state.load(tmp_path)
    assert saved is not None
    assert saved.step == 4 and saved.seconds == 2.0 and saved.shared["x"].tolist() == [4.0, 4.0]


def test_an_empty_folder_starts_afresh(tmp_path):
    assert state.load(tmp_path) is None


def test_a_damaged_config_is_refused(sudokus, uninterrupted, capsys):
    (uninterrupted / "config.json").write_text(json.dumps({"options": {}}))
    assert main(command(sudokus, uninterrupted)) == 2
    assert "config.json that cannot be read" in capsys.readouterr().err


def test_two_runs_in_one_folder_are_told_apart(sudokus, tmp_path, capsys):
    out = tmp_path / "run"
    with lock(out / LOCK, "training run"):
        assert main(command(sudokus, out)) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"process {os.getpid()} on" in said and "the same training run" in said


def test_a_full_disk_is_one_sentence(sudokus, tmp_path, capsys, monkeypatch):
    def full(*_: object) -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("erm.train.state.safetensors.torch.save", full)
    assert main(command(sudokus, tmp_path / "run")) == 2
    assert "No space left on device" in capsys.readouterr().err


def test_diverged_training_keeps_its_last_good_checkpoint(sudokus, tmp_path, capsys, monkeypatch):
    out, gradients = tmp_path / "run", Trainer.gradients

    def blow_up(self: Trainer, stop: bool = False) -> bool:
        stop = gradients(self, stop)
        if self.step == 9:
            next(self.reasoner.parameters()).grad.fill_(float("nan"))  # pyright: ignore
        return stop

    monkeypatch.setattr(Trainer, "gradients", blow_up)
    assert main(command(sudokus, out)) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "training diverged at step 9" in said and "Traceback" not in said
    assert load_checkpoint(out / "checkpoint")[1]["steps"] == 7


def test_termination_saves_the_step_and_exits_with_143(sudokus, tmp_path):
    out = tmp_path / "run"
    process = start(sudokus, out)
    wait_for(process, out / "state" / "00000007" / "manifest.json")
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate()
    assert process.returncode == 143 and b"the same command continues" in said


AS_PROCESS_1 = ["unshare", "--pid", "--fork", "--kill-child"]


def can_unshare() -> bool:
    try:
        return subprocess.run([*AS_PROCESS_1, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not can_unshare(), reason="this machine gives no process namespaces")
def test_a_run_that_is_process_1_every_time_goes_on(sudokus, tmp_path):
    out = tmp_path / "run"
    (out / ".checkpoint.1.old").mkdir(parents=True)
    for step in ("00000007", "00000021"):
        process = start(sudokus, out, AS_PROCESS_1)
        wait_for(process, out / "state" / step / "manifest.json")
        process.kill()
        process.wait()
        assert load_checkpoint(out / "checkpoint")[1]["steps"] >= int(step)
    assert not (out / ".checkpoint.1.old").exists()
