"""Pencil Puzzle Bench records: a link, and the solution as encoded mouse and key moves."""

from __future__ import annotations

import base64
import binascii
import json
import re
from itertools import cycle
from typing import Any

import numpy as np

from erm.errors import InputError
from erm.formats import record
from erm.formats.janko import link_of
from erm.formats.read import read_text
from erm.rulebook.registry import task_of
from erm.rulebook.task import Task
from erm.types import Puzzle

KEY = b"ppbench"
"""Solutions are hidden behind this, so that no crawler takes them in by accident."""
MAX_SOLUTION = 4_000_000
EMPTY = -1
"""A cell in which nothing has been written."""
MOVE = re.compile(r"mouse,(left|right),(\d{1,4}),(\d{1,4})((?:;key,\d){0,2})")
KEPT = ("sort_key", "source", "metadata", "created_at")
"""Fields of a record that say where it comes from; they travel in `Puzzle.meta`."""


def parse(fields: dict[str, Any]) -> Puzzle:
    """The puzzle of one record, with its answer where the record has a solution."""
    url = record.text_field(fields, "puzzlink_url", "puzzle_url")
    puzzle = read_text(url)
    puzzle = puzzle.with_meta(url=url, **{name: fields[name] for name in KEPT if name in fields})
    encoded = fields.get("solution_enc")
    if encoded is None:
        return puzzle
    moves = decode_solution(record.text_field(fields, "solution_enc"))
    return puzzle.with_answer(answer_of(puzzle, moves))


def format(puzzle: Puzzle) -> dict[str, Any]:
    """The record of a puzzle, its solution encoded."""
    url = link_of(puzzle)
    fields: dict[str, Any] = {
        "puzzle_url": url,
        "pid": puzzle.task,
        "width": puzzle.width,
        "height": puzzle.height,
        "area": puzzle.cells,
        "puzzlink_url": url,
        **{name: puzzle.meta[name] for name in KEPT if name in puzzle.meta},
    }
    if puzzle.answer is not None:
        moves = moves_of(puzzle)
        fields["number_required_moves"] = len(moves["moves_required"])
        fields["number_total_solution_moves"] = len(moves["moves_full"])
        fields["solution_enc"] = encode_solution(moves)
    return fields


def encode_solution(moves: dict[str, Any]) -> str:
    return base64.b64encode(_hide(json.dumps(moves).encode())).decode()


def decode_solution(text: str) -> dict[str, Any]:
    """The moves behind `solution_enc`."""
    if len(text) > MAX_SOLUTION:
        raise InputError(f"its solution_enc of {len(text)} characters is too long")
    try:
        return record.parse(_hide(base64.b64decode(text, validate=True)).decode())
    except (binascii.Error, ValueError):
        raise InputError("its solution_enc is not base64 of JSON under the key ppbench") from None


def moves_of(puzzle: Puzzle) -> dict[str, list[str]]:
    """The clicks that enter a puzzle's answer, and those that mark what stays empty."""
    if puzzle.answer is None:
        raise InputError(f"this {puzzle.task} has no answer to write as moves")
    full, required, hints = [], [], []
    task = task_of(puzzle.task)
    printed = _printed(task, puzzle)
    for cell, state in enumerate(puzzle.answer.tolist()):
        row, column = divmod(cell, puzzle.width)
        if printed[cell]:
            continue
        place = f"{2 * column + 1},{2 * row + 1}"
        if not task.marks:
            move = f"mouse,left,{place}" + "".join(f";key,{digit}" for digit in str(state))
        else:
            move = f"mouse,{'left' if state else 'right'},{place}"
        full.append(move)
        (required if state else hints).append(move)
    return {"moves_full": full, "moves_required": required, "moves_hint": hints}


def answer_of(puzzle: Puzzle, moves: dict[str, Any]) -> np.ndarray:
    """The answer that the moves enter."""
    listed = moves.get("moves_full") or moves.get("moves_required")
    if not isinstance(listed, list):
        raise InputError("its solution has no list moves_full")
    task = task_of(puzzle.task)
    low, high = task.first_state, task.first_state + task.states_of(puzzle) - 1
    # What is printed needs no move, nor does a cell that has no mark.
    known = _printed(task, puzzle) if not task.marks else np.ones(puzzle.cells, bool)
    printed = task.domain(puzzle).argmax(1) + task.first_state
    answer = np.where(known, printed, EMPTY).astype(np.int8)
    for move in listed:
        found = MOVE.fullmatch(move) if isinstance(move, str) else None
        if found is None:
            raise InputError(f"its solution has the move {str(move)[:40]!r}, which is none we know")
        button, keys = found[1], found[4].replace(";key,", "")
        (column, odd_x), (row, odd_y) = divmod(int(found[2]), 2), divmod(int(found[3]), 2)
        if not (odd_x and odd_y and column < puzzle.width and row < puzzle.height):
            raise InputError(f"its solution's move {move!r} is not on a cell of the board")
        if button == "left":
            state = int(keys or EMPTY) if not task.marks else 1
            if not low <= state <= high:
                raise InputError(f"its solution's move {move!r} enters no digit of the board")
            answer[row * puzzle.width + column] = state
    if (answer == EMPTY).any():
        row, column = divmod(int(np.argmax(answer == EMPTY)), puzzle.width)
        raise InputError(f"its solution leaves row {row + 1}, column {column + 1} empty")
    return answer


def _hide(data: bytes) -> bytes:
    return bytes(byte ^ key for byte, key in zip(data, cycle(KEY), strict=False))


def _printed(task: Task, puzzle: Puzzle) -> np.ndarray:
    """Cells that already hold something and are not clicked."""
    return task.domain(puzzle).sum(1) == 1
