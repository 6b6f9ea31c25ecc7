"""Rosters to solve and to learn from: `python examples/roster/data.py 200 rosters.jsonl --seed 1`.

Each comes with a cheapest answer, proved by our own branch and bound; `--people` and `--days` say
how large they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

import erm
from erm.formats.dataset import save_dataset
from erm.progress import progress_bar
from erm.rulebook import Puzzle
from erm.rulebook.registry import include

TASK = "roster"


@dataclass
class Make:
    """Write rosters with their cheapest answers."""

    count: Annotated[int, tyro.conf.Positional]
    out: Annotated[Path, tyro.conf.Positional]
    seed: int = 0
    people: int = 12
    days: int = 14
    seconds: float = 20.0
    """Most time for each; those whose optimum is not proved by then are left out."""


def drawn(people: int, days: int, rng: np.random.Generator) -> Puzzle:
    """A random roster; not all can be filled."""
    weekday = (people * np.array([0.25, 0.25, 0.17])).astype(np.int8).clip(1)
    weekend = np.maximum(weekday - (weekday > 1), 1)
    need = np.where((np.arange(days) % 7 < 5)[:, None], weekday, weekend)
    marks = np.full((people, days), 8, np.int8)
    # Everybody would like the weekends off, and some days are popular.
    popular = rng.choice([0.2, 0.3, 0.8], days) + 0.3 * (np.arange(days) % 7 > 4)
    wished = rng.random((people, days)) < popular
    marks[wished] = rng.choice([0, 0, 0, 0, 1, 2, 3, 4, 4, 5], int(wished.sum()))
    for person in np.flatnonzero(rng.random(people) < 0.25):
        first = rng.integers(days - 1)
        marks[person, first : first + 2] = 9
    order = rng.permutation(people)
    leads, nights = np.zeros((2, people), bool)
    leads[order[: max(5, int(0.6 * people))]] = True
    nights[rng.permutation(people)[: max(5, int(0.8 * people))]] = True
    marks[~nights[:, None] & (marks % 4 == 3)] = 8
    givens = {"need": need.astype(np.int8), "leads": leads, "nights": nights, "marks": marks}
    return Puzzle(TASK, people, days, givens)


def rosters(make: Make) -> Iterator[Puzzle]:
    """Rosters with a proved optimum as their answer."""
    rng, made = np.random.default_rng(make.seed), 0
    while made < make.count:
        puzzle = drawn(make.people, make.days, rng)
        result = erm.solve(TASK, puzzle, seconds=make.seconds)
        if result.optimal:
            made += 1
            yield puzzle.with_answer(result.answer).with_meta(cost=result.cost, seed=make.seed)


def main(make: Make) -> None:
    include(Path(__file__).with_name("rules.py"))
    with progress_bar() as bar:
        line = bar.add_task("rosters", total=make.count, note="")

        def watched() -> Iterator[Puzzle]:
            for puzzle in rosters(make):
                bar.update(line, advance=1, note=f"cost {puzzle.meta['cost']:g}")
                yield puzzle

        save_dataset(watched(), make.out)


if __name__ == "__main__":
    main(tyro.cli(Make))
