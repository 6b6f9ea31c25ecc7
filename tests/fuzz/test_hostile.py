"""Hostile files end in one sentence, soon and in little memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from erm.errors import InputError
from erm.limits import Limits

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_every_hostile_file_ends_in_one_sentence(tmp_path):
    script = [sys.executable, str(HERE / "run_hostile.py"), str(tmp_path / "files")]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "ERM_MAX_BYTES": str(64 << 20)}
    done = subprocess.run(script, capture_output=True, text=True, env=environment, check=True)
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) > 90
    wrong = {
        one["name"]: one
        for one in outcomes
        # The clock is that of the processor: a busy machine is no failure.
        if one["code"] != 2 or "\n" in one["said"].strip() or one["cpu"] > 2
    }
    assert not wrong, json.dumps(wrong, indent=2)
    assert not Path("/tmp/erm-was-here").exists()


def test_the_environment_changes_the_limit(monkeypatch):
    assert f"`ERM_MAX_BYTES` (default {Limits().bytes}" in (ROOT / "docs/limits.md").read_text()
    monkeypatch.setenv("ERM_MAX_BYTES", "99")
    assert Limits.from_environment() == Limits(bytes=99)
    monkeypatch.setenv("ERM_MAX_BYTES", "-1")
    with pytest.raises(InputError, match="ERM_MAX_BYTES must be a whole number"):
        Limits.from_environment()
