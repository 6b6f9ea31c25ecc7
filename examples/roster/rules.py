"""A shift roster: who works early, late or at night on which day, with skills, rest and wishes.

`--include examples/roster` makes it known to every command; its text is explained in text.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from erm.rulebook import (
    Among,
    AtLeast,
    AtMost,
    Between,
    EnergySettings,
    Enumerated,
    Exactly,
    Factor,
    Generator,
    Preference,
    Puzzle,
    Task,
    cell_ids,
    register,
)

from .text import ABSENT, LOOK, NOTHING, WANTED, read, write

OFF, EARLY, LATE, NIGHT = STATES = range(4)
SHIFTS = {"early": EARLY, "late": LATE, "night": NIGHT}
WORKING = (EARLY, LATE, NIGHT)
TOO_SHORT = {(LATE, EARLY), (NIGHT, EARLY), (NIGHT, LATE)}
RESTED = Enumerated(
    np.array([(a, b) for a in STATES for b in STATES if (a, b) not in TOO_SHORT]), states=4
)
GRANTED = [Enumerated(np.array([[state]]), states=4) for state in STATES]
MOST_IN_A_ROW = 5
WISH, STRONG_WISH, UNFAIR, UNFAIR_NIGHT = 1, 3, 2, 2
"""Prices: of a wish that is not granted, and of each shift above or below an even share."""


@register
class Roster(Task):
    """Givens: `need` int8 [days, 3] of early, late, night; `leads` and `nights` bool [people];
    `marks` int8 [people, days]: a wished state, 4 more for a strong wish, 8 nothing, 9 absent.
    A board has a row a person and a column a day."""

    name = "roster"
    states = 4
    state_words = ("off", "early", "late", "night")
    state_symbols = ".ELN"
    settings = EnergySettings(tau=0.02, beta=128.0)
    vocabulary = 16
    text_format = WANTED
    look = LOOK

    def factors(self, puzzle: Puzzle) -> Sequence[Factor]:
        people, days = puzzle.shape
        ids, need, leads = cell_ids(people, days), *_given(puzzle, "need", "leads")
        runs = np.lib.stride_tricks.sliding_window_view(ids, MOST_IN_A_ROW + 1, axis=1)
        runs = runs.reshape(-1, MOST_IN_A_ROW + 1)
        pairs = np.stack([ids[:, :-1].ravel(), ids[:, 1:].ravel()], 1)
        rest = AtMost(MOST_IN_A_ROW, MOST_IN_A_ROW + 1)
        found = [
            Factor("rest between shifts", pairs, RESTED),
            Factor("a day off in six", runs, Among(rest, WORKING, 4)),
        ]
        for column, (shift, state) in enumerate(SHIFTS.items()):
            for count in np.unique(need[:, column]).tolist():
                held = ids[:, need[:, column] == count].T
                found.append(Factor(f"{shift} staffed", held, _of(Exactly(count, people), state)))
            led = ids[np.ix_(leads, need[:, column] > 0)].T
            if led.size:
                found.append(Factor(f"{shift} led", led, _of(AtLeast(1, led.shape[1]), state)))
        return found

    def preferences(self, puzzle: Puzzle) -> Sequence[Preference]:
        people, days = puzzle.shape
        need, nights, marks = _given(puzzle, "need", "nights", "marks")
        ids = cell_ids(people, days)
        found = []
        for mark in range(NOTHING):
            wished = ids[marks == mark][:, None]
            price = STRONG_WISH if mark > NIGHT else WISH
            if len(wished):
                found.append(Preference("wishes", wished, GRANTED[mark % 4], price=price))
        even = _even(int(need.sum()), people, days)
        found.append(Preference("even work", ids, Among(even, WORKING, 4), price=UNFAIR))
        if nights.any():
            even = _even(int(need[:, 2].sum()), int(nights.sum()), days)
            found.append(
                Preference("even nights", ids[nights], _of(even, NIGHT), price=UNFAIR_NIGHT)
            )
        return found

    def domain(self, puzzle: Puzzle) -> np.ndarray:
        nights, marks = _given(puzzle, "nights", "marks")
        allowed = np.ones((*puzzle.shape, 4), bool)
        allowed[~nights, :, NIGHT] = False
        allowed[marks == ABSENT] = np.arange(4) == OFF
        return allowed.reshape(-1, 4)

    def features(self, puzzle: Puzzle) -> np.ndarray:
        need, leads, marks = _given(puzzle, "need", "leads", "marks")
        wished = np.eye(NOTHING + 2)[marks.ravel()][:, :NOTHING]
        lead = np.repeat(leads, puzzle.width)[:, None]
        needed = np.tile(need / puzzle.height, (puzzle.height, 1))
        return np.concatenate([wished, lead, needed], 1).astype(np.float32)

    def partitions(self, puzzle: Puzzle) -> np.ndarray:
        """One person's days, and one day's people."""
        return np.stack(np.divmod(np.arange(puzzle.cells), puzzle.width))

    def tokens(self, puzzle: Puzzle) -> np.ndarray:
        return puzzle.givens["marks"].ravel().astype(np.int64) + 1

    def answer_tokens(self, puzzle: Puzzle) -> np.ndarray:
        return np.tile(np.arange(4) + NOTHING + 3, (puzzle.cells, 1))

    def labels(self, puzzle: Puzzle) -> Sequence[str]:
        return ["-" if mark == ABSENT else "" for mark in puzzle.givens["marks"].ravel()]

    def parse(self, text: str) -> Puzzle:
        givens = read(text)
        people, days = givens["marks"].shape
        return Puzzle(self.name, people, days, givens)

    def format(self, puzzle: Puzzle) -> str:
        return write(puzzle.givens)

    def generator(self) -> type[Generator]:
        from .generate import RosterGenerator

        return RosterGenerator


def _given(puzzle: Puzzle, *names: str) -> list[np.ndarray]:
    return [puzzle.givens[name] for name in names]


def _of(count: Between, state: int) -> Among:
    return Among(count, (state,), 4)


def _even(shifts: int, people: int, days: int) -> Between:
    """An even share of shifts, where it is no whole number either of the two around it."""
    return Between(shifts // people, -(-shifts // people), days)
