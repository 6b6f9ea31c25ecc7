"""The page in a real browser: searches, and what it shows of them."""

from __future__ import annotations

import json

import pytest
from on_the_page import KINDS, SOLVED, cell_texts, choose
from playwright.sync_api import expect

from erm.rulebook.answers import parse_answer
from erm.rulebook.registry import load_task


@pytest.mark.parametrize("kind", KINDS)
def test_solves_one_puzzle_of_each_kind(page, gallery, tmp_path, kind):
    choose(page, kind)
    expect(page.locator("#text")).to_have_value(gallery[kind][0]["text"])
    page.click("#solve")
    expect(page.locator("#status")).to_have_text(SOLVED)
    expect(page.locator("#certificate h2")).to_have_text("Certificate")
    assert page.locator("#certificate li.yes").count() >= 4
    assert page.locator("#certificate li.no").count() == 0
    assert page.locator("#board .answer > *").count() > 0
    assert page.locator("#board .violation").count() == 0
    with page.expect_download() as started:
        page.click("#download")
    started.value.save_as(tmp_path / "result.json")
    saved = json.loads((tmp_path / "result.json").read_text())
    outcome = saved["outcome"]
    task = load_task(kind)
    puzzle = task.parse(outcome["puzzle"])
    assert saved["request"]["text"] == gallery[kind][0]["text"] == outcome["puzzle"]
    assert task.is_valid(puzzle, parse_answer(outcome["answer"], puzzle.cells))
    assert not saved["frames"] and outcome["by"] == "rules"

    # The network's own candidates come on demand, step by step.
    kept = cell_texts(page, "#certificate li")
    expect(page.locator("#scrub")).to_be_hidden()
    page.click("#compare")
    expect(page.locator("#scrub")).to_be_visible()
    expect(page.locator("#where")).to_contain_text("step 6 of 6")
    expect(page.locator("#choices tr.own th")).to_have_text("energy")
    page.locator("#depth").evaluate(
        "node => { node.value = 1; node.dispatchEvent(new Event('input')) }"
    )
    expect(page.locator("#where")).to_contain_text("step 1 of")
    # The energy has the same words as the certificate, on an axis with a scale.
    assert any(term in rule for term in cell_texts(page, "#terms dt") for rule in kept)
    assert not any("e-" in level for level in cell_texts(page, "#curve .tick"))


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
    assert len({*chosen.values()}) > 2
    # After so few steps not every selector is right, whatever the weights are.
    wrong = page.locator("#choices tr", has=page.locator(".no")).first
    name = wrong.locator("th").text_content() or ""
    assert chosen[name] != chosen["energy"]
    expect(page.locator("#disagree")).to_contain_text(name)
    # Another selector's choice can be looked at, with what it breaks.
    wrong.locator(".link").click()
    expect(page.locator("#status")).to_contain_text("breaks rules")
    expect(page.locator("#board .violation").first).to_be_visible()


def test_where_the_rules_decide_there_are_no_candidates_to_show(page):
    page.fill("#text", "1234341221434321"[:-1] + ".")
    page.click("#paste button")
    page.click("#solve")
    expect(page.locator("#status")).to_contain_text("no other answer")
    expect(page.locator("#certificate")).to_contain_text("by the rules")
    assert page.locator("#pool").is_hidden() and page.locator("#search").is_hidden()


@pytest.mark.parametrize("mode", ["watch", "play", "edit"])
def test_the_board_and_its_controls_fit_a_laptop_and_stay_in_sight(page, mode):
    page.set_viewport_size({"width": 1280, "height": 720})
    choose(page, "sudoku")
    expect(page.locator("#scrub")).to_be_hidden()
    page.click("#compare")
    expect(page.locator("#scrub")).to_be_visible()
    expect(page.locator("#where")).to_contain_text("step 6 of 6")
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
    # Then comes what puzzle it is, before what was found.
    text, solve, pool = (page.locator(one).bounding_box() for one in ("#text", "#solve", "#pool"))
    assert text and solve and pool and slider["y"] < text["y"] < solve["y"] < pool["y"]
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    header = page.locator("header").bounding_box()
    assert header and header["y"] == 0


def test_a_long_wait_for_a_detail_does_not_hide_the_outcome(page):
    held = []
    page.route("**/api/check", lambda route: held.append(route))
    page.locator("#thumbs button").nth(2).click()
    page.wait_for_timeout(2500)
    assert held, "the page asks what that candidate breaks"
    expect(page.locator("#status")).not_to_contain_text("Waiting", timeout=1)
    for route in held:
        route.continue_()
