"""Boards in the terminal: clues bold, the answer in colour, broken rules marked with "!"."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
from rich.console import Console
from rich.text import Text

from erm.cli.lattice import HEAVY, LIGHT, Cell, Lattice, frame, joint, to_ascii
from erm.grid import neighbours, segments
from erm.puzzles.maze.cells import GOAL, START, WALL
from erm.puzzles.sudoku.boxes import BOX_SHAPES
from erm.rulebook.answers import DIGITS
from erm.rulebook.registry import load_task
from erm.types import Puzzle

FULL = "█"
CLUE, ANSWER, FAINT = "bold", "cyan", "dim"
SHADE, LIGHT_STYLE, PATH_STYLE = "blue", "yellow", "bold green"

Marks = np.ndarray
"""Bool [H, W], the cells to point at."""
Draw = Callable[[Puzzle, np.ndarray | None, Marks], Lattice]


def draw(
    console: Console,
    puzzle: Puzzle,
    answer: np.ndarray | None = None,
    marked: Collection[int] = (),
    clues_apart: bool = True,
) -> Text:
    """A puzzle, or its answer with the given clues apart, as wide as the console has room for."""
    room = console.width if console.is_terminal else None
    drawings = [_lattice(puzzle, answer, marked)]
    colours = console.is_terminal and not console.no_color
    look_alike = puzzle.task not in _APART and not colours
    if clues_apart and look_alike and answer is not None:
        # Without colours clues and answer look alike, so the puzzle is drawn beside the answer.
        drawings.insert(0, _lattice(puzzle, None, ()))
    cell = drawings[0].fit(room)
    if not cell:
        needed = drawings[0].columns(drawings[0].narrowest)
        return Text(f"(the board needs {needed} columns, the terminal has {room})", FAINT)
    texts = [lattice.draw(cell) for lattice in drawings]
    if console.options.ascii_only:
        texts = [to_ascii(text) for text in texts]
    beside = room is None or 2 * drawings[0].columns(cell) + 3 <= room
    return _side_by_side(texts) if beside else Text("\n").join(texts)


def _lattice(puzzle: Puzzle, answer: np.ndarray | None, marked: Collection[int]) -> Lattice:
    marks = np.zeros(puzzle.cells, bool)
    marks[list(marked)] = True
    states = None if answer is None else np.asarray(answer).reshape(puzzle.shape)
    return _KINDS.get(puzzle.task, _any)(puzzle, states, marks.reshape(puzzle.shape))


def _side_by_side(texts: list[Text]) -> Text:
    rows = zip(*(text.split("\n") for text in texts), strict=True)
    return Text("\n", no_wrap=True).join(Text("   ").join(row) for row in rows)


def _grid(puzzle: Puzzle, cell: Callable[[int, int], Cell]) -> list[list[Cell]]:
    return [[cell(r, c) for c in range(puzzle.width)] for r in range(puzzle.height)]


def _sudoku(puzzle: Puzzle, answer: np.ndarray | None, marks: Marks) -> Lattice:
    digits = puzzle.givens["digits"]

    def cell(r: int, c: int) -> Cell:
        if digits[r, c]:
            return Cell(DIGITS[digits[r, c]], CLUE, mark=marks[r, c])
        if answer is None:
            return Cell("·", FAINT, mark=marks[r, c])
        return Cell(DIGITS[answer[r, c]], ANSWER, mark=marks[r, c])

    across, beside = frame(*puzzle.shape, HEAVY)
    rows, columns = BOX_SHAPES[puzzle.height]
    across[::rows] = HEAVY
    beside[:, ::columns] = HEAVY
    return Lattice(_grid(puzzle, cell), across, beside)


def _any(puzzle: Puzzle, answer: np.ndarray | None, marks: Marks) -> Lattice:
    """A task that others have added: its states as characters, with what is fixed as clues."""
    task = load_task(puzzle.task)
    domain = task.domain(puzzle).reshape(*puzzle.shape, -1)
    fixed = domain.sum(-1) == 1
    states = domain.argmax(-1) + task.first_state if answer is None else answer

    def cell(r: int, c: int) -> Cell:
        if answer is None and not fixed[r, c]:
            return Cell("·", FAINT, mark=marks[r, c])
        return Cell(DIGITS[states[r, c]], CLUE if fixed[r, c] else ANSWER, mark=marks[r, c])

    return Lattice(_grid(puzzle, cell), *frame(*puzzle.shape))


def _maze(puzzle: Puzzle, answer: np.ndarray | None, marks: Marks) -> Lattice:
    cells = puzzle.givens["cells"]
    path = np.zeros(puzzle.shape, bool) if answer is None else answer == 1
    ends = (cells == START) | (cells == GOAL)
    around = neighbours(*puzzle.shape).reshape(*puzzle.shape, 4)
    # A line goes from a path cell to each neighbour that is on the path, too, or an end of it.
    on_path = np.append((path | ends).ravel(), False)[around] & path[..., None]
    on_path |= ends[..., None] & np.append(path.ravel(), False)[around]

    def cell(r: int, c: int) -> Cell:
        up, right, down, left = (HEAVY * on_path[r, c]).tolist()
        tail = joint(0, right, 0, right)
        if cells[r, c] == WALL:
            return Cell(FULL, FAINT, FULL, marks[r, c])
        if ends[r, c]:
            letter = "S" if cells[r, c] == START else "G"
            return Cell(letter + tail, PATH_STYLE, mark=marks[r, c])
        if path[r, c]:
            bend = joint(up, right, down, left) if up or right or down or left else "•"
            return Cell(bend + tail, PATH_STYLE, mark=marks[r, c])
        return Cell("", mark=marks[r, c])

    across, beside = frame(*puzzle.shape, 0)
    return Lattice(_grid(puzzle, cell), across, beside, widest=2)


def _lightup(puzzle: Puzzle, answer: np.ndarray | None, marks: Marks) -> Lattice:
    clues = puzzle.givens["clues"]
    bulbs = np.zeros(puzzle.shape, bool) if answer is None else answer == 1
    lit = np.zeros(puzzle.cells, bool)
    for line in segments(clues != -2):
        lit |= np.bincount(line, bulbs.ravel())[line] > 0
    lit = lit.reshape(puzzle.shape)

    def cell(r: int, c: int) -> Cell:
        if clues[r, c] != -2:
            number = str(clues[r, c]) if clues[r, c] >= 0 else FULL
            return Cell(number, CLUE, FULL, marks[r, c])
        if bulbs[r, c]:
            return Cell("●", f"bold {LIGHT_STYLE}", mark=marks[r, c])
        return Cell("·" if lit[r, c] else "", LIGHT_STYLE, mark=marks[r, c])

    return Lattice(_grid(puzzle, cell), *frame(*puzzle.shape))


def _nurikabe(puzzle: Puzzle, answer: np.ndarray | None, marks: Marks) -> Lattice:
    clues = puzzle.givens["clues"]
    return _shaded(puzzle, answer, marks, np.vectorize(_island, otypes=[str])(clues))


def _island(clue: int) -> str:
    return {0: "", -1: "?"}.get(clue, str(clue))


def _tapa(puzzle: Puzzle, answer: np.ndarray | None, marks: Marks) -> Lattice:
    clues = puzzle.givens["clues"].reshape(-1, 4).tolist()
    texts = ["".join("?" if n == -2 else str(n) for n in clue if n != -1) for clue in clues]
    return _shaded(puzzle, answer, marks, np.array(texts).reshape(puzzle.shape))


def _heyawake(puzzle: Puzzle, answer: np.ndarray | None, marks: Marks) -> Lattice:
    clues = puzzle.givens["clues"]
    texts = np.where(clues >= 0, clues.astype(str), "")
    across, beside = frame(*puzzle.shape, HEAVY)
    across[1:-1] = HEAVY * puzzle.givens["down"]
    beside[:, 1:-1] = HEAVY * puzzle.givens["right"]
    return _shaded(puzzle, answer, marks, texts, (across, beside))


def _shaded(
    puzzle: Puzzle,
    answer: np.ndarray | None,
    marks: Marks,
    clues: np.ndarray,
    lines: tuple[np.ndarray, np.ndarray] | None = None,
) -> Lattice:
    """Clues on a board whose answer is shaded cells; white ones of an answer have a dot."""
    shaded = np.zeros(puzzle.shape, bool) if answer is None else answer == 1

    def cell(r: int, c: int) -> Cell:
        clue = str(clues[r, c])
        if shaded[r, c]:
            return Cell(clue or FULL, SHADE, FULL, marks[r, c])
        if clue:
            return Cell(clue, CLUE, mark=marks[r, c])
        return Cell("" if answer is None else "·", FAINT, mark=marks[r, c])

    longest = max(map(len, clues.ravel().tolist()))
    across, beside = frame(*puzzle.shape, LIGHT) if lines is None else lines
    widest = max(3, longest + 1)
    return Lattice(_grid(puzzle, cell), across, beside, widest, max(1, longest))


_KINDS: dict[str, Draw] = {
    "sudoku": _sudoku,
    "maze": _maze,
    "lightup": _lightup,
    "nurikabe": _nurikabe,
    "heyawake": _heyawake,
    "tapa": _tapa,
}
_APART = frozenset(_KINDS) - {"sudoku"}
"""Tasks whose answers do not look like clues, even without colours."""
