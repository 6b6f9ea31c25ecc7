"""Sudokus and mazes as people type and print them, and answers as one character a cell."""

from __future__ import annotations

import math
import re

import numpy as np
from jaxtyping import Int

from erm.errors import InputError
from erm.types import DIGITS, MAX_SIDE, Puzzle

EMPTY = "._*0"
RULES = re.compile(r"[|\u2500-\u257f,]")
"""What a printed board draws between cells."""
RULE_LINE = re.compile(r"[-+=|\s\u2500-\u257f]*")
SIDES = (4, 6, 9, 16)
BOXES = {4: (2, 2), 6: (2, 3), 9: (3, 3), 16: (4, 4)}
"""Rows and columns of a Sudoku's boxes."""

WALL, OPEN, START, GOAL, PATH = 1, 2, 3, 4, 5
MAZE = "?# SGo"
"""Characters of a maze by the field's tokens; "." is read as open, too."""

MAX_TEXT = 16 * MAX_SIDE**2

_STATE = np.full(128, -1, np.int8)
for _state, _character in enumerate(DIGITS):
    _STATE[ord(_character)] = _STATE[ord(_character.lower())] = _state
_GIVEN = _STATE.copy()
_GIVEN[[ord(character) for character in EMPTY + "-"]] = 0
_TOKEN = np.zeros(128, np.uint8)
for _token, _character in enumerate(MAZE[1:], 1):
    _TOKEN[ord(_character)] = _token
_TOKEN[ord(".")] = OPEN
_WRITTEN = np.frombuffer(DIGITS.encode(), np.uint8)
_BLOCKS = np.frombuffer(MAZE.encode(), np.uint8)


def _look_up(table: np.ndarray, text: str) -> np.ndarray:
    codes = np.frombuffer(text.encode("ascii", "replace"), np.uint8)
    return table[codes]


def format_answer(answer: np.ndarray) -> str:
    """One character a cell, row by row."""
    return _WRITTEN[np.asarray(answer).ravel()].tobytes().decode()


def parse_answer(text: str, cells: int) -> Int[np.ndarray, " n"]:
    """States of an answer that `format_answer` wrote."""
    if len(text) != cells:
        raise InputError(f"the answer has {len(text)} characters, but the board has {cells} cells")
    states = _look_up(_STATE, text)
    if (states < 0).any():
        at = int(np.argmax(states < 0))
        raise InputError(f"the answer has {text[at]!r} at cell {at + 1}, which is no state")
    return states


def parse_sudoku(text: str) -> Puzzle:
    """A Sudoku of 4x4 to 16x16, on one line or printed with rules between its boxes."""
    if len(text) > MAX_TEXT:
        raise InputError(f"the Sudoku has {len(text)} characters, which is more than any board")
    cells = _sudoku_cells(text)
    side = math.isqrt(len(cells))
    if side * side != len(cells) or side not in SIDES:
        raise InputError(
            f"the Sudoku has {len(cells)} cells{_uneven_row(text)}; "
            "16, 36, 81 or 256 are wanted, with . or 0 for empty"
        )
    digits = _look_up(_GIVEN, cells) if isinstance(cells, str) else _numbers(cells)
    wrong = (digits < 0) | (digits > side)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(
            f"the Sudoku has {cells[at][:10]!r} at row {at // side + 1}, column {at % side + 1}, "
            f"where a digit up to {DIGITS[side]} or . must stand"
        )
    return Puzzle("sudoku", side, side, {"digits": digits.reshape(side, side)})


