"""The token arrays of HRM, TRM and EqR: `.npy` folders and `.npz` files of square puzzles."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from erm import npy_file as npy
from erm.errors import InputError
from erm.files import atomic
from erm.formats.size import cells_of, check_cells
from erm.rulebook.registry import all_tasks, task_of
from erm.rulebook.task import Task
from erm.types import MAX_SIDE, Puzzle

WHOLE = "all"
"""What the one split of arrays without a split's name is called, as in HRM's folders."""

TELLING = 64
"""Rows that tell which task an array is of, or why it is of none."""


def puzzles_of(
    inputs: np.ndarray, labels: np.ndarray | None, task: str | None = None
) -> list[Puzzle]:
    """Puzzles of token rows, from whatever arrays a file held; the task follows from the tokens
    where it is not given."""
    _check_rows(inputs, "inputs")
    check_cells(cells_of(*inputs.shape))
    if labels is not None:
        _check_rows(labels, "labels")
        if labels.shape != inputs.shape:
            raise InputError(f"labels have shape {labels.shape}, but inputs have {inputs.shape}")
    return (_in_arrays(task) if task else _tell(inputs, labels)).parse_tokens(inputs, labels)


def can_hold(task: str, shape: tuple[int, int]) -> bool:
    """Whether token arrays can hold puzzles of a task and size."""
    return shape[0] == shape[1] and task_of(task).array_vocabulary(shape[0]) is not None


def tokens_of(puzzles: Sequence[Puzzle]) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and labels, uint8 [m, n], of puzzles of one task and size that have answers."""
    if not puzzles:
        raise InputError("there are no puzzles to write as token arrays")
    first, task = puzzles[0], task_of(puzzles[0].task)
    inputs, labels = (np.zeros((len(puzzles), first.cells), np.uint8) for _ in range(2))
    for number, puzzle in enumerate(puzzles):
        known = task.array_vocabulary(puzzle.height) is not None
        if not known or (puzzle.task, puzzle.shape) != (first.task, first.shape):
            raise InputError(
                f"token arrays hold {_names(' or ')} of one size, but puzzle {number + 1} is a "
                f"{puzzle.height}x{puzzle.width} {puzzle.task}"
            )
        if puzzle.answer is None or puzzle.height != puzzle.width:
            lack = "has no answer" if puzzle.answer is None else "is not square"
            raise InputError(f"token arrays need square puzzles with answers; {number + 1} {lack}")
        states = task.to_states(puzzle, puzzle.answer)
        marked = task.marks and states.any()
        if marked and not task.domain(puzzle)[np.arange(puzzle.cells), states].all():
            raise InputError(f"the answer of puzzle {number + 1} marks what cannot be marked")
        inputs[number] = task.tokens(puzzle)
        labels[number] = task.answer_tokens(puzzle)[np.arange(puzzle.cells), states]
    return inputs, labels


def _names(separator: str) -> str:
    return separator.join(task.name for task in all_tasks() if task.array_vocabulary(1) is not None)


def _in_arrays(name: str) -> Task:
    task = task_of(name)
    if task.array_vocabulary(1) is None:
        raise InputError(f"token arrays hold {_names(' or ')}, not {name}")
    return task


def _tell(inputs: np.ndarray, labels: np.ndarray | None) -> Task:
    fitting = [task for task in all_tasks() if task.recognises_tokens(inputs)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = " and ".join(task.name for task in fitting)
        raise InputError(f"these tokens fit {names} alike; say which with --task")
    wrong = []
    for task in all_tasks():
        if task.array_vocabulary(1) is None:
            continue
        try:
            task.parse_tokens(inputs[:TELLING], None if labels is None else labels[:TELLING])
        except InputError as error:
            wrong.append(f"read as {task.name}, {error}")
        else:
            wrong.append(f"they would do as {task.name} if that was named with --task")
    raise InputError(f"these tokens fit no task: {'; '.join(wrong)}")


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
        "vocab_size": task_of(puzzles[0].task).array_vocabulary(side),
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
    """The splits in an `.npz` of SPLIT_inputs and SPLIT_labels, or in a folder of folders; inputs
    and labels without a split's name are `WHOLE`."""
    if path.is_dir():
        return sorted(found.parent.name for found in path.glob("*/all__inputs.npy"))
    names = npy.members(path)
    splits = {name.removesuffix("_inputs") for name in names if name.endswith("_inputs")}
    return sorted(splits | ({WHOLE} if "inputs" in names else set()))


def read_npz(
    path: Path, split: str, task: str | None = None, limit: int | None = None
) -> list[Puzzle]:
    names = npy.members(path)
    start = "" if split == WHOLE and f"{split}_inputs" not in names else f"{split}_"
    inputs = npy.load_member(path, f"{start}inputs", limit)
    labels = f"{start}labels"
    found = labels in names
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
