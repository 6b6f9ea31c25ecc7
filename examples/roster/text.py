"""The text of a roster: `need 321 321 … | sn ..o..E… | - ....--…`.

First how many people each day needs early, late and at night, then one part a person: what they
can (s: lead a shift, n: work at night, -: neither), and a character a day: . nothing, - absent,
o e l n a wish for off, early, late, night, O E L N a strong one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from erm.rulebook import InputError, Look

MARKS = "oelnOELN.-"
NOTHING, ABSENT = 8, 9
"""Marks beyond the wishes, which are the wished state, and 4 more for a strong wish."""
FEWEST_DAYS = 6
WANTED = "need 321 … | sn ..o..E… | …"
LOOK = Look(
    title="Shift roster",
    about="A row a person, a column a day: skills and rest are rules, wishes and fairness have "
    "a price.",
    examples=Path(__file__).with_name("examples.json"),
)


def read(text: str) -> dict[str, np.ndarray]:
    """The givens of a roster."""
    parts = [part.split() for part in text.replace("\n", "|").split("|") if part.strip()]
    if len(parts) < 2 or parts[0][0] != "need" or any(len(row) != 2 for row in parts[1:]):
        raise InputError(f"a roster is {WANTED}")
    (_, *need), *rows = parts
    if len(need) < FEWEST_DAYS or any(len(day) != 3 or not day.isdecimal() for day in need):
        raise InputError(f"a roster needs 3 digits a day, and {FEWEST_DAYS} days or more")
    for number, (can, marks) in enumerate(rows, 1):
        if len(marks) != len(need) or set(marks) - {*MARKS} or set(can) - {*"sn-"}:
            raise InputError(
                f"person {number} of the roster needs some of s n - and {len(need)} of {MARKS}, "
                f"got {can[:8]!r} and {marks[:40]!r}"
            )
    return {
        "need": np.array([[int(count) for count in day] for day in need], np.int8),
        "leads": np.array(["s" in can for can, _ in rows]),
        "nights": np.array(["n" in can for can, _ in rows]),
        "marks": np.array([[MARKS.index(mark) for mark in own] for _, own in rows], np.int8),
    }


def write(givens: Mapping[str, np.ndarray]) -> str:
    """What `read` reads."""
    need = ["".join(map(str, day)) for day in givens["need"].tolist()]
    people = zip(*(givens[name].tolist() for name in ("leads", "nights", "marks")), strict=True)
    rows = [
        f"{'s' * lead + 'n' * night or '-'} {''.join(MARKS[mark] for mark in marks)}"
        for lead, night, marks in people
    ]
    return " | ".join([" ".join(["need", *need]), *rows])