def format_sudoku(puzzle: Puzzle, answer: np.ndarray | None = None, pretty: bool = False) -> str:
    """The givens, or an answer, on one line with . for empty, or printed with its boxes."""
    digits = puzzle.givens["digits"] if answer is None else answer
    line = format_answer(digits).replace("0", ".")
    if not pretty:
        return line
    side = puzzle.height
    rows, columns = BOXES[side]
    rule = "+".join(["-" * (2 * columns + 1)] * (side // columns))[1:-1]
    lines = []
    for r in range(side):
        if r and r % rows == 0:
            lines.append(rule)
        row = line[r * side : (r + 1) * side]
        boxes = [" ".join(row[c : c + columns]) for c in range(0, side, columns)]
        lines.append(" | ".join(boxes))
    return "\n".join(lines)


def _sudoku_cells(text: str) -> str | list[str]:
    """One character a cell, or one word where a 16x16 board has its numbers in decimals."""
    lines = text.split()
    if len(lines) == 1 and "|" not in text:
        return lines[0]
    drawn = [line for line in text.splitlines() if not RULE_LINE.fullmatch(line)]
    words = RULES.sub(" ", "\n".join(drawn)).split()
    if len(words) == 256 and any(len(word) == 2 for word in words):
        return words
    return "".join(words)


def _numbers(words: list[str]) -> Int[np.ndarray, " n"]:
    """Words as digits, -1 where one is neither number nor character of a board."""
    alone = _look_up(_GIVEN, "".join(word if len(word) == 1 else "?" for word in words))
    for at, word in enumerate(words):
        if re.fullmatch("1[0-6]", word):
            alone[at] = int(word)
    return alone


def _uneven_row(text: str) -> str:
    """Which printed row differs in length from the first, where that explains a wrong count."""
    lengths = [
        (number, len("".join(RULES.sub(" ", line).split())))
        for number, line in enumerate(text.splitlines(), 1)
        if not RULE_LINE.fullmatch(line)
    ]
    for number, length in lengths[1:]:
        if length != lengths[0][1]:
            return f" (line {number} has {length}, line {lengths[0][0]} has {lengths[0][1]})"
    return ""


def parse_maze(text: str) -> Puzzle:
    """A maze of # walls, spaces or dots, one S, one G, and o where its answer goes along."""
    if len(text) > MAX_TEXT:
        raise InputError(f"the maze has {len(text)} characters, which is more than any board")
    rows = text.replace("\r", "").split("\n")
    while rows and not rows[0]:
        rows.pop(0)
    while rows and not rows[-1]:
        rows.pop()
    if not rows:
        raise InputError("the maze is empty; rows of # and spaces with one S and one G are wanted")
    height, width = len(rows), len(rows[0])
    if max(height, width) > MAX_SIDE or not width:
        raise InputError(f"the maze is {height}x{width}, but sides must be 1 to {MAX_SIDE}")
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise InputError(f"row {number} of the maze has {len(row)} cells, row 1 has {width}")
    return maze_of_tokens(_look_up(_TOKEN, "".join(rows)).reshape(height, width), "".join(rows))


def maze_of_tokens(tokens: Int[np.ndarray, "H W"], text: str | None = None) -> Puzzle:
    """A maze from the field's tokens, checked; `text` is what messages quote."""
    tokens = np.asarray(tokens)
    height, width = tokens.shape
    wrong = (tokens < WALL) | (tokens > PATH)
    if wrong.any():
        at = int(np.argmax(wrong))
        what = repr(text[at]) if text else f"token {tokens.flat[at]}"
        raise InputError(
            f"the maze has {what} at row {at // width + 1}, column {at % width + 1}, "
            "where #, space, S, G or o must stand"
        )
    for token in (START, GOAL):
        found = np.flatnonzero(tokens == token)
        if len(found) != 1:
            places = [f"row {at // width + 1}, column {at % width + 1}" for at in found.tolist()]
            also = f", the second at {places[1]}" if len(places) > 1 else ""
            raise InputError(
                f"the maze has {len(found)} {MAZE[token]}{also}; exactly one is wanted"
            )
    path = tokens == PATH
    cells = np.where(path, OPEN, tokens).astype(np.uint8)
    puzzle = Puzzle("maze", height, width, {"cells": cells})
    return puzzle.with_answer(path) if path.any() else puzzle


def format_maze(puzzle: Puzzle, answer: np.ndarray | None = None) -> str:
    """Rows of characters; with an answer, o on its cells."""
    return "\n".join(
        row.tobytes().decode() for row in _BLOCKS[maze_tokens(puzzle, answer).astype(np.intp)]
    )


def maze_tokens(puzzle: Puzzle, answer: np.ndarray | None = None) -> Int[np.ndarray, "H W"]:
    """The field's tokens; with an answer, those of its label."""
    cells = puzzle.givens["cells"]
    if answer is None:
        return cells
    path = np.asarray(answer).reshape(puzzle.shape) == 1
    if (cells[path] != OPEN).any():
        raise InputError("the answer marks a cell of the maze that is not open")
    return np.where(path, PATH, cells).astype(np.uint8)
