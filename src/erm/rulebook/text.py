"""The text of tasks that bring none: rows of characters, or JSON of what is printed."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from erm.errors import InputError
from erm.rulebook.rulebook import Rulebook
from erm.types import MAX_SIDE, MAX_VARIABLES, Puzzle

MAX_TEXT = 64 * MAX_VARIABLES


def format_puzzle(task: Rulebook, puzzle: Puzzle, symbols: str) -> str:
    """NAME: and rows with a / between them where only states are printed, else JSON."""
    name, _ = task.printed_states()
    if name is not None:
        shown = _characters(task, symbols)
        rows = puzzle.givens[name].tolist()
        return f"{task.name}:" + "/".join("".join(shown[cell] for cell in row) for row in rows)
    givens = {name: array.astype(int).tolist() for name, array in puzzle.givens.items()}
    fields = {"task": task.name, "height": puzzle.height, "width": puzzle.width, "givens": givens}
    return json.dumps(fields, separators=(",", ":"))


def parse_puzzle(task: Rulebook, text: str, symbols: str) -> Puzzle:
    """What `format_puzzle` wrote; rows may also stand on lines of their own."""
    text = text.strip()
    if len(text) > MAX_TEXT:
        raise InputError(f"the {task.name} has {len(text)} characters, {MAX_TEXT} are the most")
    if text.startswith("{"):
        return _parse_json(task, text)
    name, given = task.printed_states()
    begin = f"{task.name}:"
    if name is None or given is None or not text.startswith(begin):
        form = (
            f"{begin} and its rows with a / between them"
            if name
            else "JSON, as in " + (f'{{"task":"{task.name}","height":2,"width":2,"givens":{{…}}}}')
        )
        raise InputError(f"the text of a {task.name} is {form}")
    values = {shown: value for value, shown in _characters(task, symbols).items()}
    rows = text.removeprefix(begin).strip().replace("\n", "/").split("/")
    for number, row in enumerate(rows, 1):
        if not row or len(row) != len(rows[0]):
            raise InputError(
                f"row {number} of the {task.name} has {len(row)} cells, not {len(rows[0]) or 1}"
            )
        wrong = next((cell for cell in row if cell not in values), None)
        if wrong is not None:
            raise InputError(
                f"row {number} of the {task.name} has {wrong!r}; use {' '.join(values)}"
            )
    cells = np.array([[values[cell] for cell in row] for row in rows], given.dtype)
    return Puzzle(task.name, len(rows), len(rows[0]), {name: cells})


def _characters(task: Rulebook, symbols: str) -> dict[int, str]:
    """The character of each printed value: a state's symbol, "." or "?" where none is printed."""
    _, given = task.printed_states()
    assert given is not None
    own = symbols[task.first_state :]
    shown = {state: own[state] for state in range(given.high + 1)}
    return {given.blank: "?" if "." in shown.values() else ".", **shown}


def _parse_json(task: Rulebook, text: str) -> Puzzle:
    try:
        fields: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the {task.name} is no JSON: {error}") from None
    if not isinstance(fields, dict) or fields.get("task") != task.name:
        raise InputError(f'the JSON of a {task.name} has "task":"{task.name}"')
    height, width, givens = (fields.get(name) for name in ("height", "width", "givens"))
    if type(height) is not int or type(width) is not int or not isinstance(givens, dict):
        raise InputError(f"the JSON of a {task.name} has height, width and givens")
    puzzle = Puzzle(task.name, height, width, {})
    if task.givens and set(givens) != set(task.givens):
        raise InputError(f"the givens of {task.name} are {', '.join(task.givens)}")
    arrays = {
        name: task.givens[name].read(name, rows, puzzle.shape)
        if task.givens
        else _plain(name, rows)
        for name, rows in givens.items()
    }
    return Puzzle(task.name, height, width, arrays)


def _plain(name: str, rows: Any) -> np.ndarray:
    try:
        array = np.array(rows)
    except ValueError:
        array = np.array(None)
    if array.dtype.kind not in "ib" or array.size > MAX_SIDE * MAX_VARIABLES:
        raise InputError(f"{name} must be lists of whole numbers, all of one length")
    return array.astype(np.int64)
