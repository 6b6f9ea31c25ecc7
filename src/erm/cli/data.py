"""`erm data`: generate, validate, convert and split data sets."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

import tyro

from erm.errors import InputError
from erm.formats.names import FormatName

if TYPE_CHECKING:
    from erm.data.recipe import Recipe
    from erm.data.validate import Report
    from erm.rulebook.generator import Generator

ABOUT = """
Generate puzzles that are proved to have one solution; validate, convert and split data sets.

Example: erm data nurikabe --count 1000 --size 10x10 --out nurikabe.jsonl

Example: erm data validate nurikabe.jsonl --uniqueness all
"""

FAULTS_SHOWN = 20


@dataclass(kw_only=True)
class Generation(ABC):
    """Options of all generators."""

    count: int
    """How many puzzles, no two of them equal up to symmetry."""
    out: Path
    """File to write: .jsonl, .csv, .txt (any of them .gz), .parquet, .npz, or a folder of .npy
    files."""
    seed: int = 0
    """The same seed and options give the same file, however many processes work on it."""
    grade: tuple[int, ...] = ()
    """Only puzzles whose hardest step is of these grades, told in their meta: 1 one rule at a time,
    2 several rules at once, 3 trials of one state, 4 guesses."""
    processes: int | None = None
    """How many work at the same time; one per core if not given."""
    quiet: bool = False
    """Show no progress."""

    @abstractmethod
    def recipe(self) -> Recipe:
        """What to make."""

    def run(self) -> int:
        from erm.data.generate import generate
        from erm.progress import counted, messages
        from erm.run_folder import Share

        done = generate(self.recipe(), self.count, self.out, self.processes, self.quiet)
        if not self.quiet and Share.from_environment().rank == 0:
            messages.print(
                f"{counted(done.count, 'puzzle')} in {done.path}, "
                f"{counted(done.duplicates, 'duplicate')} left out"
            )
        return 0


def _generation(task: str, generator: type[Generator]) -> type[Generation]:
    """The command that makes puzzles of one task, with the options of its generator."""
    from erm.data.recipe import Recipe

    def recipe(command: Any) -> Recipe:
        options = asdict(command.options)
        size, grades = parse_size(command.size), tuple(command.grade)
        return Recipe(task, *size, seed=command.seed, options=options, grades=grades)

    size = Annotated[str, tyro.conf.arg(help=generator.sizes)]
    options = Annotated[generator, tyro.conf.arg(name="")]
    return make_dataclass(
        f"Generate{task.capitalize()}",
        [
            ("size", size, field(default=generator.usual_size)),
            ("options", options, field(default_factory=generator)),
        ],
        bases=(Generation,),
        namespace={"recipe": recipe, "__doc__": generator.__doc__},
        kw_only=True,
    )


@dataclass
class Validate:
    """Check a data set: format, answers, uniqueness, duplicates up to symmetry.

    Exit code 1, with the puzzles at fault, when something is wrong.

    Example: erm data validate test.jsonl --against train.jsonl --uniqueness all
    """

    path: tyro.conf.Positional[Path]
    """Data set in any supported format."""
    against: tuple[Path, ...] = ()
    """Other data sets with which it must share no puzzle, not even up to symmetry."""
    uniqueness: Literal["all", "sample", "none"] = "sample"
    """Prove that every puzzle, or 200 of them, has exactly one solution."""
    task: str | None = None
    """Only the puzzles of this task."""
    split: str | None = None
    """Which split of the data to read."""
    seed: int = 0
    """Which puzzles the sample takes."""
    json: bool = False
    """Print the findings as JSON instead of a table."""
    quiet: bool = False
    """Show no progress."""

    def run(self) -> int:
        from erm.cli.main import WRONG
        from erm.data.validate import validate

        report = validate(
            self.path, self.against, self.uniqueness, self.task, self.split, self.seed, self.quiet
        )
        if self.json:
            print(json.dumps(report.describe(), indent=2))
        else:
            print_report(report)
        return WRONG if report.faults else 0


@dataclass
class Convert:
    """Write a data set in another format.

    Example: erm data convert sudoku-extreme-test.csv test.jsonl
    """

    source: tyro.conf.Positional[Path]
    """Data set in any supported format."""
    out: tyro.conf.Positional[Path]
    """File to write; its name tells the format."""
    format: FormatName | None = None
    """The format, where the name does not tell it."""
    task: str | None = None
    """Only the puzzles of this task."""
    split: str | None = None
    """Which split of the source to read, and the name of the one written."""
    size: tuple[str, ...] = ()
    """Only boards of these sizes, such as 9x9 10x10."""
    largest: int | None = None
    """Only boards of at most so many cells a side."""
    exclude: tuple[Path, ...] = ()
    """Data sets of which no puzzle, in any symmetric form, is written."""
    every: int = 1
    """Of those left, the first and then each so many-th: a sample of a long file."""
    limit: int | None = None
    """Only the first so many puzzles."""

    def run(self) -> int:
        from erm.data.split import without
        from erm.formats.dataset import has_splits, load_dataset, save_dataset
        from erm.progress import counted, messages

        if self.every < 1:
            raise InputError(f"--every must be at least 1, got {self.every}")
        split = self.split if has_splits(self.source) else None
        sizes = {parse_size(size) for size in self.size}
        chosen = sizes or self.largest is not None or self.exclude or self.every > 1
        dataset = load_dataset(self.source, self.task, split, None if chosen else self.limit)
        kept = [one for one in dataset if not sizes or one.shape in sizes]
        if not kept:
            raise InputError(f"{self.source} has no board of {' or '.join(self.size)}")
        if self.largest is not None:
            kept = [one for one in kept if max(one.shape) <= self.largest]
            if not kept:
                raise InputError(f"{self.source} has no board of at most {self.largest} a side")
        for path in self.exclude:
            kept = without(kept, load_dataset(path))
        kept = kept[:: self.every][: self.limit]
        if not kept:
            raise InputError(f"every puzzle of {self.source} is also in what --exclude names")
        save_dataset(kept, self.out, self.format, self.split or "train")
        messages.print(f"{counted(len(kept), 'puzzle')} in {self.out}")
        return 0


@dataclass(kw_only=True)
class Split:
    """Split a data set in two that share no puzzle, not even up to symmetry.

    Example: erm data split all.jsonl --out-train train.jsonl --out-test test.jsonl
    """

    source: tyro.conf.Positional[Path]
    """Data set in any supported format."""
    out_train: Path
    """File for the training side."""
    out_test: Path
    """File for the test side."""
    test_fraction: float = 0.1
    """Share of the puzzles that goes to the test side."""
    seed: int = 0
    """Which puzzles those are."""
    exclude: tuple[Path, ...] = ()
    """Data sets of which no puzzle, in any symmetric form, may be on either side."""
    task: str | None = None
    """Only the puzzles of this task."""
    quiet: bool = False
    """Show no progress."""

    def run(self) -> int:
        from erm.data.split import split_puzzles, without
        from erm.formats.dataset import load_dataset, save_dataset
        from erm.progress import counted, messages

        if self.out_train.resolve() == self.out_test.resolve():
            raise InputError(f"both sides would be written to {self.out_train}; name two files")
        puzzles = list(load_dataset(self.source, self.task))
        for path in self.exclude:
            puzzles = without(puzzles, load_dataset(path), self.quiet)
        sides = split_puzzles(puzzles, self.test_fraction, self.seed, self.quiet)
        for side, name, path in zip(
            sides, ("train", "test"), (self.out_train, self.out_test), strict=True
        ):
            save_dataset(side, path, split=name)
            messages.print(f"{counted(len(side), 'puzzle')} in {path}")
        return 0


def parse_size(text: str) -> tuple[int, int]:
    """Height and width from "10x8", or a square from "10"."""
    parts = text.lower().split("x")
    if not all(re.fullmatch("[0-9]{1,9}", part) for part in parts) or len(parts) > 2:
        raise InputError(f"--size takes a height and a width such as 10x10, got {text[:40]!r}")
    return int(parts[0]), int(parts[-1])


def print_report(report: Report) -> None:
    from rich.table import Table

    from erm.progress import console

    table = Table("check", "puzzles", "at fault", title=report.path, title_justify="left")

    def line(name: str, checked: Any, what: str) -> None:
        faults = report.number_of(what)
        table.add_row(name, str(checked), f"[red]{faults}[/]" if faults else "[green]0[/]")

    for name, count in sorted(report.counts.items()):
        table.add_row(name, str(count), "")
    line("format", report.total, "format")
    line("answer obeys the rules", report.total - report.without_answer, "answer")
    proved = report.unique + report.number_of("uniqueness")
    line("exactly one solution", proved, "uniqueness")
    line("duplicates up to symmetry", report.total, "duplicate")
    for other, count in report.compared.items():
        line(f"shared with {other} ({count})", report.total, f"shared with {other}")
    console.print(table)
    if report.without_answer:
        console.print(f"{report.without_answer} puzzles have no answer")
    if report.undecided:
        console.print(f"{report.undecided} puzzles are beyond the solver: neither proved nor wrong")
    for fault in report.faults[:FAULTS_SHOWN]:
        place = f"puzzle {fault.row} " if fault.row else ""
        console.print(f"{place}{fault.detail}", style="red", highlight=False, markup=False)
    if len(report.faults) > FAULTS_SHOWN:
        console.print(f"… and {len(report.faults) - FAULTS_SHOWN} more; --json lists all")


TOOLS = {"validate": Validate, "convert": Convert, "split": Split}


def command(arguments: Sequence[str]) -> Any:
    """The tools, and a command for each task that has a generator, whichever package it is from."""
    from erm.rulebook.registry import task_names, task_of

    asked = arguments[0] if arguments else ""
    # Loading a task takes a second, so that all of them are only for a list of all.
    names = [] if asked in TOOLS else [asked] if asked in task_names() else task_names()
    kinds: dict[str, Any] = {}
    for name in names:
        generator = task_of(name).generator()
        if generator is not None:
            kinds[name] = _generation(name, generator)
    if asked in names and not kinds:
        raise InputError(f"the task {asked} has no generator, so that there is nothing to make")
    kinds |= TOOLS
    return Union[  # noqa: UP007 - made here, not written
        tuple(Annotated[kind, tyro.conf.subcommand(name)] for name, kind in kinds.items())
    ]
