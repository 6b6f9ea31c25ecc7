"""Sudokus as people type, print and export them, as links and files, and as HRM's tokens."""

from __future__ import annotations

import math
import re

import numpy as np
from jaxtyping import Integer

from erm.errors import InputError
from erm.puzzles import pzprv3
from erm.puzzles.combinators import FirstOf, Gap, Number, Part
from erm.puzzles.links import Alphabet, Givens, Linked, name_of, on_board
from erm.puzzles.sudoku.boxes import BOX_SHAPES
from erm.rulebook.answers import CHARACTER_STATE, check_tokens, format_answer, look_up
from erm.types import DIGITS, MAX_SIDE, Puzzle

NAME = "sudoku"
VOCABULARY = 11
MAX_TEXT = 16 * MAX_SIDE**2
SIDES = ", ".join(map(str, list(BOX_SHAPES)[:-1])) + f" or {list(BOX_SHAPES)[-1]}"
"""For people: "4, 6, 9 or 16"."""
EMPTY = "._*0-"
COUNTS = frozenset(side * side for side in BOX_SHAPES)
_BARS = re.compile(r"[|\u2500-\u257f,]")
"""What a printed board draws between cells."""
_RULE = re.compile(
    r"[-+=|\s\u2500-\u257f]*|[.:'*+|]?(?:[-=]{2,}[.:'*+|]){1,4}[-=]*\s*|[.:'*+|][-=]{2,}[.:'*+|]\s*"
)
"""A line of a frame: ------+-------, *-----------*, .-------.-------."""
_COMMENT = re.compile(r"\s*#")
_SEPARATOR = re.compile(r"[,;\t]")
_WRAPPING = re.compile(r"[\[\](){}'\" ]")
"""Around the cells of a list that a program printed."""
_GIVEN = CHARACTER_STATE.copy()
_GIVEN[[ord(character) for character in EMPTY]] = 0
_BLANKS = frozenset(EMPTY) - {"0"}
_ZERO_TO_F, _A_TO_P = _GIVEN.copy(), _GIVEN.copy()
for _at in range(16):
    for _case in (str.upper, str.lower):
        _ZERO_TO_F[ord(_case(f"{_at:X}"))] = _at + 1
        _A_TO_P[ord(_case(chr(ord("A") + _at)))] = _at + 1


def parse_sudoku(text: str) -> Puzzle:
    """A Sudoku of 4x4 to 16x16, on one line, in rows, printed with its boxes or as a list."""
    if len(text) > MAX_TEXT:
        raise InputError(f"the Sudoku has {len(text)} characters, which is more than any board")
    cells = cells_of(text)
    side = math.isqrt(len(cells))
    if side * side != len(cells) or side not in BOX_SHAPES:
        raise InputError(
            f"the Sudoku has {len(cells)} cells{uneven_row(text)}; "
            "16, 36, 81 or 256 are wanted, with . or 0 for empty"
        )
    digits = given_digits(cells)
    wrong = (digits < 0) | (digits > side)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(
            f"the Sudoku has {cells[at][:10]!r} at row {at // side + 1}, column {at % side + 1}, "
            f"where a digit up to {DIGITS[side]} or . must stand"
        )
    return Puzzle(NAME, side, side, {"digits": digits.reshape(side, side)})


def format_sudoku(puzzle: Puzzle) -> str:
    """The givens on one line, with . for empty."""
    return format_answer(puzzle.givens["digits"]).replace("0", ".")


def _digits(side: int) -> Part:
    return FirstOf((Number(1, side), Gap(0)))


def _decode(body: str, height: int, width: int) -> tuple[Givens, int]:
    if height != width or height not in BOX_SHAPES:
        raise InputError(f"its board is {width}x{height}, but Sudokus have sides of {SIDES}")
    items, end = on_board(_digits(width), height, width).decode(body)
    return {"digits": np.array(items, np.int8).reshape(height, width)}, end


def _encode(puzzle: Puzzle) -> str:
    cells = on_board(_digits(puzzle.width), *puzzle.shape)
    return cells.encode(puzzle.givens["digits"].ravel().tolist())


