"""A seventh puzzle that lives outside the package: futoshiki, with signs between its cells."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np

from erm.errors import InputError
from erm.grid import cell_ids
from erm.rulebook import (
    EnergySettings,
    Enumerated,
    Factor,
    Look,
    Permutations,
    Puzzle,
    Task,
    register,
)

SIDE = 4
CELLS = SIDE * SIDE
SIGNS = {"<": -1, ".": 0, ">": 1}
RISING = np.array([(a, b) for a, b in product(range(SIDE), repeat=2) if a < b])


@register
class Futoshiki(Task):
    """Givens: `digits` int8 [4, 4], 0 empty; `right` int8 [4, 3] and `down` int8 [3, 4], -1 for <.

    Its text is the digits, the signs right of the cells and those below them: 16 + 12 + 12.
    """

    name = "futoshiki"
    states = SIDE
    first_state = 1
    settings = EnergySettings(tau=1.0, soft=True)
    vocabulary = SIDE + 2
    look = Look(
        title="Futoshiki",
        about="Every row and column holds each digit once, and signs are true.",
        words={"sign": "the sign between two cells is true"},
        examples=Path(__file__).with_name("examples.json"),
    )

    def factors(self, puzzle):
        ids = cell_ids(*puzzle.shape)
        pairs = [pair if sign == "<" else pair[::-1] for pair, sign in _signs(puzzle).items()]
        lines = Permutations(SIDE)
        return (
            Factor("row", ids, lines),
            Factor("column", ids.T.copy(), lines),
            *([Factor("sign", np.array(pairs), Enumerated(RISING, SIDE))] if pairs else []),
        )

    def domain(self, puzzle):
        digits = puzzle.givens["digits"].reshape(-1, 1)
        return (digits == 0) | (digits == np.arange(1, SIDE + 1))

    def features(self, puzzle):
        return np.ones((CELLS, 1), np.float32)

    def partitions(self, puzzle):
        return np.stack(np.divmod(np.arange(CELLS), SIDE))

    def tokens(self, puzzle):
        return puzzle.givens["digits"].ravel().astype(np.int64) + 1

    def answer_tokens(self, puzzle):
        return np.tile(np.arange(2, SIDE + 2), (CELLS, 1))

    def parse(self, text):
        text = text.strip()
        if len(text) != 40 or set(text[:16]) - set(".1234") or set(text[16:]) - set(SIGNS):
            raise InputError("a futoshiki has 16 digits and 24 signs")
        digits = np.array([0 if one == "." else int(one) for one in text[:16]], np.int8)
        signs = np.array([SIGNS[one] for one in text[16:]], np.int8)
        givens = {
            "digits": digits.reshape(4, 4),
            "right": signs[:12].reshape(4, 3),
            "down": signs[12:].reshape(3, 4),
        }
        return Puzzle(self.name, SIDE, SIDE, givens)

    def format(self, puzzle):
        digits = "".join(str(one) if one else "." for one in puzzle.givens["digits"].ravel())
        signs = [*puzzle.givens["right"].ravel(), *puzzle.givens["down"].ravel()]
        return digits + "".join("<.>"[one + 1] for one in signs)

    def signs(self, puzzle):
        turned = {"<": "∧", ">": "∨"}
        return {
            (one, other): sign if other - one == 1 else turned[sign]
            for (one, other), sign in _signs(puzzle).items()
        }


def _signs(puzzle):
    """The sign between two neighbours, read from the first to the second."""
    ids = cell_ids(*puzzle.shape)
    places = [
        *zip(ids[:, :-1].ravel(), ids[:, 1:].ravel(), puzzle.givens["right"].ravel(), strict=True),
        *zip(ids[:-1].ravel(), ids[1:].ravel(), puzzle.givens["down"].ravel(), strict=True),
    ]
    return {(int(a), int(b)): "<.>"[sign + 1] for a, b, sign in places if sign}
