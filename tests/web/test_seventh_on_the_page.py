"""A puzzle from outside the package: listed, read, judged, solved and drawn on the page."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import overfit
import pytest
from playwright.sync_api import Browser, expect
from rich.console import Console
from server_process import serving

from erm.cli.draw import draw
from erm.rulebook import registry
from erm.rulebook.answers import format_answer
from erm.rulebook.registry import load_task

TOY = Path(__file__).parent / "toy" / "futoshiki.py"
BINAIRO = Path(__file__).parents[2] / "examples" / "my_task.py"
OWN_PAGE = """
export default ({ s, U, usual }) => ({
  under: () => [s("rect", { class: "own", width: U, height: U })],
  printed: (puzzle) => usual.printed(puzzle),
});
"""
WITH_A_PAGE = f"""
from pathlib import Path
from erm.rulebook import register
from erm.look import Look
from erm.rulebook.registry import include, load_task

include({str(TOY)!r})

@register
class Drawn(type(load_task("futoshiki"))):
    name = "drawn"
    look = Look(
        page=Path(__file__).with_name("page.js"), examples=load_task("futoshiki").look.examples
    )
"""


@pytest.fixture(scope="module")
def task(request):
    before = dict(registry._registry)
    registry.include(TOY)
    yield load_task("futoshiki")
    registry._registry.clear()
    registry._registry.update(before)


@pytest.fixture(scope="module")
def example(task) -> str:
    return task.look.gallery()[0].text


@pytest.fixture(scope="module")
def answer(task, example) -> np.ndarray:
    """By trying every board whose rows are permutations."""
    rows = np.array(list(itertools.permutations(range(4))))
    boards = np.array(list(itertools.product(range(24), repeat=4)))
    states = rows[boards].reshape(len(boards), 16)
    (found,) = states[task.rules(task.parse(example)).is_valid(states)]
    return found + 1


@pytest.fixture(scope="module")
def toy_server(task, example, answer, tmp_path_factory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("toy")
    (folder / "page.js").write_text(OWN_PAGE)
    (folder / "drawn.py").write_text(WITH_A_PAGE)
    puzzle = task.parse(example).with_answer(answer)
    overfit.save(folder, "futoshiki", overfit.train([puzzle]))
    with serving(folder, "--include", str(folder / "drawn.py"), str(BINAIRO)) as address:
        yield address


def test_the_server_tells_all_about_it(toy_server, example):
    tasks = {one["name"]: one for one in httpx.get(f"{toy_server}/api/tasks").json()["tasks"]}
    assert len(tasks) >= 8
    toy = tasks["futoshiki"]
    assert toy["title"] == "Futoshiki" and toy["page"] is None
    assert toy["examples"][0] == {"title": "first", "text": example}
    read = httpx.post(
        f"{toy_server}/api/puzzle", json={"task": "futoshiki", "text": example}
    ).json()
    assert read["symbols"] == "1234" and len(read["labels"]) == 16
    assert [label or "." for label in read["labels"]] == list(example[:16]) == list(read["start"])
    printed = [sign for sign in example[16:28] if sign != "."]
    across = [one["text"] for one in read["signs"] if one["cells"][1] - one["cells"][0] == 1]
    assert across == printed
    assert len(read["groups"]) == 2 and not any(map(any, read["right"]))


def test_it_is_judged_and_solved(toy_server, example, answer):
    body = {"task": "futoshiki", "text": example}
    right = format_answer(answer)
    verdict = httpx.post(f"{toy_server}/api/check", json={**body, "answer": right}).json()
    assert verdict["certified"]
    wrong = httpx.post(f"{toy_server}/api/check", json={**body, "answer": right[::-1]}).json()
    assert not wrong["certified"] and wrong["violations"]
    search = {**body, "width": 8, "depth": 16}
    solved = httpx.post(f"{toy_server}/api/solve", json=search, timeout=60).json()
    assert solved["certified"] and solved["answer"] == right


def test_only_registered_modules_are_served(toy_server):
    served = httpx.get(f"{toy_server}/puzzles/drawn/page.js")
    assert served.text == OWN_PAGE
    assert served.headers["content-type"].startswith("text/javascript")
    assert "script-src 'self'" in served.headers["content-security-policy"]
    for name in ("futoshiki", "nothing", "..", "%2e%2e", "drawn%2f..", "drawn/.."):
        assert httpx.get(f"{toy_server}/puzzles/{name}/page.js").status_code == 404
    assert httpx.get(f"{toy_server}/puzzles/drawn/drawn.py").status_code == 404


def test_it_is_drawn_and_played_on_the_page(toy_server, browser: Browser, example, answer):
    page = browser.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(toy_server)
    page.click("#kinds [data-task=futoshiki]")
    expect(page.locator("#board")).to_have_attribute("data-task", "futoshiki")
    expect(page.locator("#board .print .printed")).to_have_text(
        [digit for digit in example[:16] if digit != "."]
    )
    expect(page.locator("#board .sign")).to_have_count(sum(one != "." for one in example[16:]))
    expect(page.locator("[data-mode=edit]")).to_have_count(0)
    page.click("#solve")
    expect(page.locator("#status")).to_have_class("status good", timeout=60_000)
    expect(page.locator("#certificate")).to_contain_text("the sign between two cells is true")
    page.click("[data-mode=play]")
    page.focus("#board")
    for cell, digit in enumerate(format_answer(answer)):
        page.keyboard.press("ArrowRight" if cell % 4 else "ArrowDown")
        if cell % 4 == 0:
            for _ in range(3):
                page.keyboard.press("ArrowLeft")
        if cell == 0:
            page.keyboard.press("ArrowUp")
        page.keyboard.press(digit)
    expect(page.locator("#status")).to_have_text("Solved: no rule is broken")
    page.click("#kinds [data-task=drawn]")
    expect(page.locator("#board .own")).to_have_count(1)
    page.close()
    assert not complaints


def test_a_board_of_one_number_per_cell_can_be_edited_without_a_module(toy_server, browser):
    page = browser.new_page()
    page.goto(f"{toy_server}#task=binairo&puzzle={'.' * 16}")
    expect(page.locator("#status")).to_contain_text("erm train cpu/binairo")
    page.click("[data-mode=edit]")
    page.focus("#board")
    page.keyboard.press("ArrowRight")
    for digit in "110":
        page.keyboard.press(digit)
        page.keyboard.press("ArrowRight")
    expect(page.locator("#text")).to_have_value("110" + "." * 13)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("1")
    expect(page.locator("#text")).to_have_value("111" + "." * 13)
    expect(page.locator("#violations")).to_contain_text("no three alike")
    expect(page.locator("#status")).to_have_text("Clues contradict each other")
    page.click("#kinds [data-task=binairo]")
    expect(page.locator("#text")).to_have_value("." * 64)
    page.close()


def test_the_terminal_draws_its_signs(task, example):
    drawn = draw(Console(file=io.StringIO()), task.parse(example)).plain
    assert sum(drawn.count(sign) for sign in "<>∧∨") == sum(one != "." for one in example[16:])
