"""Where the study's puzzles come from: files that the user gives, else puzzles made here."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from erm.data.generate import generate
from erm.data.recipe import Recipe
from erm.errors import InputError
from erm.formats.dataset import Dataset, load_dataset
from erm.progress import messages
from erm.reproduce.budget import BudgetName
from erm.reproduce.missing import Missing
from erm.reproduce.suites import FILE_TITLES, SUITES, Boards
from erm.run_folder import Share

GENERATED = "generated "
"""How the titles of data made here begin."""


@dataclass(frozen=True)
class DataSource:
    """The puzzles of one task of one suite."""

    task: str
    path: Path
    title: str
    """For people: "Sudoku-Extreme test", "generated sudoku 9x9"."""
    boards: Boards | None = None
    """What to generate; None where a file is given."""

    @property
    def recipe(self) -> Recipe | None:
        boards = self.boards
        if boards is None:
            return None
        return Recipe(self.task, boards.side, boards.side, boards.seed, boards.options)

    @property
    def command(self) -> str | None:
        """What makes the file again, where it is generated."""
        if self.recipe is None or self.boards is None:
            return None
        where = shlex.join(["--count", str(self.boards.count), "--out", str(self.path)])
        return f"{self.recipe.command} {where}"

    def make(self, quiet: bool) -> None:
        """Generate the file, if it is to be generated and is not there."""
        if self.recipe is None or self.boards is None or self.path.exists():
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not quiet:
            messages.print(f"making {self.boards.count} x {self.recipe}", highlight=False)
        # By this process alone: the others of a study wait for it.
        generate(self.recipe, self.boards.count, self.path, 1, quiet, Share())

    def load(self) -> Dataset | Missing:
        try:
            return load_dataset(self.path, self.task)
        except InputError as error:
            return Missing(f"no data: {error}")


@dataclass(frozen=True)
class StudyData:
    """The files that a study was given; what is not given is generated in `made`."""

    files: Mapping[str, Path]
    """By suite."""
    made: Path
    budget: BudgetName

    def source(self, suite: str, task: str) -> DataSource:
        if suite in self.files:
            path = self.files[suite]
            return DataSource(task, path, FILE_TITLES.get(path.name, path.name))
        boards = SUITES[suite].generated[self.budget][task]
        asked = "".join(
            f" {name.replace('_', '-')} {value}" for name, value in boards.options.items()
        )
        title = f"{GENERATED}{task} {boards.side}x{boards.side}{asked}"
        return DataSource(task, self.made / f"{suite}-{task}.jsonl", title, boards)

    def describe(self) -> dict[str, str]:
        return {suite: str(self.files.get(suite, "generated")) for suite in SUITES}


def find_files(given: Mapping[str, Path], folder: Path | None) -> dict[str, Path]:
    """The files of a study by suite: those named one by one, then those that lie in the folder."""
    for name, path in given.items():
        if name not in SUITES:
            raise InputError(
                f"--data {name}={path}: there is no data set {name!r} in the study; "
                f"known: {', '.join(SUITES)}"
            )
        if not path.exists():
            raise InputError(f"--data {name}={path}: there is no such file or folder")
    if folder is None:
        return dict(given)
    known = {name: folder / suite.file for name, suite in SUITES.items() if suite.file}
    lying = {name: path for name, path in known.items() if path.exists()}
    if not lying:
        raise InputError(
            f"--data-folder {folder} holds none of "
            f"{', '.join(str(path.relative_to(folder)) for path in known.values())}"
        )
    return {**lying, **given}
