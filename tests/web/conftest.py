"""A real server process, and checkpoints for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from erm.rulebook.registry import load_task, task_names

sys.path.insert(0, str(Path(__file__).parent))

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def serving(checkpoints: Path, *options: str) -> Iterator[str]:
    """`erm serve` as users start it; its address."""
    command = [sys.executable, "-m", "erm", "serve", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--checkpoints", str(checkpoints), *options],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert "http://" in said, f"the server said {said!r} instead of its address"
        yield said.split("page is at ")[1].split()[0].rstrip("/")
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="session")
def sudoku_checkpoints(tiny_reasoner, tmp_path_factory) -> Path:
    """A folder with one checkpoint, a tiny Sudoku reasoner, as `erm serve --checkpoints` takes."""
    import tiny

    folder = tmp_path_factory.mktemp("checkpoints")
    tiny.save(folder / "sudoku", tiny_reasoner)
    return folder


@pytest.fixture(scope="session")
def server(sudoku_checkpoints) -> Iterator[str]:
    with serving(sudoku_checkpoints, "--workers", "2", "--seconds", "600") as address:
        yield address


@pytest.fixture(scope="session")
def gallery() -> dict[str, list[dict[str, str]]]:
    """The puzzles to try of every task that is installed."""
    return {name: [asdict(one) for one in load_task(name).look.gallery()] for name in task_names()}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    assert chromium, "the page's tests need chromium: apt-get install chromium, or make browser"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()
