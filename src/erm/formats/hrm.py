"""The token arrays of HRM, TRM and EqR: `.npy` folders and `.npz` files of Sudokus and mazes."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Int

from erm.errors import InputError
from erm.files import atomic
from erm.formats import npy
from erm.formats.text import BOXES, GOAL, MAZE, OPEN, PATH, START, WALL, maze_of_tokens, maze_tokens
from erm.types import MAX_SIDE, Puzzle

VOCABULARY = {"sudoku": 11, "maze": 6}
"""Tokens of the usual board: padding and blank with nine digits; padding and five characters."""


def puzzles_of(
    inputs: Int[np.ndarray, "m n"], labels: Int[np.ndarray, "m n"] | None, task: str | None = None
) -> list[Puzzle]:
    """Puzzles of token rows; the task is told from the tokens where it is not given."""
    _check_rows(inputs, "inputs")
    if labels is not None:
        _check_rows(labels, "labels")
        if labels.shape != inputs.shape:
            raise InputError(f"labels have shape {labels.shape}, but inputs have {inputs.shape}")
    side = math.isqrt(inputs.shape[1])
    task = task or ("maze" if _looks_like_maze(inputs) else "sudoku")
    if task == "maze":
        return _mazes(inputs, labels, side)
    if task == "sudoku":
        return _sudokus(inputs, labels, side)
    raise InputError(f"token arrays hold sudoku or maze, not {task}")


def tokens_of(puzzles: Sequence[Puzzle]) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and labels, uint8 [m, n], of puzzles of one task and size that have answers."""
    if not puzzles:
        raise InputError("there are no puzzles to write as token arrays")
    first = puzzles[0]
    inputs, labels = (np.zeros((len(puzzles), first.cells), np.uint8) for _ in range(2))
    for number, puzzle in enumerate(puzzles):
        if puzzle.task not in VOCABULARY or (puzzle.task, puzzle.shape) != (
            first.task,
            first.shape,
        ):
            raise InputError(
                f"token arrays hold Sudokus or mazes of one size, but puzzle {number + 1} is a "
                f"{puzzle.height}x{puzzle.width} {puzzle.task}"
            )
        if puzzle.answer is None or puzzle.height != puzzle.width:
            lack = "has no answer" if puzzle.answer is None else "is not square"
            raise InputError(f"token arrays need square puzzles with answers; {number + 1} {lack}")
        if puzzle.task == "maze":
            inputs[number] = maze_tokens(puzzle).ravel()
            labels[number] = maze_tokens(puzzle, puzzle.answer).ravel()
        else:
            inputs[number] = puzzle.givens["digits"].ravel() + 1
            labels[number] = puzzle.answer + 1
    return inputs, labels


def read_folder(folder: Path, task: str | None = None, limit: int | None = None) -> list[Puzzle]:
    """One split's folder with `all__inputs.npy` and `all__labels.npy`."""
    inputs = npy.load(folder / "all__inputs.npy", limit)
    labels = folder / "all__labels.npy"
    return puzzles_of(inputs, npy.load(labels, limit) if labels.is_file() else None, task)


def write_folder(puzzles: Sequence[Puzzle], folder: Path) -> None:
    """One split's folder as HRM, TRM and EqR write it, every puzzle a group of its own."""
    inputs, labels = tokens_of(puzzles)
    count = len(puzzles)
    arrays = {
        "inputs": inputs,
        "labels": labels,
        "puzzle_identifiers": np.zeros(count, np.int32),
        "puzzle_indices": np.arange(count + 1, dtype=np.int32),
        "group_indices": np.arange(count + 1, dtype=np.int32),
    }
    side = puzzles[0].height
    facts = {
        "pad_id": 0,
        "ignore_label_id": 0,
        "blank_identifier_id": 0,
        "vocab_size": 6 if puzzles[0].task == "maze" else max(VOCABULARY["sudoku"], side + 2),
        "seq_len": inputs.shape[1],
        "num_puzzle_identifiers": 1,
        "total_groups": count,
        "mean_puzzle_examples": 1.0,
        "total_puzzles": count,
        "total_samples": count,
        "sets": ["all"],
    }
    folder.mkdir(parents=True, exist_ok=True)
    # Everything is on the disk before the first file takes its real name.
    with tempfile.TemporaryDirectory(prefix=".part-", dir=folder) as scratch:
        parts = Path(scratch)
        for name, array in arrays.items():
            np.save(parts / f"all__{name}.npy", array, allow_pickle=False)
        (parts / "dataset.json").write_text(json.dumps(facts))
        for part in sorted(parts.iterdir()):
            os.replace(part, folder / part.name)
    with atomic(folder.parent / "identifiers.json") as temporary:
        temporary.write_text(json.dumps(["<blank>"]))


