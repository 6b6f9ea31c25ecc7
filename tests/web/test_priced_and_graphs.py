"""Tasks of one's own on the server: prices beside certificates, graphs that are drawn as such,
and kinds without a checkpoint, which the rules solve alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect
from server_process import serving

from erm.rulebook import registry
from erm.rulebook.registry import load_task
from erm.web.app import create_app
from erm.web.board import places_of
from erm.web.settings import Settings

EXAMPLES = Path(__file__).parents[2] / "examples"
TRIANGLE = "colour 3 | 0... | 0-1 1-2 2-0 2-3 3-1"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    before = dict(registry._registry)
    for name in ("roster", "colouring"):
        registry.include(EXAMPLES / name)
    with TestClient(create_app(Settings()), base_url="http://localhost") as client:
        yield client
    registry._registry.clear()
    registry._registry.update(before)


def first_example(name: str) -> str:
    return json.loads((EXAMPLES / name / "examples.json").read_text("utf-8"))[0]["text"]


def test_certificate_and_price_are_said_apart(client):
    body = {"task": "roster", "text": first_example("roster")}
    outcome = client.post("/api/solve", json=body).json()
    assert outcome["certified"] and outcome["optimal"] and outcome["by"] == "rules"
    assert outcome["cost"] == outcome["bound"] and outcome["checkpoint"] == "none"
    checked = client.post("/api/check", json=body | {"answer": outcome["answer"]}).json()
    assert checked["certified"] and checked["cost"] == outcome["cost"]
    idle = client.post("/api/check", json=body | {"answer": "0" * len(outcome["answer"])}).json()
    assert not idle["certified"] and idle["cost"] > 0


def test_a_short_search_tells_what_it_knows_of_the_price(client):
    body = {"task": "roster", "text": first_example("roster"), "width": 1, "depth": 1}
    told = client.post("/api/search", json=body).text
    (done,) = [json.loads(one) for one in re.findall(r"event: done\ndata: (.*)\n", told)]
    assert not done["optimal"]
    assert not done["certified"] or done["bound"] <= done["cost"]


def test_answers_without_prices_have_none(client):
    outcome = client.post("/api/solve", json={"task": "colouring", "text": TRIANGLE}).json()
    assert outcome["certified"] and outcome["cost"] is None and not outcome["optimal"]


def test_a_graph_tells_where_its_cells_are_and_what_joins_them(client):
    read = client.post("/api/puzzle", json={"text": TRIANGLE}).json()
    assert read["links"] == [[0, 1], [1, 2], [2, 0], [2, 3], [3, 1]]
    assert len({tuple(place) for place in read["places"]}) == 4
    sudoku = client.post("/api/puzzle", json={"text": ".2.4.3..31...4.."}).json()
    assert sudoku["places"] is None and sudoku["links"] == []


def test_a_task_may_say_where_its_cells_are(client):
    class Placed(type(load_task("colouring"))):
        def places(self, puzzle):
            return np.array([(0, cell % 2) for cell in range(puzzle.cells)])

    task = Placed()
    assert places_of(task, task.parse("colour 3 | ... | 0-1")) == [(0, 0), (0, 1), (0, 0)]


def test_without_a_network_the_rules_solve_and_full_is_the_control(client):
    body = {"text": ".2.4.3..31...4..", "checkpoint": "none"}
    assert client.post("/api/solve", json=body).json()["by"] == "rules"
    control = client.post("/api/solve", json=body | {"mode": "full", "width": 2}).json()
    assert control["by"] == "rules" and control["evaluations"] == 0 and control["candidates"] == 2


def link(address: str, task: str, text: str) -> str:
    return f"{address}/#{urlencode({'task': task, 'puzzle': text})}"


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    folders = [str(EXAMPLES / name) for name in ("roster", "colouring")]
    with serving(tmp_path_factory.mktemp("none"), "--include", *folders) as address:
        yield address


def test_a_graph_is_drawn_played_and_solved_on_the_page(browser: Browser, address):
    page = browser.new_page()
    page.goto(link(address, "colouring", TRIANGLE))
    expect(page.locator("#board .link")).to_have_attribute("d", re.compile("(M.*L.*){5}"))
    expect(page.locator("#board .thin")).to_have_count(0)
    page.click("[data-mode=play]")
    board = page.locator("#board")
    board.focus()
    for key in ("ArrowDown", "ArrowRight", "1"):
        page.keyboard.press(key)
    expect(page.locator("#board .hue-1")).to_have_count(1)
    expect(page.locator("#says")).to_have_text("cell 1: 1")
    page.keyboard.press("0")
    expect(page.locator("#violations li")).to_have_count(1)
    page.click("#solve")
    expect(page.locator("#status")).to_contain_text("Several answers")
    expect(page.locator("#certificate")).to_contain_text("by the rules")
    page.close()


def test_the_page_says_what_a_roster_costs(browser: Browser, address):
    page = browser.new_page()
    page.goto(link(address, "roster", first_example("roster")))
    expect(page.locator("#examples [aria-pressed=true]")).to_have_count(1)
    page.click("#solve")
    said = re.compile(r"Certified; cost \d+, optimal: no answer costs less")
    expect(page.locator("#status")).to_contain_text(said)
    expect(page.locator("#board .written", has_text="E").first).to_be_visible()
    page.close()
