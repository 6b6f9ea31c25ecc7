"""Two processes under torchrun do what one with the doubled batch does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from gradient_of_processes import gradients, trainer_of
from safetensors.torch import load_file

from erm.errors import InputError
from erm.model.device import pick_device
from erm.train.distributed import Group

HERE = Path(__file__).parent


def torchrun(*arguments: object) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    start = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    done = subprocess.run(
        [*start, *map(str, arguments)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_two_processes_have_the_gradient_of_one_with_the_doubled_batch(sudokus, tmp_path):
    torchrun(HERE / "gradient_of_processes.py", sudokus, tmp_path, 4)
    expected = gradients(trainer_of(sudokus, 8, Group(), torch.device("cpu")))
    for rank in (0, 1):
        found = load_file(tmp_path / f"gradient-{rank}.safetensors")
        assert found.keys() == expected.keys()
        for name, gradient in expected.items():
            torch.testing.assert_close(found[name], gradient, atol=1e-5, rtol=1e-5)
    assert max(gradient.abs().max() for gradient in expected.values()) > 1e-2


@pytest.mark.slow
def test_training_under_torchrun_resumes_to_the_same_weights(sudokus, tmp_path):
    def command(out: Path) -> list[object]:
        sizes = ["--hidden", 8, "--inner", 8, "--batch", 4, "--steps", 12]
        saving = ["--checkpoint-every", 5, "--validation", sudokus, "--evaluate-depth", 2]
        files = ["--data", sudokus, "--out", out]
        return ["-m", "erm", "train", "cpu/sudoku", "--no-compile", *sizes, *saving, *files]

    whole = tmp_path / "whole"
    torchrun(*command(whole))
    card = json.loads((whole / "checkpoint" / "card.json").read_text())
    assert card["processes"] == 2 and card["accuracy"][0]["total"] == 60
    loaded = load_file(whole / "state" / "00000012" / "shared.safetensors")
    expected = {name: tensor.clone() for name, tensor in loaded.items()}
    assert {path.name for path in (whole / "state" / "00000012").iterdir()} == {
        "manifest.json",
        "shared.safetensors",
        "rows-0.safetensors",
        "rows-1.safetensors",
    }
    (whole / "state" / "00000012" / "rows-1.safetensors").unlink()
    torchrun(*command(whole))
    again = load_file(whole / "state" / "00000012" / "shared.safetensors")
    assert all(torch.equal(tensor, again[name]) for name, tensor in expected.items())


def test_devices_that_are_not_there_are_named():
    with pytest.raises(InputError, match="--device tpu is not available here; usable: cpu"):
        pick_device("tpu")
    assert pick_device("cpu") == torch.device("cpu")
