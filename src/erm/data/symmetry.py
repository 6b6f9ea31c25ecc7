"""Symmetries of puzzles: random ones for augmentation, and the form that all of them share.

Sudoku keeps its rules under permutations of bands, rows, stacks, columns and digits and,
where boxes are square, transposition; the other puzzles under the eight symmetries of a square.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

from erm.data.sudoku_canonical import canonical_sudoku
from erm.grid import first_cells, rooms
from erm.puzzles.sudoku.rules import BOX_SHAPES
from erm.types import Puzzle

NO_CLUE = -1
"""A heyawake cell without a number."""


class Turn(NamedTuple):
    """One of the eight symmetries of a square: transpose, then mirror up-down and left-right."""

    transpose: bool
    upside_down: bool
    mirrored: bool

    def move(self, board: np.ndarray) -> np.ndarray:
        """An array over cells [H, W, ...] in its new place."""
        if self.transpose:
            board = board.swapaxes(0, 1)
        if self.upside_down:
            board = board[::-1]
        if self.mirrored:
            board = board[:, ::-1]
        return np.ascontiguousarray(board)


TURNS = tuple(Turn(*flags) for flags in product((False, True), repeat=3))
TURNABLE = {"maze", "lightup", "nurikabe", "heyawake", "tapa"}
"""Tasks whose rules know no direction; of any other task only the puzzle itself is taken."""


def random_symmetry(puzzle: Puzzle, rng: np.random.Generator) -> Puzzle:
    """The puzzle and its answer in a random symmetric form, its meta as it was."""
    if puzzle.task == "sudoku":
        return _moved_sudoku(puzzle, rng)
    turns = _turns(puzzle)
    return turned(puzzle, turns[rng.integers(len(turns))])


def random_upright_symmetry(puzzle: Puzzle, rng: np.random.Generator) -> Puzzle:
    """The same, but as high and as wide as it was."""
    if puzzle.height == puzzle.width:
        return random_symmetry(puzzle, rng)
    turns = [turn for turn in _turns(puzzle) if not turn.transpose]
    return turned(puzzle, turns[rng.integers(len(turns))])


def _turns(puzzle: Puzzle) -> tuple[Turn, ...]:
    return TURNS if puzzle.task in TURNABLE else TURNS[:1]


def turned(puzzle: Puzzle, turn: Turn) -> Puzzle:
    """A puzzle on a lattice, turned or mirrored together with its answer."""
    height, width = puzzle.shape[::-1] if turn.transpose else puzzle.shape
    answer = puzzle.answer
    if answer is not None:
        answer = turn.move(answer.reshape(puzzle.shape)).ravel()
    givens = _givens_mover(puzzle)(turn)
    return replace(puzzle, height=height, width=width, givens=givens, answer=answer)


def canonical(puzzle: Puzzle) -> bytes:
    """Equal for two puzzles exactly when a symmetry turns one into the other; answers aside."""
    name = f"{puzzle.task}:".encode()
    if puzzle.task == "sudoku":
        return name + canonical_sudoku(puzzle.givens["digits"]).tobytes()
    move = _givens_mover(puzzle)
    return name + min(
        b"%dx%d:" % (puzzle.shape[::-1] if turn.transpose else puzzle.shape)
        + b"".join(_settled(puzzle.task, givens))
        for turn in _turns(puzzle)
        for givens in (move(turn),)
    )


def _settled(task: str, givens: dict[str, np.ndarray]) -> Iterator[bytes]:
    """Bytes of the givens that do not depend on dtypes or on how a tapa clue is written."""
    for name in sorted(givens):
        array = givens[name].astype(np.int16)
        yield (np.sort(array, axis=-1) if task == "tapa" else array).tobytes()


def _givens_mover(puzzle: Puzzle) -> Callable[[Turn], dict[str, np.ndarray]]:
    if puzzle.task == "heyawake":
        return lambda turn: _moved_rooms(puzzle, turn)
    return lambda turn: {name: turn.move(array) for name, array in puzzle.givens.items()}


def _moved_rooms(puzzle: Puzzle, turn: Turn) -> dict[str, np.ndarray]:
    """Borders change sides, and a room's number goes to what is now its first cell."""
    right, down = puzzle.givens["right"], puzzle.givens["down"]
    if turn.transpose:
        across, below = turn.move(down), turn.move(right)
    else:
        across, below = turn.move(right), turn.move(down)
    room_of = rooms(across, below)
    scattered = turn.move(puzzle.givens["clues"]).ravel()
    clues = np.full_like(scattered, NO_CLUE)
    written = np.flatnonzero(scattered != NO_CLUE)
    clues[first_cells(room_of)[room_of[written]]] = scattered[written]
    height, width = len(across), below.shape[1]
    return {"right": across, "down": below, "clues": clues.reshape(height, width)}


def _moved_sudoku(puzzle: Puzzle, rng: np.random.Generator) -> Puzzle:
    boards = [puzzle.givens["digits"].ravel()]
    if puzzle.answer is not None:
        boards.append(puzzle.answer)
    moved = move_sudokus(np.stack(boards)[:, None], rng)[:, 0].astype(np.int8)
    answer = None if puzzle.answer is None else moved[1]
    return replace(puzzle, givens={"digits": moved[0].reshape(puzzle.shape)}, answer=answer)


def move_sudokus(
    boards: Int[np.ndarray, "k n cells"], rng: np.random.Generator
) -> Int[np.ndarray, "k n cells"]:
    """n Sudokus, each in a random symmetric form of its own, and k boards of each alike.

    The fast way for arrays: `move_sudokus(np.stack([puzzles, solutions]), rng)`.
    """
    count, cells = boards.shape[1:]
    side = round(cells**0.5)
    height, width = BOX_SHAPES[side]
    rows = _random_lines(count, side, height, rng)
    columns = _random_lines(count, side, width, rng)
    source = rows[:, :, None] * side + columns[:, None, :]
    if height == width:
        turn = rng.random(count) < 0.5
        source[turn] = source[turn].swapaxes(1, 2)
    names = np.zeros((count, side + 1), boards.dtype)
    names[:, 1:] = rng.permuted(np.tile(np.arange(1, side + 1), (count, 1)), axis=1)
    puzzle = np.arange(count)[:, None]
    return names[puzzle, boards[:, puzzle, source.reshape(count, cells)]]


def _random_lines(
    count: int, side: int, size: int, rng: np.random.Generator
) -> Int[np.ndarray, "n s"]:
    """Random orders of a side's lines that keep its bands (or stacks) of `size` together."""
    bands = rng.permuted(np.tile(np.arange(side // size), (count, 1)), axis=1)
    within = rng.permuted(np.tile(np.arange(size), (count, side // size, 1)), axis=2)
    return (bands[:, :, None] * size + within).reshape(count, side)
