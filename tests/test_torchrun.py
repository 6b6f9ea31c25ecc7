"""Two processes under torchrun do what one does, for every command that can be shared.

Training has tests of its own, in tests/train/test_distributed.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import commands_of_processes
import tiny

from erm.formats.dataset import save_dataset
from erm.run_folder import RunFolder

HERE = Path(__file__).parent


def timeless(folder: Path) -> list[dict]:
    """The samples of a run without what the clock says."""
    samples = RunFolder(folder).read_samples()
    for sample in samples:
        sample.pop("seconds", None)
    return samples


def test_two_processes_do_what_one_does(tiny_reasoner, tmp_path, monkeypatch):
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    checkpoint = str(tiny.save(tmp_path / "tiny", tiny_reasoner))
    puzzles = tmp_path / "puzzles.jsonl"
    save_dataset(tiny.puzzles(5, 11), puzzles)
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    start = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    arguments = [HERE / "commands_of_processes.py", checkpoint, puzzles, two]
    done = subprocess.run(
        [sys.executable, *start, *map(str, arguments)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    commands_of_processes.run(checkpoint, str(puzzles), one)
    assert (two / "made.jsonl").read_bytes() == (one / "made.jsonl").read_bytes()
    for run in ("evaluate", "temper", "study/runs/maze-shallow"):
        assert timeless(two / run) == timeless(one / run)
        shards = sorted(path.name for path in (two / run / "shards").glob("*.jsonl"))
        assert shards == ["00000.jsonl", "00001.jsonl"]
    results = [json.loads((folder / "evaluate/results.json").read_text()) for folder in (one, two)]
    assert results[0]["selectors"] == results[1]["selectors"]
    assert (two / "study/report.html").exists()
