"""Sudokus as people type and print them, as links and files, and as HRM's tokens."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Integer

from erm.errors import InputError
from erm.puzzles import pzprv3
from erm.puzzles.combinators import Choice, Gap, Number, Part
from erm.puzzles.links import Alphabet, Givens, on_board
from erm.puzzles.sudoku.boxes import BOX_SHAPES
from erm.puzzles.sudoku.printed import EMPTY, cells_of, given_digits, uneven_row
from erm.puzzles.tokens import check_range
from erm.rulebook.answers import format_answer
from erm.types import DIGITS, MAX_SIDE, Puzzle

NAME = "sudoku"
MAX_TEXT = 16 * MAX_SIDE**2
SIDES = ", ".join(map(str, list(BOX_SHAPES)[:-1])) + f" or {list(BOX_SHAPES)[-1]}"
"""For people: "4, 6, 9 or 16"."""


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


def resembles_sudoku(text: str) -> bool:
    """Whether all of a text could stand on some Sudoku, or nearly all of what should be one."""
    cells = "".join(cells_of(text[:MAX_TEXT])).upper()
    fitting = sum(character in EMPTY + DIGITS for character in cells)
    whole = math.isqrt(len(cells)) ** 2 == len(cells) and math.isqrt(len(cells)) in BOX_SHAPES
    return 0 < len(cells) <= (2 if whole else 1) * fitting


def format_sudoku(puzzle: Puzzle) -> str:
    """The givens on one line, with . for empty."""
    return format_answer(puzzle.givens["digits"]).replace("0", ".")


def are_sudoku_tokens(inputs: Integer[np.ndarray, "m n"]) -> bool:
    """A Sudoku with one solution shows all digits but one, if any; a maze has fewer tokens."""
    side = math.isqrt(inputs.shape[1])
    shown = [np.count_nonzero(np.unique(row) > 1) for row in inputs[:64]]
    return side in BOX_SHAPES and all(digits == 0 or digits >= side - 1 for digits in shown)


def sudokus_of_tokens(
    inputs: Integer[np.ndarray, "m n"], labels: Integer[np.ndarray, "m n"] | None
) -> list[Puzzle]:
    """Sudokus from HRM's rows: empty 1, digit d as d + 1."""
    side = math.isqrt(inputs.shape[1])
    if side not in BOX_SHAPES:
        raise InputError(f"rows of {side * side} tokens are no Sudoku of side {SIDES}")
    check_range(inputs, 1, side + 1, "inputs")
    digits = (inputs.astype(np.int8) - 1).reshape(-1, side, side)
    puzzles = [Puzzle(NAME, side, side, {"digits": board}) for board in digits]
    if labels is None:
        return puzzles
    check_range(labels, 2, side + 1, "labels")
    answers = labels.astype(np.int8) - 1
    return [puzzle.with_answer(row) for puzzle, row in zip(puzzles, answers, strict=True)]


def _digits(side: int) -> Part:
    return Choice((Number(1, side), Gap(0)))


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


ALPHABET = Alphabet((NAME,), _decode, _encode, SudokuFile())
