"""Killed at any touch of the disk, again and again, a command still comes to the same end."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mortal import DIED, NO_NAMESPACE

SCRIPT = Path(__file__).with_name("mortal.py")


@pytest.mark.slow
def test_commands_come_to_the_same_end_however_often_they_are_killed(tmp_path):
    script = [sys.executable, str(SCRIPT), str(tmp_path / "lives"), "19"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(script, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["command"] for one in outcomes] == ["train", "data", "evaluate", "reproduce"]
    for one in outcomes:
        *lives, last = one["codes"]
        assert one["whole"] == last == 0 and DIED in lives, one
        assert {*lives} <= {DIED, NO_NAMESPACE, 0}, one
        assert one["same"] and not one["litter"], one
