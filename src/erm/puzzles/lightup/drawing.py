"""A lightup in the terminal: black cells filled, bulbs and their light; its words for people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from jaxtyping import Bool, Int

from erm.drawing.board import cell_table
from erm.drawing.lattice import CLUE, FULL, Cell, Lattice, frame
from erm.puzzles.lightup.givens import WHITE
from erm.rulebook.look import Look

LIGHT_STYLE = "yellow"
LOOK = Look(
    title="Light Up",
    about="Bulbs light every white cell, none sees another, numbers count the bulbs beside them.",
    words={
        "clue": "bulbs on white cells only",
        "one bulb a line of sight": "no bulb sees another",
        "number of bulbs beside a clue": "numbers count bulbs",
        "unlit cells": "every white cell is lit",
    },
    page=Path(__file__).with_name("page.js"),
    examples=Path(__file__).with_name("examples.json"),
)


def labels(clues: Int[np.ndarray, "H W"]) -> list[str]:
    return [str(clue) if clue >= 0 else "" for clue in clues.ravel().tolist()]


def drawing(
    clues: Int[np.ndarray, "H W"],
    bulbs: Bool[np.ndarray, "H W"],
    lit: Bool[np.ndarray, "H W"],
    marked: Bool[np.ndarray, "H W"],
) -> Lattice:
    numbers = labels(clues)

    def cell(r: int, c: int) -> Cell:
        if clues[r, c] != WHITE:
            return Cell(numbers[r * clues.shape[1] + c] or FULL, CLUE, FULL, bool(marked[r, c]))
        if bulbs[r, c]:
            return Cell("●", f"bold {LIGHT_STYLE}", mark=bool(marked[r, c]))
        return Cell("·" if lit[r, c] else "", LIGHT_STYLE, mark=bool(marked[r, c]))

    return Lattice(cell_table(clues.shape, cell), *frame(*clues.shape))
