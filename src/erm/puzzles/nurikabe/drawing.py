"""What is printed on a nurikabe's cells, and its words for people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from jaxtyping import Int

from erm.puzzles.nurikabe.givens import ANY_SIZE, NO_CLUE
from erm.rulebook.look import Look

LOOK = Look(
    title="Nurikabe",
    about="Shade one connected sea without 2×2 pools; each island holds one number, its size.",
    words={
        "clue": "numbers stay dry",
        "no 2x2 of sea": "no 2×2 pool",
        "an island holds one clue": "one number an island",
        "an island is as large as its clue": "islands have their size",
        "sea is connected": "one sea",
    },
    page=Path(__file__).with_name("page.js"),
    examples=Path(__file__).with_name("examples.json"),
)


def labels(clues: Int[np.ndarray, "H W"]) -> list[str]:
    special = {NO_CLUE: "", ANY_SIZE: "?"}
    return [special.get(clue, str(clue)) for clue in clues.ravel().tolist()]
