"""Processes that work together end together."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("worker_jobs.py")


def start(job):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, str(SCRIPT), job], **pipes)


def wait_for_workers(process):
    assert {process.stdout.readline() for _ in range(2)} == {"0/2\n", "1/2\n"}


def test_the_first_failure_ends_the_others_with_one_sentence():
    process = start("fail")
    _, errors = process.communicate()
    assert process.returncode == 2
    assert errors == "erm test: there is no such thing\n"


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_workers_end_with_their_parent(number, code):
    process = start("wait")
    wait_for_workers(process)
    process.send_signal(number)
    # Returns when the last process that could write to the pipes has ended.
    process.communicate()
    assert process.returncode == code
