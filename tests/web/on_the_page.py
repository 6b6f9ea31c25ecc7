"""What people do on the page."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

KINDS = ["sudoku", "maze", "lightup", "nurikabe", "heyawake", "tapa"]
PATIENCE_MS = 60_000
SOLVED = re.compile("Certified|no other answer")


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


def cell_texts(page: Page, selector: str) -> list[str]:
    return page.locator(selector).all_text_contents()
