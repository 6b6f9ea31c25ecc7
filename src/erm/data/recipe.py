"""What to generate, and how one unit of that work is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any

from erm.errors import InputError
from erm.rulebook.explain import Level, explain
from erm.rulebook.generator import Generator, unit_rng
from erm.rulebook.registry import all_tasks, task_of
from erm.types import MAX_SIDE, Puzzle


@dataclass(frozen=True)
class Recipe:
    """Everything that decides which puzzles come out, but for how many of them."""

    task: str
    height: int
    width: int
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    """Those of the task's generator that differ from its defaults, or all of them."""
    grades: tuple[int, ...] = ()
    """Which grades to keep, of the hardest step that a person needs; none: they are not told."""

    def __post_init__(self) -> None:
        if any(grade not in [*Level] for grade in self.grades):
            known = ", ".join(f"{int(level)} {level.words}" for level in Level)
            raise InputError(f"there is no grade {max(self.grades)}; grades are {known}")
        if not (1 <= self.height <= MAX_SIDE and 1 <= self.width <= MAX_SIDE):
            raise InputError(f"sides go from 1 to {MAX_SIDE}, got {self.height}x{self.width}")
        if self.seed < 0:
            raise InputError(f"the seed must not be negative, got {self.seed}")
        self.generator.check(self.height, self.width)

    @cached_property
    def generator(self) -> Generator:
        kind = task_of(self.task).generator()
        if kind is None:
            known = [task.name for task in all_tasks() if task.generator() is not None]
            raise InputError(f"nothing generates {self.task!r}; known: {', '.join(known)}")
        offered = [option.name for option in fields(kind)]
        for name in self.options:
            if name not in offered:
                raise InputError(
                    f"the generator of {self.task} has no option {name!r}, "
                    f"only {', '.join(offered) or 'size and seed'}"
                )
        return kind(**self.options)

    def __str__(self) -> str:
        return f"{self.task} {self.height}x{self.width}"

    @property
    def command(self) -> str:
        """What makes these puzzles, but for how many and where to."""
        words = ["erm data", self.task, f"--size {self.height}x{self.width}", f"--seed {self.seed}"]
        for option in fields(self.generator):
            value = getattr(self.generator, option.name)
            if value != option.default:
                name = option.name.replace("_", "-")
                words.append(f"--{name}" if value is True else f"--{name} {value}")
        if self.grades:
            words.append(f"--grade {' '.join(map(str, self.grades))}")
        return " ".join(words)

    def describe(self) -> dict[str, Any]:
        described = asdict(self) | {"options": asdict(self.generator)}
        if not self.grades:  # Runs from before there were grades go on.
            del described["grades"]
        return described

    def make(self, unit: int) -> list[Puzzle]:
        """The puzzles of one unit of work: the same whichever process makes them, and when."""
        made = self.generator.make(self.height, self.width, unit_rng(self.seed, unit))
        puzzles = [puzzle.with_meta(source=self.command, unit=unit) for puzzle in made]
        return list(self._graded(puzzles)) if self.grades else puzzles

    def _graded(self, puzzles: Sequence[Puzzle]) -> Iterator[Puzzle]:
        """Those of a wanted grade, with it."""
        task = task_of(self.task)
        for puzzle in puzzles:
            grade = int(explain(task.rules(puzzle)).grade)
            if grade in self.grades:
                yield puzzle.with_meta(grade=grade)

    def __getstate__(self) -> dict[str, Any]:
        """Without the generator: another process makes its own, which may come from a file that
        was included there."""
        return {option.name: getattr(self, option.name) for option in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