def splits_of(path: Path) -> list[str]:
    """The splits in an `.npz` of SPLIT_inputs and SPLIT_labels, or in a folder of folders."""
    if path.is_dir():
        return sorted(found.parent.name for found in path.glob("*/all__inputs.npy"))
    return sorted(
        name.removesuffix("_inputs") for name in npy.members(path) if name.endswith("_inputs")
    )


def read_npz(
    path: Path, split: str, task: str | None = None, limit: int | None = None
) -> list[Puzzle]:
    inputs = npy.load_member(path, f"{split}_inputs", limit)
    labels = f"{split}_labels"
    found = labels in npy.members(path)
    return puzzles_of(inputs, npy.load_member(path, labels, limit) if found else None, task)


def write_npz(puzzles: Sequence[Puzzle], path: Path, split: str) -> None:
    """Adds or replaces one split of an `.npz` file."""
    inputs, labels = tokens_of(puzzles)
    arrays = (
        {name: npy.load_member(path, name) for name in npy.members(path)} if path.exists() else {}
    )
    arrays |= {f"{split}_inputs": inputs, f"{split}_labels": labels}
    with atomic(path) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, **arrays)  # pyright: ignore[reportArgumentType]


def _check_rows(array: np.ndarray, name: str) -> None:
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise InputError(f"{name} must be whole numbers in rows, not {array.dtype}{array.shape}")
    side = math.isqrt(array.shape[1])
    if side * side != array.shape[1] or not 1 <= side <= MAX_SIDE:
        raise InputError(f"{name} have rows of {array.shape[1]} tokens, which is no square board")


def _looks_like_maze(inputs: np.ndarray) -> bool:
    """One start and one goal in every row, and nothing beyond: no Sudoku with clues is so."""
    sample = inputs[:64]
    ends = ((sample == START).sum(1) == 1) & ((sample == GOAL).sum(1) == 1)
    sudoku = math.isqrt(inputs.shape[1]) in BOXES
    return bool(ends.all() and sample.max(initial=0) <= GOAL) if sudoku else True


def _sudokus(inputs: np.ndarray, labels: np.ndarray | None, side: int) -> list[Puzzle]:
    if side not in BOXES:
        raise InputError(f"rows of {side * side} tokens are no Sudoku of side 4, 6, 9 or 16")
    _in_range(inputs, 1, side + 1, "inputs")
    digits = (inputs.astype(np.int8) - 1).reshape(-1, side, side)
    puzzles = [Puzzle("sudoku", side, side, {"digits": board}) for board in digits]
    if labels is None:
        return puzzles
    _in_range(labels, 2, side + 1, "labels")
    answers = labels.astype(np.int8) - 1
    return [puzzle.with_answer(row) for puzzle, row in zip(puzzles, answers, strict=True)]


def _mazes(inputs: np.ndarray, labels: np.ndarray | None, side: int) -> list[Puzzle]:
    _in_range(inputs, WALL, GOAL, "inputs")
    path = np.zeros(inputs.shape, bool)
    if labels is not None:
        _in_range(labels, WALL, PATH, "labels")
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


def _in_range(array: np.ndarray, low: int, high: int, name: str) -> None:
    wrong = (array < low) | (array > high)
    if wrong.any():
        row, cell = np.argwhere(wrong)[0].tolist()
        raise InputError(
            f"row {row + 1} of {name} has token {array[row, cell]} at cell {cell + 1}, "
            f"where {low} to {high} must stand"
        )
