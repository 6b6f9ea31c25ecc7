"""Random rosters, each with a cheapest answer that CP-SAT has proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import erm
from erm.rulebook import Generator, InputError, Puzzle

from .text import ABSENT, FEWEST_DAYS, NOTHING

BRANCHES = 512
"""Steps of the solver; rosters whose optimum takes more to prove are left out."""


@dataclass(frozen=True)
class RosterGenerator(Generator):
    """Rosters with a proved optimum; killed at any moment, the same command continues."""

    usual_size = "12x14"
    sizes = "People and days."

    def check(self, height: int, width: int) -> None:
        if height < 5 or width < FEWEST_DAYS:
            raise InputError(f"a roster has 5 people and {FEWEST_DAYS} days, or more")

    def make(self, height: int, width: int, rng: np.random.Generator) -> Iterator[Puzzle]:
        puzzle = drawn(height, width, rng)
        result = erm.solve("roster", puzzle, depth=BRANCHES, width=1)
        if result.optimal:
            yield puzzle.with_answer(result.answer).with_meta(cost=result.cost)


def drawn(people: int, days: int, rng: np.random.Generator) -> Puzzle:
    """A random roster; not all can be filled."""
    weekday = (people * np.array([0.25, 0.25, 0.17])).astype(np.int8).clip(1)
    weekend = np.maximum(weekday - (weekday > 1), 1)
    need = np.where((np.arange(days) % 7 < 5)[:, None], weekday, weekend)
    marks = np.full((people, days), NOTHING, np.int8)
    # Everybody would like the weekends off, and some days are popular.
    popular = rng.choice([0.2, 0.3, 0.8], days) + 0.3 * (np.arange(days) % 7 > 4)
    wished = rng.random((people, days)) < popular
    marks[wished] = rng.choice([0, 0, 0, 0, 1, 2, 3, 4, 4, 5], int(wished.sum()))
    for person in np.flatnonzero(rng.random(people) < 0.25):
        first = rng.integers(days - 1)
        marks[person, first : first + 2] = ABSENT
    order = rng.permutation(people)
    leads, nights = np.zeros((2, people), bool)
    leads[order[: max(5, int(0.6 * people))]] = True
    nights[rng.permutation(people)[: max(5, int(0.8 * people))]] = True
    marks[~nights[:, None] & (marks % 4 == 3) & (marks < NOTHING)] = NOTHING
    givens = {"need": need.astype(np.int8), "leads": leads, "nights": nights, "marks": marks}
    return Puzzle("roster", people, days, givens)
