"""pzpr's own file format, the one text of its world that carries an answer with the board.

A file has a header, some numbers and grids of words; what they mean is each puzzle's `Layout`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable
from urllib.parse import quote, unquote

import numpy as np

from erm.errors import InputError
from erm.types import MAX_SIDE, Puzzle, check_sides

Grid = list[list[str]]

HEADER = re.compile(r"pzprv3(\.\d+)?")
NUMBER = re.compile(r"[0-9]{1,4}")
MARKS = frozenset(".+#")
"""Not decided, known to be empty, shaded or lit."""


@dataclass(frozen=True)
class Lines:
    """The lines of a file, read with messages that name the line that is wrong."""

    lines: Sequence[str]

    def side(self, at: int) -> int:
        word = self.lines[at].strip() if at < len(self.lines) else ""
        if not NUMBER.fullmatch(word) or int(word) < 1:
            raise InputError(f"line {at + 1} of the pzprv3 file must be a side of 1 to {MAX_SIDE}")
        check_sides("the pzprv3 file's board", int(word), 1)
        return int(word)

    def grid(self, first: int, height: int, width: int) -> Grid:
        rows = [line.split() for line in self.lines[first : first + height]]
        if len(rows) < height:
            raise InputError(f"the pzprv3 file ends at line {first + len(rows)} inside its board")
        for number, row in enumerate(rows):
            if len(row) != width:
                raise InputError(
                    f"line {first + number + 1} of the pzprv3 file has {len(row)} cells, "
                    f"not {width}"
                )
        return rows


@runtime_checkable
class Layout(Protocol):
    """How the files of one kind of puzzle are written."""

    @property
    def name(self) -> str:
        """The task, which is also the name in the file."""
        ...

    def write(self, puzzle: Puzzle, filled: np.ndarray | None) -> tuple[list[int], list[Grid]]:
        """The numbers and the grids of a file; `filled` is the answer [H, W]."""
        ...

    def read(self, lines: Lines) -> Puzzle:
        """The puzzle of a file, whose numbers begin with line 2, counted from 0."""
        ...


def format(puzzle: Puzzle, layout: Layout, answer: np.ndarray | None = None) -> str:
    """The file, character for character as pzpr.js saves it, with the answer where one is given."""
    if answer is not None:
        if np.size(answer) != puzzle.cells:
            raise InputError(f"an answer to this {puzzle.task} has {puzzle.cells} cells")
        answer = np.asarray(answer).reshape(puzzle.shape)
    head, grids = layout.write(puzzle, answer)
    lines = ["pzprv3", layout.name, *map(str, head)]
    lines += ["".join(f"{word} " for word in row) for grid in grids for row in grid]
    return "\n".join(lines) + "\n"


def parse(text: str, layout: Layout) -> Puzzle:
    """The puzzle of a file, with its answer where it has been filled in."""
    lines = text.replace("\r", "").split("\n")
    if not HEADER.fullmatch(lines[0].strip()):
        raise InputError(f"a pzprv3 file begins with pzprv3, not with {lines[0][:20]!r}")
    found = name_of(text)
    if found != layout.name:
        raise InputError(f"the pzprv3 file is of {found[:20]!r}, not of {layout.name!r}")
    return layout.read(Lines(lines))


def is_file(text: str) -> bool:
    """Whether a text begins as a file does, not as a link with a file in it."""
    first, end, _ = text[:40].partition("\n")
    return bool(end) and HEADER.fullmatch(first.strip()) is not None


def name_of(text: str) -> str:
    """The kind of puzzle that a file names."""
    return "".join(text.replace("\r", "").split("\n", 2)[1:2]).strip()


def quote_lines(text: str) -> str:
    """The file as the query of a link, as pzpr.js writes it: a slash for each end of line."""
    return "/".join(quote(line, safe="!'()*") for line in text.split("\n")) + "/"


def unquote_lines(query: str) -> str:
    return unquote(query).replace("/", "\n")


@dataclass(frozen=True)
class ClueFile:
    """Files of one grid, in which a cell has its clue or a mark of the answer."""

    name: str
    empty: int
    """What stands in a cell, or a slot of one, without a number."""
    words: Mapping[str, int]
    """Clues that are no numbers."""
    low: int
    high: int
    dtype: Any
    slots: int = 0
    """Numbers in a cell where that is more than one; a file has commas between them."""

    def write(self, puzzle: Puzzle, filled: np.ndarray | None) -> tuple[list[int], list[Grid]]:
        clues = puzzle.givens["clues"].reshape(*puzzle.shape, -1).tolist()
        words = [[self._word(numbers) for numbers in row] for row in clues]
        for r, c in [] if filled is None else np.argwhere(filled).tolist():
            if words[r][c] != ".":
                raise InputError(f"the answer fills the clue at row {r + 1}, column {c + 1}")
            words[r][c] = "#"
        return list(puzzle.shape), [words]

    def read(self, lines: Lines) -> Puzzle:
        height, width = lines.side(2), lines.side(3)
        cells = lines.grid(4, height, width)
        numbers = [
            [self._numbers(word, r, c) for c, word in enumerate(row)] for r, row in enumerate(cells)
        ]
        clues = np.array(numbers, self.dtype).reshape(
            height, width, *([self.slots] if self.slots else [])
        )
        puzzle = Puzzle(self.name, height, width, {"clues": clues})
        marks = marks_of(cells)
        return puzzle.with_answer(marks) if marks.any() else puzzle

    def _word(self, numbers: list[int]) -> str:
        spelled = {value: word for word, value in self.words.items()}
        return ",".join(spelled.get(one, str(one)) for one in numbers if one != self.empty) or "."

    def _numbers(self, word: str, row: int, column: int) -> list[int]:
        slots = max(1, self.slots)
        listed = [] if word in MARKS else word.split(",")
        if len(listed) > slots:
            raise bad_word(word, row, column)
        read = [
            self.words[one] if one in self.words else number(one, row, column, self.low, self.high)
            for one in listed
        ]
        return read + [self.empty] * (slots - len(read))


def marks_of(grid: Grid) -> np.ndarray:
    """Where a grid has the mark of a shaded or lit cell, [H, W]."""
    return np.array([[word == "#" for word in row] for row in grid], np.int8)


def bad_word(word: str, row: int, column: int) -> InputError:
    return InputError(
        f"{word[:10]!r} at row {row + 1}, column {column + 1} of the pzprv3 file makes no sense"
    )


def number(word: str, row: int, column: int, low: int, high: int) -> int:
    if not NUMBER.fullmatch(word) or not low <= int(word) <= high:
        raise bad_word(word, row, column)
    return int(word)
