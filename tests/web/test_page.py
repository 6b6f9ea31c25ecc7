"""The page in a real browser."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import overfit
import pytest
from conftest import serving
from playwright.sync_api import Page, expect

from erm import zoo
from erm.rulebook.answers import parse_answer
from erm.rulebook.registry import load_task

KINDS = ["sudoku", "maze", "lightup", "nurikabe", "heyawake", "tapa"]
PATIENCE_MS = 60_000
SOLVED = re.compile("Certified|no other answer")


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


def choose(page: Page, kind: str) -> None:
    page.click(f"#kinds [data-task={kind}]")
    expect(page.locator("#board")).to_have_attribute("data-task", kind)


def press_cell(page: Page, cell: int, width: int, dx: float = 0.5, dy: float = 0.5) -> None:
    """Click inside a cell of the board, as `dx` and `dy` say from 0 to 1."""
    x, y = page.evaluate(
        """([x, y]) => {
            const board = document.getElementById("board");
            const seen = () => new DOMPoint(40 * x, 40 * y).matrixTransform(board.getScreenCTM());
            if (seen().y < 0 || seen().y > innerHeight) board.scrollIntoView();
            return [seen().x, seen().y];
        }""",
        [cell % width + dx, cell // width + dy],
    )
    page.mouse.click(x, y)


@pytest.mark.parametrize("kind", KINDS)
def test_solves_one_puzzle_of_each_kind(page, gallery, tmp_path, kind):
    choose(page, kind)
    expect(page.locator("#text")).to_have_value(gallery[kind][0]["text"])
    page.click("#solve")
    expect(page.locator("#status")).to_have_text(SOLVED)
    expect(page.locator("#certificate h2")).to_have_text("Certificate")
    assert page.locator("#certificate li.yes").count() >= 4
    assert page.locator("#certificate li.no").count() == 0
    expect(page.locator("#thumbs .valid").first).to_be_visible()
    expect(page.locator("#choices tr.own th")).to_have_text("certified")
    assert page.locator("#board .answer > *").count() > 0
    assert page.locator("#board .violation").count() == 0

    page.locator("#depth").evaluate(
        "node => { node.value = 1; node.dispatchEvent(new Event('input')) }"
    )
    expect(page.locator("#where")).to_contain_text("step 1 of")

    with page.expect_download() as started:
        page.click("#download")
    started.value.save_as(tmp_path / "result.json")
    saved = json.loads((tmp_path / "result.json").read_text())
    outcome = saved["outcome"]
    task = load_task(kind)
    puzzle = task.parse(outcome["puzzle"])
    assert saved["request"]["text"] == gallery[kind][0]["text"] == outcome["puzzle"]
    assert task.is_valid(puzzle, parse_answer(outcome["answer"], puzzle.cells))
    assert len(saved["frames"]) >= 1


def test_an_edited_clue_changes_the_puzzle_and_breaks_rules(page, gallery):
    choose(page, "sudoku")
    before = page.input_value("#text")
    page.click("[data-mode=edit]")
    cell = before.index(".")
    row = before[cell // 9 * 9 : cell // 9 * 9 + 9]
    printed = next(digit for digit in row if digit != ".")
    press_cell(page, cell, 9)
    page.keyboard.press(printed)
    after = before[:cell] + printed + before[cell + 1 :]
    expect(page.locator("#text")).to_have_value(after)
    sentence = f"two {printed}s in row {cell // 9 + 1}"
    expect(page.locator("#violations")).to_contain_text(sentence)
    outline = page.locator("#board .violation[data-rule=row] title")
    expect(outline.first).to_have_text(sentence)
    expect(page.locator("#says")).to_contain_text(sentence)
    page.keyboard.press("Control+z")
    expect(page.locator("#text")).to_have_value(before)
    expect(page.locator("#board .violation")).to_have_count(0)


def test_a_wrong_answer_is_outlined_at_once(page, gallery):
    choose(page, "nurikabe")
    page.click("[data-mode=play]")
    puzzle = load_task("nurikabe").parse(gallery["nurikabe"][0]["text"])
    clues, width = puzzle.givens["clues"], puzzle.width
    corner = next(
        (r, c)
        for r in range(puzzle.height - 1)
        for c in range(width - 1)
        if not clues[r : r + 2, c : c + 2].any()
    )
    square = [(corner[0] + i) * width + corner[1] + j for i in (0, 1) for j in (0, 1)]
    for cell in square[:3]:
        press_cell(page, cell, width)
    expect(page.locator("#status")).to_have_text("So far so good")
    press_cell(page, square[3], width)
    expect(page.locator("#status")).to_have_text("1 rule broken")
    expect(page.locator("#board .violation")).to_have_attribute("data-rule", "no 2x2 of sea")
    chip = page.locator("#violations button", has_text="“no 2×2 pool” is broken")
    chip.focus()
    expect(page.locator("#board .violation")).to_have_class(re.compile("bright"))
    press_cell(page, square[3], width)
    expect(page.locator("#status")).to_have_text("So far so good")


def test_clues_of_every_kind_can_be_drawn(page):
    drawn = {
        "maze": lambda: (page.click("[data-brush=wall]"), press_cell(page, 14, 6)),
        "lightup": lambda: (page.click("[data-brush='2']"), press_cell(page, 14, 6)),
        "nurikabe": lambda: (press_cell(page, 14, 6), page.keyboard.type("13")),
        "heyawake": lambda: (
            press_cell(page, 14, 6, dx=0.95),
            page.keyboard.press("Shift+ArrowDown"),
            page.click("[data-brush='3']"),
            press_cell(page, 20, 6),
        ),
        "tapa": lambda: (press_cell(page, 14, 6), page.keyboard.type("12?")),
    }
    wanted = {
        "maze": lambda givens: givens["cells"][2, 2] == 1,
        "lightup": lambda givens: givens["clues"][2, 2] == 2,
        "nurikabe": lambda givens: givens["clues"][2, 2] == 13,
        "heyawake": lambda givens: (
            givens["right"][2, 2] and givens["down"][2, 2] and givens["clues"][0, 0] == 3
        ),
        "tapa": lambda givens: [*givens["clues"][2, 2]][-3:] == [2, -2, -1],
    }
    for kind, draw in drawn.items():
        task = load_task(kind)
        choose(page, kind)
        page.click("[data-mode=edit]")
        page.fill("#height", "6")
        page.fill("#width", "6")
        example = page.input_value("#text")
        page.click("#blank button")
        expect(page.locator("#text")).not_to_have_value(example)
        expect(page.locator("[data-mode=edit]")).to_have_attribute("aria-pressed", "true")
        draw()
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while not wanted[kind]((puzzle := task.parse(page.input_value("#text"))).givens):
            assert time.monotonic() < deadline, (kind, page.input_value("#text"))
            page.wait_for_timeout(50)
        assert puzzle.shape == (6, 6)


def test_a_permalink_opens_the_same_search(page, browser, address, gallery):
    choose(page, "lightup")
    page.click("#examples button:nth-child(2)")
    expect(page.locator("#text")).to_have_value(gallery["lightup"][1]["text"])
    page.click("#advanced summary")
    for name, value in (("width", "7"), ("depth", "9"), ("seed", "5")):
        page.fill(f"[name={name}]", value)
        page.press(f"[name={name}]", "Tab")
    page.select_option("[name=mode]", "temper")
    page.select_option("[name=selector]", "energy")
    link = page.url
    other = browser.new_page()
    other.goto(link)
    expect(other.locator("#board")).to_have_attribute("data-task", "lightup")
    expect(other.locator("#text")).to_have_value(gallery["lightup"][1]["text"])
    for name, value in (("width", "7"), ("depth", "9"), ("seed", "5")):
        expect(other.locator(f"[name={name}]")).to_have_value(value)
    expect(other.locator("[name=mode]")).to_have_value("temper")
    expect(other.locator("[name=selector]")).to_have_value("energy")
    assert other.url == link
    other.close()


def test_an_invalid_puzzle_is_told_and_the_board_stays(page):
    before = page.locator("#board .print").inner_html()
    page.fill("#text", "12345")
    page.click("#paste button")
    expect(page.locator("#error")).to_contain_text("16, 36, 81 or 256 are wanted")
    assert page.locator("#board .print").inner_html() == before
    page.fill("#text", "https://puzz.link/p?nurikabe/5/5/zz")
    page.click("#paste button")
    expect(page.locator("#error")).to_contain_text("nurikabe")
    page.click("#examples button:nth-child(2)")
    expect(page.locator("#error")).to_be_hidden()


def test_a_kind_without_checkpoint_says_so(browser, sudoku_checkpoints, server):
    page = browser.new_page()
    page.goto(server)
    choose(page, "tapa")
    expect(page.locator("#status")).to_contain_text("there is no tapa checkpoint")
    expect(page.locator("#compare")).to_be_disabled()
    expect(page.locator("#solve")).to_be_enabled()  # by the rules alone
    page.click("[data-mode=play]")
    expect(page.locator("#status")).to_have_text("So far so good")
    page.close()


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_nothing_sticks_out_sideways(page, width):
    page.set_viewport_size({"width": width, "height": 844})
    page.click("#solve")
    expect(page.locator("#certificate")).to_be_visible()
    overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert overflow <= 0


def cell_texts(page: Page, selector: str) -> list[str]:
    return page.locator(selector).all_text_contents()


def test_it_opens_with_candidates_that_disagree(page):
    expect(page.locator("#certificate h2")).to_have_text("Certificate")
    thumbs = page.locator("#thumbs button")
    assert thumbs.count() > 2
    drawn = [thumbs.nth(at).locator(".differs").get_attribute("d") for at in range(thumbs.count())]
    assert drawn[0] == "" and all(drawn[1:]) and len(set(drawn)) == len(drawn)
    shown = page.locator("#strip .dot")
    expect(shown).to_have_count(thumbs.count())
    assert len(cell_texts(page, "#strip .tick")) >= 4
    chosen = dict(
        zip(cell_texts(page, "#choices th"), cell_texts(page, "#choices .link"), strict=True)
    )
    assert chosen["energy"] == chosen["certified"]
    # After so few steps not every selector is right, whatever the weights are.
    wrong = page.locator("#choices tr", has=page.locator(".no")).first
    name = wrong.locator("th").text_content() or ""
    assert chosen[name] != chosen["energy"]
    expect(page.locator("#disagree")).to_contain_text(name)
    # Another selector's choice can be looked at, with what it breaks.
    wrong.locator(".link").click()
    expect(page.locator("#status")).to_contain_text("breaks rules")
    expect(page.locator("#board .violation").first).to_be_visible()


def test_the_slider_shows_what_the_network_heard_and_then_believed(page):
    expect(page.locator("#heard-of")).to_have_text(re.compile(r"candidate \d+, step 6 of 6"))
    figures = page.locator("#heard figure")
    expect(figures).to_have_count(2)
    page.locator("#depth").evaluate(
        "node => { node.value = 1; node.dispatchEvent(new Event('input')) }"
    )
    expect(page.locator("#heard-of")).to_have_text(re.compile(r"step 1 of 6"))
    # After one step nothing is settled: the rulebook objects, and some cells turn.
    expect(figures.nth(0).locator("li").first).to_have_text(re.compile(r"^r\d+c\d+ .* \(.*\)$"))
    expect(figures.nth(1).locator("li").first).to_have_text(
        re.compile(r"^r\d+c\d+ (a bulb|empty)$")
    )
    for figure in (figures.nth(0), figures.nth(1)):
        assert figure.locator(".differs").get_attribute("d")
    page.click("#later")
    expect(page.locator("#heard-of")).to_have_text(re.compile(r"step 2 of 6"))
    expect(page.locator("#where")).to_contain_text("step 2 of 6")


@pytest.mark.parametrize("mode", ["watch", "play", "edit"])
def test_the_board_and_its_controls_fit_a_laptop_and_stay_in_sight(page, mode):
    page.set_viewport_size({"width": 1280, "height": 720})
    choose(page, "sudoku")
    page.click("#solve")
    expect(page.locator("#certificate")).to_be_visible()
    page.click(f"[data-mode={mode}]")
    below = "#where" if mode == "watch" else "#palette"
    for scrolled in (0, 10_000):
        page.evaluate(f"scrollTo(0, {scrolled})")
        for part in ("#board", below):
            box = page.locator(part).bounding_box()
            assert box is not None and box["y"] >= 0 and box["y"] + box["height"] <= 720, part


def test_a_stopped_search_says_so(page):
    choose(page, "sudoku")
    page.click("#advanced summary")
    page.select_option("[name=mode]", "full")
    for name in ("width", "depth"):
        page.fill(f"[name={name}]", "256")
        page.press(f"[name={name}]", "Tab")
    page.click("#solve")
    expect(page.locator("#where")).to_contain_text("step 1 of")
    page.click("#solve")
    expect(page.locator("#status")).to_contain_text("Stopped after")
    expect(page.locator("#solve")).to_have_text("Solve")


def test_contradictory_clues_are_told_before_searching(page):
    # No two equal digits meet, yet the last cell of the first row has nothing left.
    page.fill("#text", "123...........4.")
    page.click("#paste button")
    expect(page.locator("#board")).to_have_attribute("data-task", "sudoku")
    expect(page.locator("#status")).not_to_contain_text("contradict")
    page.fill("#text", "123....4........")
    page.click("#paste button")
    expect(page.locator("#status")).to_contain_text("The clues contradict each other")
    assert page.locator("#certificate").is_hidden()


def test_play_has_notes_and_redo_and_outlives_a_reload(page):
    choose(page, "sudoku")
    page.click("[data-mode=play]")
    text = page.input_value("#text")
    first, second = [cell for cell, digit in enumerate(text) if digit == "."][:2]
    press_cell(page, first, 9)
    page.click("#palette .pencil")
    page.keyboard.press("2")
    page.keyboard.press("7")
    expect(page.locator("#board .note")).to_have_text(["2", "7"])
    page.keyboard.press("2")
    expect(page.locator("#board .note")).to_have_text(["7"])
    page.click("#palette .pencil")
    press_cell(page, second, 9)
    page.keyboard.press("5")
    expect(page.locator("#board .answer .written")).to_have_text(["5"])
    page.keyboard.press("Control+z")
    expect(page.locator("#board .answer .written")).to_have_count(0)
    page.click("#palette .redo")
    expect(page.locator("#board .answer .written")).to_have_text(["5"])
    page.reload()
    expect(page.locator("[data-mode=play]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#board .answer .written")).to_have_text(["5"])
    expect(page.locator("#board .note")).to_have_text(["7"])


def test_a_hint_marks_the_cell_and_what_forces_it(page, gallery):
    choose(page, "nurikabe")
    page.click("[data-mode=play]")
    page.click("#hint")
    expect(page.locator("#reason b")).to_have_text(re.compile(r"^r\d+c\d+ is (land|sea): "))
    expect(page.locator("#board .why .target")).to_have_count(1)
    page.click("#fill")
    expect(page.locator("#reason")).to_have_text("")
    expect(page.locator("#board .why .target")).to_have_count(0)
    assert page.locator("#board .answer > *").count() > 0


def test_explain_walks_through_the_whole_solution(page, gallery):
    choose(page, "sudoku")
    page.click("[data-mode=why]")
    expect(page.locator("#reason small")).to_contain_text("grade")
    first = page.locator("#reason b").text_content()
    page.click("#on")
    expect(page.locator("#reason b")).not_to_have_text(first or "")
    expect(page.locator("#board .note").first).to_be_visible()
    page.locator("#walk").evaluate(
        "node => { node.value = node.max; node.dispatchEvent(new Event('input')) }"
    )
    empty = gallery["sudoku"][0]["text"].count(".")
    expect(page.locator("#board .answer .written")).to_have_count(empty)


def test_on_a_phone_the_board_stays_in_sight_of_the_slider_and_kinds_at_the_top(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#depth").scroll_into_view_if_needed()
    page.locator("#depth").evaluate(
        "node => { node.value = 1; node.dispatchEvent(new Event('input')) }"
    )
    expect(page.locator("#where")).to_contain_text("step 1 of")
    board, slider = page.locator("#board").bounding_box(), page.locator("#depth").bounding_box()
    assert board and slider
    assert board["y"] >= 0 and slider["y"] + slider["height"] <= 844
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    header = page.locator("header").bounding_box()
    assert header and header["y"] == 0
