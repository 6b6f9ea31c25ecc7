"""A lattice as a picture for notebooks: the same cells, lines and marks, as inline SVG."""

from __future__ import annotations

from html import escape

from erm.drawing.lattice import (
    ANSWER,
    CLUE,
    FULL,
    HEAVY,
    LIGHT,
    NONE,
    SHADE,
    Cell,
    Lattice,
    arms_of,
)

LARGEST = 30
"""Pixels of a cell on a small board; larger boards have smaller ones."""
BOARD = 340
"""Pixels that a board takes at most, as long as its cells can be seen."""
SMALLEST = 6
INK, PALE, RED = "#1f2933", "#c3cad3", "#d64545"
COLOURS = {CLUE: INK, ANSWER: "#0f7b8a", SHADE: "#3e5c76"}
WIDTHS = {NONE: 0.5, LIGHT: 1, HEAVY: 2}


def to_svg(lattice: Lattice, room: int = BOARD) -> str:
    """The board in at most `room` pixels; it has its own white ground, for dark pages too."""
    height, width = len(lattice.cells), len(lattice.cells[0])
    size = max(SMALLEST, min(LARGEST, room // max(height, width)))
    parts = [f'<rect width="{width * size}" height="{height * size}" fill="#fff"/>']
    for r, row in enumerate(lattice.cells):
        for c, cell in enumerate(row):
            parts += _cell(cell, c * size, r * size, size)
    parts += _lines(lattice, size)
    for (one, other), sign in lattice.signs.items():
        x = (one % width + other % width + 1) * size / 2
        y = (one // width + other // width + 1) * size / 2
        parts.append(_text(sign, x, y, size * 0.45, INK))
    edge = f'viewBox="-2 -2 {width * size + 4} {height * size + 4}"'
    box = f'width="{width * size + 4}" height="{height * size + 4}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} {edge}>{"".join(parts)}</svg>'


def _cell(cell: Cell, x: float, y: float, size: int) -> list[str]:
    parts = []
    filled = cell.fill == FULL or cell.text == FULL
    colour = next((COLOURS[style] for style in COLOURS if style in cell.style.split()), "#8a6d00")
    if filled:
        parts.append(
            f'<rect x="{x}" y="{y}" width="{size}" height="{size}" '
            f'fill="{COLOURS[SHADE] if cell.style == SHADE else INK}"/>'
        )
    text = cell.text.strip()
    arms = arms_of(text[:1])
    if arms is not None:
        parts += _arms(arms, x, y, size)
    elif text and text != FULL:
        letters = text if arms_of(text[-1]) is None else text[:-1]
        scale = 0.62 if len(letters) == 1 else 0.62 * 1.6 / len(letters)
        middle = x + size / 2, y + size / 2
        parts.append(_text(letters, *middle, size * scale, "#fff" if filled else colour))
    if cell.mark:
        parts.append(
            f'<rect x="{x + 2}" y="{y + 2}" width="{size - 4}" height="{size - 4}" '
            f'fill="{RED}" fill-opacity="0.18" stroke="{RED}" stroke-width="1.5"/>'
        )
    return parts


def _arms(arms: tuple[int, ...], x: float, y: float, size: int) -> list[str]:
    """A path through the middle of a cell, drawn as a line."""
    middle_x, middle_y = x + size / 2, y + size / 2
    ends = ((middle_x, y), (x + size, middle_y), (middle_x, y + size), (x, middle_y))
    return [
        f'<line x1="{middle_x}" y1="{middle_y}" x2="{end_x}" y2="{end_y}" '
        f'stroke="#2f855a" stroke-width="{max(2, size // 6)}" stroke-linecap="round"/>'
        for weight, (end_x, end_y) in zip(arms, ends, strict=True)
        if weight
    ]


def _lines(lattice: Lattice, size: int) -> list[str]:
    """Pale lines around all cells, over them dark ones where the lattice has some."""
    paths: dict[int, list[str]] = {NONE: [], LIGHT: [], HEAVY: []}
    for r, row in enumerate(lattice.across.tolist()):
        for c, weight in enumerate(row):
            paths[weight].append(f"M{c * size} {r * size}h{size}")
    for r, row in enumerate(lattice.beside.tolist()):
        for c, weight in enumerate(row):
            paths[weight].append(f"M{c * size} {r * size}v{size}")
    return [
        f'<path d="{"".join(path)}" stroke="{PALE if weight == NONE else INK}" '
        f'stroke-width="{WIDTHS[weight]}" stroke-linecap="square"/>'
        for weight, path in paths.items()
        if path
    ]


def _text(text: str, x: float, y: float, size: float, colour: str) -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size:.1f}" fill="{colour}" text-anchor="middle" '
        f'dominant-baseline="central" font-family="sans-serif">{escape(text)}</text>'
    )
