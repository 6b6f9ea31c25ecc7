"""Mazes as drawings of # walls with one S and one G, and as HRM's tokens."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Integer

from erm.errors import InputError
from erm.rulebook.answers import check_tokens, look_up
from erm.rulebook.task import TextFormat
from erm.types import MAX_SIDE, Puzzle, check_sides

WALL, OPEN, START, GOAL = 1, 2, 3, 4
"""What is printed on a maze's cells, in the field's tokens."""
PATH = 5
"""The token by which an answer writes a path cell."""
NAME = "maze"
VOCABULARY = 6
MAZE = "?# SGo"
"""Characters of a maze by the field's tokens; "." is read as open, too."""
MAX_TEXT = 16 * MAX_SIDE**2

_TOKEN = np.zeros(128, np.uint8)
for _token, _character in enumerate(MAZE[1:], 1):
    _TOKEN[ord(_character)] = _token
_TOKEN[ord(".")] = OPEN
_BLOCKS = np.frombuffer(MAZE.encode(), np.uint8)


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
    check_sides("the maze", height, width)
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise InputError(f"row {number} of the maze has {len(row)} cells, row 1 has {width}")
    return maze_of_tokens(look_up(_TOKEN, "".join(rows)).reshape(height, width), "".join(rows))


def maze_of_tokens(tokens: Integer[np.ndarray, "H W"], text: str | None = None) -> Puzzle:
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
    puzzle = Puzzle(NAME, height, width, {"cells": cells})
    return puzzle.with_answer(path) if path.any() else puzzle


def format_maze(puzzle: Puzzle, answer: np.ndarray | None = None) -> str:
    """Rows of characters; with an answer, o on its cells."""
    return "\n".join(
        row.tobytes().decode() for row in _BLOCKS[maze_tokens(puzzle, answer).astype(np.intp)]
    )


def maze_tokens(puzzle: Puzzle, answer: np.ndarray | None = None) -> Integer[np.ndarray, "H W"]:
    """The field's tokens; with an answer, those of its label."""
    cells = puzzle.givens["cells"]
    if answer is None:
        return cells
    path = np.asarray(answer).reshape(puzzle.shape) == 1
    if (cells[path] != OPEN).any():
        raise InputError("the answer marks a cell of the maze that is not open")
    return np.where(path, PATH, cells).astype(np.uint8)


def _folded(maze: str) -> str:
    side = math.isqrt(len(maze))
    if "\n" in maze or side * side != len(maze):
        return maze
    return "\n".join(maze[start : start + side] for start in range(0, len(maze), side))


class MazeText(TextFormat):
    """The text of a maze."""

    name = NAME
    text_format = "rows of # walls and spaces with one S and one G"
    multiline = True

    def parse(self, text: str) -> Puzzle:
        return parse_maze(text)

    def format(self, puzzle: Puzzle) -> str:
        return format_maze(puzzle)

    def format_solved(self, puzzle: Puzzle) -> str:
        return format_maze(puzzle, puzzle.answer)

    def resembles(self, text: str) -> bool:
        """Whether a text has walls or a start, so that it was likely meant as a maze."""
        return "#" in text or "S" in text

    def parse_row(self, question: str, answer: str) -> Puzzle:
        """A maze from a table, its answer drawn into it; a square one may be on one line."""
        puzzle = parse_maze(_folded(question))
        if not answer:
            return puzzle
        label = parse_maze(_folded(answer))
        if not np.array_equal(puzzle.givens["cells"], label.givens["cells"]):
            raise InputError("its answer is not the same maze as its question")
        return puzzle.with_answer(np.zeros(puzzle.cells) if label.answer is None else label.answer)

    def format_row(self, puzzle: Puzzle) -> tuple[str, str]:
        """Question and answer of a table; mazes that are not square keep their line ends."""
        separator = "" if puzzle.height == puzzle.width else "\n"
        answer = puzzle.answer
        label = "" if answer is None else format_maze(puzzle, answer).replace("\n", separator)
        return format_maze(puzzle).replace("\n", separator), label

    def array_vocabulary(self, side: int) -> int:
        return VOCABULARY

    def recognises_tokens(self, inputs: Integer[np.ndarray, "m n"]) -> bool:
        """One start and one goal in every row, and nothing beyond."""
        sample = inputs[:64]
        ends = ((sample == START).sum(1) == 1) & ((sample == GOAL).sum(1) == 1)
        return bool(ends.all() and ((sample >= WALL) & (sample <= GOAL)).all())

    def parse_tokens(
        self, inputs: Integer[np.ndarray, "m n"], labels: Integer[np.ndarray, "m n"] | None
    ) -> list[Puzzle]:
        """Square mazes from HRM's rows."""
        side = math.isqrt(inputs.shape[1])
        check_tokens(inputs, WALL, GOAL, "inputs")
        path = np.zeros(inputs.shape, bool)
        if labels is not None:
            check_tokens(labels, WALL, PATH, "labels")
            path = labels == PATH
            changed = np.where(path, inputs != OPEN, labels != inputs)
            if changed.any():
                row, cell = np.argwhere(changed)[0].tolist()
                raise InputError(
                    f"row {row + 1} of labels has {MAZE[labels[row, cell]]!r} on "
                    f"{MAZE[inputs[row, cell]]!r} at cell {cell + 1}"
                )
        puzzles = []
        for number, board in enumerate(np.asarray(inputs).reshape(-1, side, side)):
            try:
                puzzle = maze_of_tokens(board)
            except InputError as error:
                raise InputError(f"row {number + 1} of inputs: {error}") from None
            puzzles.append(puzzle if labels is None else puzzle.with_answer(path[number]))
        return puzzles
