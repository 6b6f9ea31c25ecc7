"""What is printed on a heyawake's cells, and its words for people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from jaxtyping import Int

from erm.puzzles.heyawake.givens import NO_CLUE
from erm.rulebook.look import Look

LOOK = Look(
    title="Heyawake",
    about=(
        "Shaded cells never touch, white ones stay connected, rooms hold their number, "
        "and no white line crosses two borders."
    ),
    words={
        "clue": "every cell is free",
        "shadings of a room": "shaded cells fit into a room",
        "no two shaded cells touch": "shaded cells stay apart",
        "a white line crosses one border": "white lines end by the second border",
        "number of shaded cells in a room": "rooms hold their number",
        "white cells are connected": "white is one area",
    },
    page=Path(__file__).with_name("page.js"),
    examples=Path(__file__).with_name("examples.json"),
)


def labels(clues: Int[np.ndarray, "H W"]) -> list[str]:
    return ["" if clue == NO_CLUE else str(clue) for clue in clues.ravel().tolist()]
