"""Candidates of any program: a JSONL file with a puzzle and its answers on each line.

    {"puzzle": "1...", "answers": ["1234...", [1, 2, 3, 4, ...]]}

`puzzle` is a text that the package reads, or the place of one in a data set, from 0. An answer is
one state a cell, as a text or a list. Further keys: `task`, where a text does not tell it;
`answer`, the label; `q`, `confidence` [K], `log_probs` [K, n, S] and `steps` [K].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from erm.errors import InputError
from erm.evaluate.energies import DECODED
from erm.formats import record
from erm.formats.dataset import Dataset
from erm.formats.lines import TextFile, check_utf8
from erm.formats.read import read_text
from erm.rulebook.registry import load_task
from erm.search.pool import CandidatePool
from erm.search.problem import Problem
from erm.types import Puzzle

SCORES = "log_probs", "q", "confidence", "steps"
NEEDS = {
    "qhead": ("q",),
    "confidence": ("confidence", "log_probs"),
    "energy-gamma": ("confidence", "log_probs"),
    "convergence": (),
    "residual": (),
    DECODED: ("log_probs",),
}
"""Scores by which these selectors go; one of them has to be given. Without log-probabilities every
energy is of decoded answers."""


class Answers(NamedTuple):
    """One line of the file."""

    index: int
    """Of the puzzle in the data set, or of the line among the others."""
    pool: CandidatePool
    scores: frozenset[str]
    """What the line says beside the answers."""

    @property
    def problem(self) -> Problem:
        assert self.pool.problem is not None
        return self.pool.problem

    def can_use(self, selector: str) -> bool:
        """Whether the line holds the scores that a selector goes by."""
        needs = NEEDS.get(selector)
        return needs is None or not self.scores.isdisjoint(needs)


def read_answers(file: TextFile, data: Dataset | None = None) -> Iterator[Answers]:
    """The pools of a file of answers; with `data`, of puzzles of that data set."""
    source = _Puzzles(data)
    lines: dict[int, int] = {}
    for number, line in file.lines():
        if not line.strip():
            continue
        try:
            check_utf8(line)
            fields = record.parse(line)
            index, puzzle = source.find(fields)
            index = len(lines) if index is None else index
            if index in lines:
                raise InputError(f"its puzzle is that of line {lines[index]}")
            answers = Answers(index, _pool(fields, puzzle), frozenset(fields.keys() & {*SCORES}))
        except InputError as error:
            raise InputError(f"{file.name}, line {number}: {error}") from None
        lines[index] = number
        yield answers


class _Puzzles:
    """The puzzles that lines speak of."""

    def __init__(self, data: Dataset | None) -> None:
        self.data = data
        self._places: dict[bytes, int] | None = None

    def find(self, fields: dict[str, Any]) -> tuple[int | None, Puzzle]:
        """A line's puzzle, and its place in the data set."""
        said, task = fields.get("puzzle"), fields.get("task")
        if isinstance(said, bool) or not isinstance(said, str | int):
            raise InputError("its field 'puzzle' must be a text or a place in --data")
        if task is not None and not isinstance(task, str):
            raise InputError("its field 'task' must be a name")
        if isinstance(said, int):
            if self.data is None:
                raise InputError(f"puzzle {said} is a place in a data set; --data names it")
            if not 0 <= said < len(self.data):
                raise InputError(f"there is no puzzle {said}, --data holds {len(self.data)}")
            return said, self.data[said]
        prefer = [] if self.data is None else self.data.describe()["tasks"]
        puzzle = read_text(said, task, prefer)
        if self.data is None:
            return None, puzzle
        place = self._place_of(_key(puzzle))
        if place is None:
            raise InputError(f"its puzzle is none of {self.data.path}")
        return place, self.data[place]

    def _place_of(self, key: bytes) -> int | None:
        if self._places is None:
            assert self.data is not None
            places = list(enumerate(self.data))
            self._places = {_key(puzzle): place for place, puzzle in reversed(places)}
        return self._places.get(key)


def _key(puzzle: Puzzle) -> bytes:
    return Problem(load_task(puzzle.task), puzzle).key


def _pool(fields: dict[str, Any], puzzle: Puzzle) -> CandidatePool:
    task, answers = load_task(puzzle.task), fields.get("answers")
    if not isinstance(answers, list):
        raise InputError("its field 'answers' must be a list of answers")
    if fields.get("answer") is not None:
        (label,) = CandidatePool.from_answers(task, puzzle, [fields["answer"]]).answers
        puzzle = puzzle.with_answer(label)
    scores = {name: fields[name] for name in SCORES if name in fields}
    return CandidatePool.from_answers(task, puzzle, answers, **scores)