class SudokuFile:
    """pzpr's files: the side, the given digits, those filled in."""

    name = NAME

    def write(
        self, puzzle: Puzzle, filled: np.ndarray | None
    ) -> tuple[list[int], list[pzprv3.Grid]]:
        digits = puzzle.givens["digits"]
        added = np.zeros_like(digits) if filled is None else np.where(digits > 0, 0, filled)
        if filled is not None and (filled[digits > 0] != digits[digits > 0]).any():
            raise InputError("the answer contradicts the Sudoku's given digits")
        return [puzzle.height], [_words(digits), _words(added)]

    def read(self, lines: pzprv3.Lines) -> Puzzle:
        side = lines.side(2)
        if side not in BOX_SHAPES:
            raise InputError(f"the pzprv3 file has a Sudoku of side {side}, not {SIDES}")
        digits, answer = (
            np.array([[_digit(word, r, c, side) for c, word in enumerate(row)] for r, row in rows])
            for rows in (enumerate(lines.grid(first, side, side)) for first in (3, 3 + side))
        )
        answer = np.where(digits > 0, digits, answer)
        puzzle = Puzzle(NAME, side, side, {"digits": digits.astype(np.int8)})
        return puzzle.with_answer(answer) if (answer > 0).all() else puzzle


def _words(digits: np.ndarray) -> pzprv3.Grid:
    return [[str(digit) if digit else "." for digit in row] for row in digits.tolist()]


def _digit(word: str, row: int, column: int, side: int) -> int:
    return 0 if word in pzprv3.MARKS else pzprv3.number(word, row, column, 1, side)


class SudokuText(Linked):
    """The text of a Sudoku."""

    name = NAME
    alphabet = Alphabet((NAME,), _decode, _encode, SudokuFile())
    text_format = "16, 36, 81 or 256 digits with . or 0 for empty"

    def parse(self, text: str) -> Puzzle:
        return super().parse(text) if name_of(text) else parse_sudoku(text)

    def format(self, puzzle: Puzzle) -> str:
        return format_sudoku(puzzle)

    def recognises(self, text: str) -> bool:
        if name_of(text):
            return super().recognises(text)
        try:
            parse_sudoku(text)
        except InputError:
            return False
        return True

    def array_vocabulary(self, side: int) -> int:
        """Padding and blank with nine digits, or more on larger boards."""
        return max(VOCABULARY, side + 2)

    def resembles(self, text: str) -> bool:
        """Whether all of a text could stand on some Sudoku, or nearly all of what should be one."""
        cells = "".join(cells_of(text[:MAX_TEXT])).upper()
        fitting = sum(character in EMPTY + DIGITS for character in cells)
        whole = math.isqrt(len(cells)) ** 2 == len(cells) and math.isqrt(len(cells)) in BOX_SHAPES
        return 0 < len(cells) <= (2 if whole else 1) * fitting

    def recognises_tokens(self, inputs: Integer[np.ndarray, "m n"]) -> bool:
        """A Sudoku with one solution shows all digits but one, if any; a maze has fewer tokens."""
        side = math.isqrt(inputs.shape[1])
        shown = [np.count_nonzero(np.unique(row) > 1) for row in inputs[:64]]
        return side in BOX_SHAPES and all(digits == 0 or digits >= side - 1 for digits in shown)

    def parse_tokens(
        self, inputs: Integer[np.ndarray, "m n"], labels: Integer[np.ndarray, "m n"] | None
    ) -> list[Puzzle]:
        """Sudokus from HRM's rows: empty 1, digit d as d + 1."""
        side = math.isqrt(inputs.shape[1])
        if side not in BOX_SHAPES:
            raise InputError(f"rows of {side * side} tokens are no Sudoku of side {SIDES}")
        check_tokens(inputs, 1, side + 1, "inputs")
        digits = (inputs.astype(np.int8) - 1).reshape(-1, side, side)
        puzzles = [Puzzle(NAME, side, side, {"digits": board}) for board in digits]
        if labels is None:
            return puzzles
        check_tokens(labels, 2, side + 1, "labels")
        answers = labels.astype(np.int8) - 1
        return [puzzle.with_answer(row) for puzzle, row in zip(puzzles, answers, strict=True)]


def cells_of(text: str) -> str | list[str]:
    """One character per cell, or one word where numbers are written in decimals.

    Where the count is no board's, it is what stands there, for the message.
    """
    if len(text.split()) == 1 and not re.search(r"[|,;]", text):
        return text.strip()
    lines = [line for line in text.splitlines() if not _COMMENT.match(line)]
    rows = [line for line in lines if not _RULE.fullmatch(line)]
    fields = _between_separators(rows)
    if fields:
        return fields
    words = _BARS.sub(" ", "\n".join(rows)).split()
    if len(words) == 256 and any(len(word) == 2 for word in words):
        return words
    joined = "".join(words)
    # A row of dashes is a rule, unless the board lacks it.
    for cells in (joined, "".join(_BARS.sub(" ", "\n".join(lines)).split())):
        if len(cells) in COUNTS:
            return cells
    return _between_blanks(lines) or _one_line_of_blanks(rows) or joined


