"""A real server process, and checkpoints for it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page, expect, sync_playwright

import erm
from erm import zoo
from erm.rulebook.registry import load_task, task_names
from erm.web.app import create_app
from erm.web.settings import Settings

sys.path.insert(0, str(Path(__file__).parent))

import overfit
from on_the_page import KINDS, PATIENCE_MS
from server_process import serving

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


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


@pytest.fixture(scope="session")
def all_checkpoints(gallery, tmp_path_factory) -> Path:
    """A checkpoint of every kind: the zoo's own, or a stand-in that knows the first example."""
    folder = tmp_path_factory.mktemp("six-checkpoints")
    for kind in KINDS:
        if kind in zoo.names():
            shutil.copytree(zoo.find(kind).folder, folder / kind)
        else:
            puzzle = overfit.answered(load_task(kind).parse(gallery[kind][0]["text"]))
            overfit.save(folder, kind, overfit.train([puzzle]))
    return folder


@pytest.fixture(scope="session")
def address(all_checkpoints) -> Iterator[str]:
    with serving(all_checkpoints) as address:
        yield address


@pytest.fixture
def page(browser, address) -> Iterator[Page]:
    """The page just loaded; anything on its console or outside its server fails the test."""
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((address, "blob:")) else complaints.append(asked.url)
        ),
    )
    page.on(
        "console",
        lambda said: (
            complaints.append(said.text)
            if said.type == "error" and "status of 422" not in said.text
            else None
        ),
    )
    page.goto(address)
    # It opens with a comparison of candidates, which ends with a certificate.
    expect(page.locator("#certificate")).to_be_visible()
    yield page
    context.close()
    assert not complaints


@pytest.fixture(scope="module")
def app(sudoku_checkpoints):
    return create_app(Settings(checkpoints=sudoku_checkpoints, width=64, depth=64))


@pytest.fixture(scope="module")
def client(app):
    erm.solve("sudoku", "." * 16, unique=True)  # Compiled before any time limit runs.
    with TestClient(app, base_url="http://localhost") as client:
        yield client
