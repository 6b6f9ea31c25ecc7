"""A Sudoku's words for people; its board is drawn as every board with areas is."""

from __future__ import annotations

from pathlib import Path

from erm.rulebook.look import Look

LOOK = Look(
    title="Sudoku",
    about="Every row, column and box holds each digit once.",
    words={
        "clue": "printed digits stay",
        "row": "each digit once in a row",
        "column": "each digit once in a column",
        "box": "each digit once in a box",
    },
    examples=Path(__file__).with_name("examples.json"),
)