def given_digits(cells: str | list[str]) -> Integer[np.ndarray, " n"]:
    """Cells as digits, -1 where one is neither number nor character of a board."""
    if isinstance(cells, str):
        return look_up(_table(cells), cells)
    alone = look_up(_GIVEN, "".join(cell if len(cell) == 1 else "?" for cell in cells))
    for at, cell in enumerate(cells):
        if re.fullmatch("1[0-6]", cell):
            alone[at] = int(cell)
    return alone


def _table(cells: str) -> Integer[np.ndarray, " 128"]:
    """What the characters stand for: 16x16 boards are also written with 0 to F or with A to P."""
    if len(cells) != 256:
        return _GIVEN
    used = set(cells.upper())
    if "0" in used and used & _BLANKS and "G" not in used:
        return _ZERO_TO_F
    return _A_TO_P if used & set("HIJKLMNOP") and not used & set("123456789") else _GIVEN


def uneven_row(text: str) -> str:
    """Which printed row differs in length from the first, where that explains a wrong count."""
    lengths = [
        (number, len("".join(_BARS.sub(" ", line).split())))
        for number, line in enumerate(text.splitlines(), 1)
        if not _RULE.fullmatch(line) and not _COMMENT.match(line)
    ]
    for number, length in lengths[1:]:
        if length != lengths[0][1]:
            return f" (line {number} has {length}, line {lengths[0][0]} has {lengths[0][1]})"
    return ""


def _between_separators(rows: list[str]) -> list[str]:
    """The cells of rows such as "5,3,,,7", of a table's cells or of a printed list; [] if none."""
    listed = [_WRAPPING.sub("", row) for row in rows]
    if not any(_SEPARATOR.search(row) for row in listed):
        return []
    split = [_SEPARATOR.split(row) for row in listed]
    # A list's rows may end in a comma with nothing behind it.
    for fields in (split, [row[:-1] if row[-1] == "" else row for row in split]):
        cells = [cell or "." for row in fields for cell in row]
        if len(cells) in COUNTS and all(len(cell) <= 2 for cell in cells):
            return cells
    return []


def _one_line_of_blanks(rows: list[str]) -> str | None:
    """The board of a single line in which a blank is an empty cell."""
    if len(rows) != 1 or len(rows[0]) not in COUNTS or set(rows[0]) & set(EMPTY):
        return None
    return rows[0].replace(" ", ".")


def _between_blanks(lines: list[str]) -> str | None:
    """The board of rows in which a blank is an empty cell; None where they are no such rows."""
    rows = [line for line in lines if not line.strip() or not _RULE.fullmatch(line)]
    while rows and not rows[0].strip() and len(rows) not in BOX_SHAPES:
        rows.pop(0)
    while rows and not rows[-1].strip() and len(rows) not in BOX_SHAPES:
        rows.pop()
    side = len(rows)
    printed = "".join(rows).strip()
    if side not in BOX_SHAPES or " " not in printed or set(printed) & set(EMPTY):
        return None  # Where an empty cell has a sign of its own, a blank is none.
    # Cells stand side by side, or all with a blank between any two.
    apart = max(len(row.rstrip()) for row in rows) > side
    read = [_row_between_blanks(row.rstrip(), side, apart) for row in rows]
    return None if None in read else "".join(row for row in read if row is not None)


def _row_between_blanks(row: str, side: int, apart: bool) -> str | None:
    if "|" in row:
        columns = BOX_SHAPES[side][1]
        boxes = re.sub(r"^\s*\||\|\s*$", "", row).split("|")
        width = max(map(len, boxes))
        places = {columns: (0, 1), 2 * columns - 1: (0, 2), 2 * columns + 1: (1, 2)}
        if width not in places or len(boxes) * columns != side:
            return None
        first, step = places[width]
        row = "".join(box.ljust(width)[first::step] for box in boxes)
    elif apart:
        if len(row) > 2 * side or row[1::2].strip():
            return None
        row = row[::2]
    return row.ljust(side).replace(" ", ".")
