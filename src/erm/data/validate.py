"""Judges a data set: its format, its answers, their uniqueness, and duplicates up to symmetry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from jaxtyping import Int

from erm.data.split import canonical_forms
from erm.errors import InputError
from erm.formats.dataset import Dataset, load_dataset
from erm.progress import progress_bar
from erm.rulebook.registry import task_of
from erm.types import Puzzle

Uniqueness = Literal["all", "sample", "none"]
SAMPLE = 200
"""Puzzles whose uniqueness is proved where a sample is asked for."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong."""

    row: int
    """Which puzzle of the file, counted from 1; 0 where the file itself cannot be read."""
    what: str
    """The kind, as in the table: format, answer, uniqueness, duplicate, shared with PATH."""
    detail: str


@dataclass
class Report:
    """What was checked and what was found."""

    path: str
    sha256: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    """Puzzles of each task and size, such as "nurikabe 10x10"."""
    without_answer: int = 0
    unique: int = 0
    """Puzzles whose uniqueness was proved."""
    undecided: int = 0
    """Puzzles for which the solver gave up: neither proved nor a fault."""
    compared: dict[str, int] = field(default_factory=dict)
    """Puzzles of each other data set that this one was held against."""
    faults: list[Fault] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def number_of(self, what: str) -> int:
        return sum(fault.what == what for fault in self.faults)

    def describe(self) -> dict[str, Any]:
        """The report as plain values, for --json."""
        return {
            "path": self.path,
            "sha256": self.sha256,
            "puzzles": self.counts,
            "without_answer": self.without_answer,
            "unique": self.unique,
            "undecided": self.undecided,
            "compared": self.compared,
            "faults": [vars(fault) for fault in self.faults],
        }


def validate(
    path: str | Path,
    against: Sequence[str | Path] = (),
    uniqueness: Uniqueness = "sample",
    task: str | None = None,
    split: str | None = None,
    seed: int = 0,
    quiet: bool = False,
) -> Report:
    """Check one data set, and that it shares no puzzle with any of the others."""
    others = [load_dataset(other) for other in against]
    report = Report(str(path))
    try:
        dataset = load_dataset(path, task, split)
    except InputError as error:
        if not Path(path).exists():
            raise
        report.faults.append(Fault(0, "format", str(error)))
        return report
    report.sha256 = dataset.sha256
    for puzzle in dataset:
        name = f"{puzzle.task} {puzzle.height}x{puzzle.width}"
        report.counts[name] = report.counts.get(name, 0) + 1
    _check_answers(dataset, report, quiet)
    _check_uniqueness(dataset, report, uniqueness, seed, quiet)
    _check_duplicates(dataset, others, report, quiet)
    report.faults.sort(key=lambda fault: fault.row)
    return report


def _check_answers(dataset: Dataset, report: Report, quiet: bool) -> None:
    """Every answer against its rulebook."""
    with progress_bar(quiet) as bar:
        shown = bar.add_task("answers", total=len(dataset), note="")
        for row, puzzle in enumerate(dataset, 1):
            if puzzle.answer is None:
                report.without_answer += 1
            elif problem := task_of(puzzle.task).answer_fault(puzzle, puzzle.answer):
                report.faults.append(Fault(row, "answer", problem))
            bar.advance(shown)


def _check_uniqueness(
    dataset: Dataset, report: Report, uniqueness: Uniqueness, seed: int, quiet: bool
) -> None:
    rows = np.arange(len(dataset))
    if uniqueness == "none":
        return
    if uniqueness == "sample" and len(rows) > SAMPLE:
        rows = np.sort(np.random.default_rng(seed).choice(rows, SAMPLE, replace=False))
    with progress_bar(quiet) as bar:
        shown = bar.add_task("uniqueness", total=len(rows), note="")
        for row, solutions in _solutions(dataset.puzzles, rows):
            bar.advance(shown)
            if solutions is None:
                report.undecided += 1
            elif solutions == 1:
                report.unique += 1
            else:
                many = "no solution" if solutions == 0 else "more than one solution"
                report.faults.append(Fault(row + 1, "uniqueness", f"has {many}"))


def _solutions(
    puzzles: Sequence[Puzzle], rows: Int[np.ndarray, " m"]
) -> Iterator[tuple[int, int | None]]:
    """Row and number of solutions (0, 1, 2 for more, None if undecided), task by task."""
    by_task: dict[str, list[int]] = {}
    for row in rows.tolist():
        by_task.setdefault(puzzles[row].task, []).append(row)
    for name, alike in by_task.items():
        counts = task_of(name).count_solutions([puzzles[row] for row in alike])
        yield from zip(alike, counts, strict=True)


def _check_duplicates(
    dataset: Dataset, others: Sequence[Dataset], report: Report, quiet: bool
) -> None:
    first_row: dict[bytes, int] = {}
    forms = canonical_forms(dataset.puzzles, quiet)
    for row, form in enumerate(forms, 1):
        if form in first_row:
            detail = f"is puzzle {first_row[form]} up to symmetry"
            report.faults.append(Fault(row, "duplicate", detail))
        else:
            first_row[form] = row
    for other in others:
        report.compared[other.path] = len(other)
        rows_there: dict[bytes, int] = {}
        for row, form in enumerate(canonical_forms(other.puzzles, quiet), 1):
            rows_there.setdefault(form, row)
        for row, form in enumerate(forms, 1):
            if form in rows_there:
                detail = f"is puzzle {rows_there[form]} of {other.path} up to symmetry"
                report.faults.append(Fault(row, f"shared with {other.path}", detail))
