"""The study's data: files that the user gives or that lie at hand, else puzzles made here."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from erm.data.generate import generate
from erm.data.recipe import Recipe
from erm.errors import InputError
from erm.formats.dataset import Dataset, load_dataset
from erm.progress import messages
from erm.puzzles.ppbench import TYPES
from erm.reproduce.budget import Budget
from erm.reproduce.missing import Missing

SEED = 7_260_517
"""Of all generated test puzzles; training never uses it."""
PENCILS = TYPES[1:]
SUITES: dict[str, tuple[str, ...]] = {
    "sudoku": ("sudoku",),
    "maze": ("maze",),
    "ppbench": TYPES,
    "wild": ("lightup", "nurikabe", "heyawake"),
    "maze-large": ("maze",),
}
"""The tasks of each suite."""
AT_HAND = {
    "sudoku": "sudoku/sudoku-extreme-test.csv",
    "maze": "maze/maze-unique-30x30.npz",
    "ppbench": "ppbench/golden_300_five_types.jsonl",
    "wild": "wild/janko-half.jsonl.gz",
}
"""Where the field's test puzzles lie under the shared data folder."""
KNOWN = {
    "sudoku-extreme-test.csv": "Sudoku-Extreme test",
    "maze-unique-30x30.npz": "Maze-Unique test",
    "golden_300_five_types.jsonl": "Pencil Puzzle Bench golden",
    "janko-half.jsonl.gz": "janko.at puzzles",
}
"""Names for people."""

GENERATED = "generated "
"""How the titles of data made here begin."""


def shared_folder() -> Path:
    """`../shared/data` beside this source tree."""
    return Path(__file__).resolve().parents[5] / "shared" / "data"


def recipes(budget: Budget) -> dict[str, dict[str, tuple[Recipe, int]]]:
    """What to make, and how many, where there is no file: by suite and task."""
    small = budget.name == "smoke"
    counts = {"laptop": (256, 250, 15, 15, 16), "full": (2048, 1000, 60, 60, 100)}
    sudokus, mazes, pencils, wild, large = counts.get(budget.name, (4, 4, 2, 2, 2))
    side, wild_side = (5, 6) if small else (10, 15)
    maze_side, large_side = (9, 13) if small else (30, 50)
    guesses = 0 if small else 10
    sudoku = Recipe("sudoku", 9, 9, SEED, {"min_guesses": guesses} if guesses else {})

    def boards(side: int, count: int, tasks: tuple[str, ...]) -> dict[str, tuple[Recipe, int]]:
        return {task: (Recipe(task, side, side, seed=SEED), count) for task in tasks}

    return {
        "sudoku": {"sudoku": (sudoku, sudokus)},
        "maze": boards(maze_side, mazes, ("maze",)),
        # Another seed than the Sudoku suite's, so that the two are different puzzles.
        "ppbench": {
            "sudoku": (replace(sudoku, seed=SEED + 1), pencils),
            **boards(side, pencils, PENCILS),
        },
        "wild": boards(wild_side, wild, SUITES["wild"]),
        "maze-large": boards(large_side, large, ("maze",)),
    }


@dataclass(frozen=True)
class Source:
    """Where the puzzles of one task of one suite come from."""

    path: Path
    title: str
    """For people: "Sudoku-Extreme test", "generated sudoku 9x9"."""
    recipe: Recipe | None = None
    count: int | None = None

    @property
    def command(self) -> str | None:
        """What makes the file again, where it is generated."""
        if self.recipe is None:
            return None
        recipe = self.recipe
        words = ["erm", "data", recipe.task, "--count", str(self.count)]
        words += ["--size", f"{recipe.height}x{recipe.width}", "--seed", str(recipe.seed)]
        for option, value in recipe.options.items():
            words += [f"--{option.replace('_', '-')}", str(value)]
        return shlex.join([*words, "--out", str(self.path)])


class Sources:
    """Finds, and where need be makes, the data of a study."""

    def __init__(
        self,
        folder: Path,
        budget: Budget,
        given: Mapping[str, Path],
        writes: bool = True,
        quiet: bool = False,
    ) -> None:
        for name, path in given.items():
            if name not in SUITES:
                raise InputError(
                    f"--data {name}={path}: there is no data set {name!r} in the study; "
                    f"known: {', '.join(SUITES)}"
                )
            if not path.exists():
                raise InputError(f"--data {name}={path}: there is no such file or folder")
        self.folder, self.budget, self.given = folder, budget, given
        self.writes, self.quiet = writes, quiet
        self._loaded: dict[tuple[str, str], Dataset | Missing] = {}

    def source(self, suite: str, task: str) -> Source:
        path = self._file(suite)
        if path is not None:
            return Source(path, KNOWN.get(path.name, path.name))
        recipe, count = self._recipes[suite][task]
        return Source(self.folder / f"{suite}-{task}.jsonl", f"{GENERATED}{recipe}", recipe, count)

    def load(self, suite: str, task: str) -> Dataset | Missing:
        """The puzzles of one task of a suite, all of them."""
        key = suite, task
        if key not in self._loaded:
            source = self.source(suite, task)
            try:
                if source.recipe is not None:
                    self._make(source)
                self._loaded[key] = load_dataset(source.path, task)
            except InputError as error:
                if suite in self.given and len(SUITES[suite]) == 1:
                    raise
                self._loaded[key] = Missing(f"no data: {error}")
        return self._loaded[key]

    def describe(self) -> dict[str, str]:
        """The files of a study, for its plan."""
        return {name: str(self._file(name) or "generated") for name in SUITES}

    def _file(self, suite: str) -> Path | None:
        if suite in self.given:
            return self.given[suite]
        if self.budget.generated or suite not in AT_HAND:
            return None
        path = shared_folder() / AT_HAND[suite]
        return path if path.exists() else None

    @cached_property
    def _recipes(self) -> dict[str, dict[str, tuple[Recipe, int]]]:
        return recipes(self.budget)

    def _make(self, source: Source) -> None:
        """Generate once; further processes of a study wait for the first."""
        assert source.recipe is not None and source.count is not None
        if source.path.exists():
            return
        failure = source.path.with_suffix(".failed")
        if not self.writes:
            while not source.path.exists():
                if failure.exists():
                    raise InputError(failure.read_text("utf-8"))
                time.sleep(0.5)
            return
        failure.unlink(missing_ok=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.quiet:
            messages.print(f"making {source.count} x {source.recipe}", highlight=False)
        try:
            generate(source.recipe, source.count, source.path, processes=1, quiet=self.quiet)
        except InputError as error:
            failure.write_text(str(error), "utf-8")
            raise
