"""What is printed on a tapa's cells, and its words for people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from jaxtyping import Int

from erm.puzzles.tapa.givens import UNKNOWN, UNUSED
from erm.rulebook.look import Look

LOOK = Look(
    title="Tapa",
    about=(
        "Shade one connected wall without 2×2 squares; "
        "clues list the runs of shaded cells around them."
    ),
    words={
        "clue": "clues stay white",
        "no 2x2 of shaded cells": "no 2×2 square",
        "shaded runs around a clue": "clues count their runs",
        "shaded cells form one wall": "one wall",
    },
    page=Path(__file__).with_name("page.js"),
    examples=Path(__file__).with_name("examples.json"),
)


def labels(clues: Int[np.ndarray, "H W 4"]) -> list[str]:
    """A clue's numbers side by side: each has one digit."""
    return [
        "".join("?" if number == UNKNOWN else str(number) for number in clue if number != UNUSED)
        for clue in clues.reshape(-1, 4).tolist()
    ]
