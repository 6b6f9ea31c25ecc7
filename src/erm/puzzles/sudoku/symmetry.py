"""Sudoku keeps its rules when bands, rows, stacks, columns and digits change places and, where
boxes are square, under transposition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Integer

from erm.puzzles.sudoku.boxes import BOX_SHAPES
from erm.rulebook.symmetry import Symmetry
from erm.types import Puzzle


class SudokuSymmetry(Symmetry):
    """More forms than can be listed, of which the smallest is the canonical one."""

    def random(self, puzzle: Puzzle, rng: np.random.Generator, upright: bool = False) -> Puzzle:
        boards = [puzzle.givens["digits"].ravel()]
        if puzzle.answer is not None:
            boards.append(puzzle.answer)
        moved = move_sudokus(np.stack(boards)[:, None], rng)[:, 0].astype(np.int8)
        answer = None if puzzle.answer is None else moved[1]
        return replace(puzzle, givens={"digits": moved[0].reshape(puzzle.shape)}, answer=answer)

    def canonical(self, puzzle: Puzzle) -> bytes:
        # Imported here because most commands need no canonical form, and numba takes its time.
        from erm.puzzles.sudoku.canonical import canonical_sudoku

        return f"{puzzle.task}:".encode() + canonical_sudoku(puzzle.givens["digits"]).tobytes()


def move_sudokus(
    boards: Integer[np.ndarray, "k n cells"], rng: np.random.Generator
) -> Integer[np.ndarray, "k n cells"]:
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
) -> Integer[np.ndarray, "n s"]:
    """Random orders of a side's lines that keep its bands (or stacks) of `size` together."""
    bands = rng.permuted(np.tile(np.arange(side // size), (count, 1)), axis=1)
    within = rng.permuted(np.tile(np.arange(size), (count, side // size, 1)), axis=2)
    return (bands[:, :, None] * size + within).reshape(count, side)
