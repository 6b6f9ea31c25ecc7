"""pzpr's own file format, the one text of its world that carries an answer with the board."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

import numpy as np

from erm.errors import InputError
from erm.grid import first_cells, rooms
from erm.types import MAX_SIDE, Puzzle

Grid = list[list[str]]

NUMBER = re.compile(r"[0-9]{1,4}")
MARKS = frozenset(".+#")
"""Not decided, known to be empty, shaded or lit."""


def format(puzzle: Puzzle, answer: np.ndarray | None = None) -> str:
    """The file, character for character as pzpr.js saves it, with the answer where one is given."""
    filled = np.zeros(puzzle.shape, np.int8)
    if answer is not None:
        if np.size(answer) != puzzle.cells:
            raise InputError(f"an answer to this {puzzle.task} has {puzzle.cells} cells")
        filled = np.asarray(answer).reshape(puzzle.shape)
    if puzzle.task == "sudoku":
        digits = puzzle.givens["digits"]
        if answer is not None and (filled[digits > 0] != digits[digits > 0]).any():
            raise InputError("the answer contradicts the Sudoku's given digits")
        grids = [_words(digits), _words(np.where(digits > 0, 0, filled))]
        head = [puzzle.height]
    elif puzzle.task == "heyawake":
        room_of = rooms(puzzle.givens["right"], puzzle.givens["down"])
        ids = [[str(room) for room in row] for row in room_of.reshape(puzzle.shape).tolist()]
        marks = [["#" if mark else "." for mark in row] for row in filled.tolist()]
        grids = [ids, _room_words(puzzle, room_of), marks]
        head = [*puzzle.shape, int(room_of.max()) + 1]
    else:
        grids = [_with_marks(puzzle, filled)]
        head = list(puzzle.shape)
    lines = ["pzprv3", puzzle.task, *map(str, head)]
    lines += ["".join(f"{word} " for word in row) for grid in grids for row in grid]
    return "\n".join(lines) + "\n"


def parse(text: str) -> Puzzle:
    """The puzzle of a file, with its answer where it has been filled in."""
    lines = text.replace("\r", "").split("\n")
    task = lines[1].strip() if len(lines) > 1 else ""
    if not re.fullmatch(r"pzprv3(\.\d+)?", lines[0].strip()):
        raise InputError(f"a pzprv3 file begins with pzprv3, not with {lines[0][:20]!r}")
    if task not in ("sudoku", "lightup", "nurikabe", "heyawake", "tapa"):
        raise InputError(f"the pzprv3 file is of {task[:20]!r}, which is none of our puzzles")
    height = _side(lines, 2)
    width = height if task == "sudoku" else _side(lines, 3)
    start = {"sudoku": 3, "heyawake": 5}.get(task, 4)

    def grid(number: int) -> Grid:
        first = start + number * height
        return _read_grid(lines[first : first + height], first, height, width)

    if task == "sudoku":
        return _parse_sudoku(height, grid(0), grid(1))
    if task == "heyawake":
        return _parse_heyawake(height, width, grid(0), grid(1), grid(2))
    cells = grid(0)
    marks = np.array([[word == "#" for word in row] for row in cells], np.int8)
    read = {"lightup": _light, "nurikabe": _island, "tapa": _tapa}[task]
    clues = [[read(word, r, c) for c, word in enumerate(row)] for r, row in enumerate(cells)]
    dtype = np.int16 if task == "nurikabe" else np.int8
    puzzle = Puzzle(task, height, width, {"clues": np.array(clues, dtype)})
    return puzzle.with_answer(marks) if marks.any() else puzzle


def quote_lines(text: str) -> str:
    """The file as the query of a link, as pzpr.js writes it: a slash for each end of line."""
    return "/".join(quote(line, safe="!'()*") for line in text.split("\n")) + "/"


def unquote_lines(query: str) -> str:
    return unquote(query).replace("/", "\n")


def _words(digits: np.ndarray) -> Grid:
    return [[str(digit) if digit else "." for digit in row] for row in digits.tolist()]


def _room_words(puzzle: Puzzle, room_of: np.ndarray) -> Grid:
    """Room clues where pzpr keeps them: in the leftmost column of a room, there in its top cell."""
    words = [["."] * puzzle.width for _ in range(puzzle.height)]
    clues = puzzle.givens["clues"].ravel()
    by_column = room_of.reshape(puzzle.shape).T
    for room, first in enumerate(first_cells(room_of).tolist()):
        if clues[first] >= 0:
            column, row = np.argwhere(by_column == room)[0].tolist()
            words[row][column] = str(clues[first])
    return words


def _with_marks(puzzle: Puzzle, filled: np.ndarray) -> Grid:
    words = []
    for r, row in enumerate(puzzle.givens["clues"].tolist()):
        words.append([_clue_word(puzzle.task, clue) for clue in row])
        for c in np.flatnonzero(filled[r]).tolist():
            if words[r][c] != ".":
                raise InputError(f"the answer fills the clue at row {r + 1}, column {c + 1}")
            words[r][c] = "#"
    return words


def _clue_word(task: str, clue: int | list[int]) -> str:
    if isinstance(clue, list):
        numbers = ["-" if number == -2 else str(number) for number in clue if number != -1]
        return ",".join(numbers) or "."
    empty = -2 if task == "lightup" else 0
    return "." if clue == empty else "-" if clue == -1 else str(clue)


def _side(lines: list[str], at: int) -> int:
    word = lines[at].strip() if at < len(lines) else ""
    if not NUMBER.fullmatch(word) or not 1 <= int(word) <= MAX_SIDE:
        raise InputError(f"line {at + 1} of the pzprv3 file must be a side of 1 to {MAX_SIDE}")
    return int(word)


def _read_grid(lines: list[str], first: int, height: int, width: int) -> Grid:
    rows = [line.split() for line in lines]
    if len(rows) < height:
        raise InputError(f"the pzprv3 file ends at line {first + len(rows)} inside its board")
    for number, row in enumerate(rows):
        if len(row) != width:
            raise InputError(
                f"line {first + number + 1} of the pzprv3 file has {len(row)} cells, not {width}"
            )
    return rows


def _bad(word: str, row: int, column: int) -> InputError:
    return InputError(
        f"{word[:10]!r} at row {row + 1}, column {column + 1} of the pzprv3 file makes no sense"
    )


def _number(word: str, row: int, column: int, low: int, high: int) -> int:
    if not NUMBER.fullmatch(word) or not low <= int(word) <= high:
        raise _bad(word, row, column)
    return int(word)


def _light(word: str, row: int, column: int) -> int:
    return -2 if word in MARKS else -1 if word == "-" else _number(word, row, column, 0, 4)


def _island(word: str, row: int, column: int) -> int:
    limit = MAX_SIDE**2
    return 0 if word in MARKS else -1 if word == "-" else _number(word, row, column, 1, limit)


def _tapa(word: str, row: int, column: int) -> list[int]:
    if word in MARKS:
        return [-1] * 4
    numbers = [
        -2 if part == "-" else _number(part, row, column, 0, 8) for part in word.split(",")[:5]
    ]
    if len(numbers) > 4:
        raise _bad(word, row, column)
    return [*numbers, *[-1] * (4 - len(numbers))]


def _parse_sudoku(side: int, given: Grid, filled: Grid) -> Puzzle:
    def read(word: str, row: int, column: int) -> int:
        return 0 if word in MARKS else _number(word, row, column, 1, side)

    if side not in (4, 6, 9, 16):
        raise InputError(f"the pzprv3 file has a Sudoku of side {side}, not 4, 6, 9 or 16")
    digits, answer = (
        np.array([[read(word, r, c) for c, word in enumerate(row)] for r, row in enumerate(grid)])
        for grid in (given, filled)
    )
    answer = np.where(digits > 0, digits, answer)
    puzzle = Puzzle("sudoku", side, side, {"digits": digits.astype(np.int8)})
    return puzzle.with_answer(answer) if (answer > 0).all() else puzzle


def _parse_heyawake(height: int, width: int, ids: Grid, numbers: Grid, marks: Grid) -> Puzzle:
    names = np.array(
        [
            [_number(word, r, c, 0, MAX_SIDE**2) for c, word in enumerate(row)]
            for r, row in enumerate(ids)
        ]
    )
    right = names[:, 1:] != names[:, :-1]
    down = names[1:] != names[:-1]
    room_of = rooms(right, down)
    first = first_cells(room_of)
    clues = np.full(height * width, -1, np.int16)
    for r, row in enumerate(numbers):
        for c, word in enumerate(row):
            if word not in (".", "-"):
                cell = first[room_of[r * width + c]]
                if clues[cell] >= 0:
                    raise InputError(f"the room of row {r + 1}, column {c + 1} has two numbers")
                clues[cell] = _number(word, r, c, 0, MAX_SIDE**2)
    for r, row in enumerate(marks):
        for c, word in enumerate(row):
            if word not in MARKS:
                raise _bad(word, r, c)
    givens = {"right": right, "down": down, "clues": clues.reshape(height, width)}
    puzzle = Puzzle("heyawake", height, width, givens)
    shaded = np.array(marks) == "#"
    return puzzle.with_answer(shaded) if shaded.any() else puzzle
