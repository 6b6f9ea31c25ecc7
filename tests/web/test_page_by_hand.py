"""The page in a real browser: clues edited, boards filled in, hints and walks."""

from __future__ import annotations

import re
import time

from on_the_page import PATIENCE_MS, choose, press_cell
from playwright.sync_api import expect

from erm.rulebook.registry import load_task


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
    open_rules = page.locator("#violations li.mild")
    expect(open_rules.first).to_contain_text("not yet: ")
    assert len({*open_rules.all_text_contents()}) == open_rules.count()
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
