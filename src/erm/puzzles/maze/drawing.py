"""A maze in the terminal: walls filled, the path as a line, and its words for people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from jaxtyping import Bool, Int, UInt8

from erm.drawing.board import cell_table
from erm.drawing.lattice import FAINT, FULL, HEAVY, NONE, Cell, Lattice, frame, joint
from erm.grid import neighbours
from erm.puzzles.maze.givens import GOAL, START, WALL
from erm.rulebook.look import Look

PATH_STYLE = "bold green"
LOOK = Look(
    title="Maze",
    about="Mark the cells of one path from start to goal that touches itself nowhere.",
    words={
        "wall": "marks on open cells only",
        "terminal": "one path cell beside start and goal",
        "open cell": "path cells have two neighbours",
        "format": "marks stand on open cells",
        "degree": "one way in, one way out",
        "start-goal connectivity": "start and goal are joined",
        "cycle": "no loop",
        "length": "as many steps as cells ask for",
    },
    page=Path(__file__).with_name("page.js"),
    examples=Path(__file__).with_name("examples.json"),
)


def drawing(
    cells: UInt8[np.ndarray, "H W"],
    answer: Int[np.ndarray, "H W"] | None,
    marked: Bool[np.ndarray, "H W"],
) -> Lattice:
    path = np.zeros(cells.shape, bool) if answer is None else answer == 1
    ends = (cells == START) | (cells == GOAL)
    around = neighbours(*cells.shape).reshape(*cells.shape, 4)
    # A line goes from a path cell to each neighbour that is on the path, too, or an end of it.
    on_path = np.append((path | ends).ravel(), False)[around] & path[..., None]
    on_path |= ends[..., None] & np.append(path.ravel(), False)[around]

    def cell(r: int, c: int) -> Cell:
        up, right, down, left = (HEAVY * on_path[r, c]).tolist()
        tail = joint(0, right, 0, right)
        if cells[r, c] == WALL:
            return Cell(FULL, FAINT, FULL, bool(marked[r, c]))
        if ends[r, c]:
            letter = "S" if cells[r, c] == START else "G"
            return Cell(letter + tail, PATH_STYLE, mark=bool(marked[r, c]))
        if path[r, c]:
            bend = joint(up, right, down, left) if up or right or down or left else "•"
            return Cell(bend + tail, PATH_STYLE, mark=bool(marked[r, c]))
        return Cell("", mark=bool(marked[r, c]))

    height, width = cells.shape
    return Lattice(cell_table((height, width), cell), *frame(height, width, NONE), widest=2)
