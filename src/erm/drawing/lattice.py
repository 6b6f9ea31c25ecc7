"""A board of text: cells of one width with light or heavy lines between them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Int
from rich.text import Text

NONE, LIGHT, HEAVY = 0, 1, 2
"""Weights of a line between two cells."""

FULL = "█"
CLUE, ANSWER, FAINT, SHADE = "bold", "cyan", "dim", "blue"
"""Styles of what is printed, of what an answer writes, of what is open and of shading."""

_ENDS = ("UP", "RIGHT", "DOWN", "LEFT")
_WEIGHTS = {"LIGHT": LIGHT, "HEAVY": HEAVY}


@dataclass(frozen=True)
class Cell:
    """What stands in a cell; `mark` points at it as part of a broken rule."""

    text: str
    style: str = ""
    fill: str = " "
    """What surrounds a text that is narrower than the cell."""
    mark: bool = False

    def drawn(self, width: int) -> str:
        """The text in the middle of `width` columns; a mark takes the last of them."""
        text = self.text[: width - self.mark] if self.mark and width > 1 else self.text[:width]
        left = (width - len(text)) // 2
        line = self.fill * left + text + self.fill * (width - left - len(text))
        return (line[:-1] if width > 1 else "") + "!" if self.mark else line


@dataclass(frozen=True, eq=False)
class Lattice:
    """Cells and the lines around them. Rows of lines that are all empty take no room."""

    cells: Sequence[Sequence[Cell]]
    across: Int[np.ndarray, "R W"]
    """Weights of the lines above each cell and, in the last of H + 1 rows, below."""
    beside: Int[np.ndarray, "H C"]
    """Weights of the lines left of each cell and, in the last of W + 1 columns, right."""
    widest: int = 3
    """Columns that a cell takes where there is room."""
    narrowest: int = 1
    """Columns that it cannot do without."""
    signs: Mapping[tuple[int, int], str] = field(default_factory=dict)
    """One character between two neighbouring cells, the upper or left one named first."""
    look_alike: bool = False
    """Whether only colours tell an answer from what is printed."""
    line_style: str = FAINT
    mark_style: str = "bold red"

    def columns(self, cell: int) -> int:
        """Columns of the drawing when a cell takes so many."""
        return cell * len(self.cells[0]) + int(self._lined_columns().sum())

    def fit(self, room: int | None) -> int:
        """Columns that a cell takes in `room`, or 0 where not even the narrowest board fits."""
        for cell in range(self.widest, self.narrowest - 1, -1):
            if room is None or self.columns(cell) <= room:
                return cell
        return 0

    def draw(self, cell_width: int) -> Text:
        lined_rows, lined_columns = self._lined_rows(), self._lined_columns()
        lines = []
        for row in range(len(self.across)):
            if lined_rows[row]:
                lines.append(self._rule(row, cell_width, lined_columns))
            if row < len(self.cells):
                lines.append(self._cells(row, cell_width, lined_columns))
        return Text("\n", no_wrap=True).join(lines)

    def _lined_rows(self) -> Bool[np.ndarray, " R"]:
        lined = self.across.max(1) > NONE
        width = len(self.cells[0])
        for one, other in self.signs:
            lined[other // width] |= other - one == width
        return lined

    def _lined_columns(self) -> Bool[np.ndarray, " C"]:
        lined = self.beside.max(0) > NONE
        width = len(self.cells[0])
        for one, other in self.signs:
            lined[other % width] |= other - one != width
        return lined

    def _cells(self, row: int, cell_width: int, lined: np.ndarray) -> Text:
        width = len(self.cells[row])
        line = Text(no_wrap=True)
        for column, weight in enumerate(self.beside[row].tolist()):
            here = row * width + column
            sign = self.signs.get((here - 1, here)) if 0 < column < width else None
            if sign is not None:
                line.append(sign, CLUE)
            elif lined[column]:
                line.append(joint(weight, 0, weight, 0), self.line_style)
            if column < width:
                cell = self.cells[row][column]
                style = self.mark_style if cell.mark else cell.style
                line.append(cell.drawn(cell_width), style)
        return line

    def _rule(self, row: int, cell_width: int, lined: np.ndarray) -> Text:
        across = np.pad(self.across[row], 1)
        beside = np.pad(self.beside, ((1, 1), (0, 0)))
        width = len(self.cells[0])
        line = Text(no_wrap=True)
        for column in range(self.beside.shape[1]):
            right, left = int(across[column + 1]), int(across[column])
            if lined[column]:
                up, down = int(beside[row, column]), int(beside[row + 1, column])
                line.append(joint(up, right, down, left), self.line_style)
            if column < width:
                below = row * width + column
                sign = self.signs.get((below - width, below))
                between = joint(0, right, 0, right) * cell_width
                if sign is None:
                    line.append(between, self.line_style)
                else:
                    middle = (cell_width - 1) // 2
                    line.append(between[:middle], self.line_style).append(sign, CLUE)
                    line.append(between[middle + 1 :], self.line_style)
        return line


@lru_cache(maxsize=1)
def _joints() -> dict[tuple[int, ...], str]:
    """Every box-drawing character by the weights of its four arms, read off the names."""
    joints: dict[tuple[int, ...], str] = {(NONE, NONE, NONE, NONE): " "}
    for code in range(0x2500, 0x2580):
        name = unicodedata.name(chr(code)).removeprefix("BOX DRAWINGS ")
        if any(word in name for word in ("DASH", "DOUBLE", "ARC", "DIAGONAL")):
            continue
        joints[tuple(_arms(name))] = chr(code)
    return joints


def _arms(name: str) -> list[int]:
    """Weights of up, right, down, left in a name such as "DOWN HEAVY AND LEFT UP LIGHT"."""
    arms = dict.fromkeys(_ENDS, NONE)
    words = name.replace("VERTICAL", "UP DOWN").replace("HORIZONTAL", "LEFT RIGHT").split()
    weight_first = words[0] in _WEIGHTS
    weight, waiting = NONE, []
    for word in words:
        if word in _WEIGHTS:
            weight = _WEIGHTS[word]
            arms |= dict.fromkeys(waiting, weight)
            waiting = []
        elif word in _ENDS and weight_first:
            arms[word] = weight
        elif word in _ENDS:
            waiting.append(word)
    return [arms[end] for end in _ENDS]


def joint(up: int, right: int, down: int, left: int) -> str:
    """The box-drawing character whose four arms have these weights."""
    return _joints()[up, right, down, left]


def arms_of(character: str) -> tuple[int, ...] | None:
    """The weights of a box-drawing character's arms: up, right, down, left; None of any other."""
    for arms, drawn in _joints().items():
        if drawn == character and any(arms):
            return arms
    return None


def frame(height: int, width: int, weight: int = LIGHT) -> tuple[np.ndarray, np.ndarray]:
    """Lines around a board and none inside it, to draw further ones into."""
    across = np.zeros((height + 1, width), np.int64)
    beside = np.zeros((height, width + 1), np.int64)
    across[[0, -1]] = weight
    beside[:, [0, -1]] = weight
    return across, beside


_PLAIN = str.maketrans({"█": "#", "▒": "%", "●": "*", "·": ".", "•": "o", "×": "x", "…": "~"})


def to_ascii(text: Text) -> Text:
    """The same drawing for terminals without Unicode: + - | for lines, # for what is filled."""
    plain = text.plain.translate(_PLAIN)
    lines = {character: _ascii_joint(arms) for arms, character in _joints().items()}
    drawn = Text(plain.translate(str.maketrans(lines)), no_wrap=True)
    drawn.spans = text.spans
    return drawn


def _ascii_joint(arms: tuple[int, ...]) -> str:
    up, right, down, left = arms
    if not any(arms):
        return " "
    if not (up or down):
        return "-"
    return "+" if right or left else "|"
