"""Sudoku puzzles: minimal, unique, as hard as asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import no_type_check

import numpy as np
from jaxtyping import Integer

from erm.errors import InputError
from erm.puzzles.generators import below, shuffle
from erm.puzzles.sudoku.boxes import BOX_SHAPES
from erm.puzzles.sudoku.sides import generate_side, solve_side
from erm.puzzles.sudoku.solver import CELLS, MOST_GUESSES, SIDE, load_board, scratch, search
from erm.puzzles.sudoku.text import NAME
from erm.rulebook.generator import Generator
from erm.rulebook.kernel import kernel
from erm.types import Puzzle

Batch = tuple[Integer[np.ndarray, "n 81"], Integer[np.ndarray, "n 81"], Integer[np.ndarray, " n"]]
"""Puzzles with 0 for empty cells, their solutions, and the guesses they need."""

TRIES_A_UNIT = 500
LINEAGE_SHARE = 16
"""Puzzles that one lineage may give: its members are relatives, so more would be alike."""
HARD_BAR = 40
"""Guesses that hard puzzles need at least, however their boards are turned; Sudoku-Extreme's
quartiles are about 50, 100 and 150."""
GENTLE_CLUES = 38
EXAMPLES = (("minimal", 0), ("few guesses", 1), ("some guesses", 8), ("many guesses", 25))
"""Puzzles to try, with the guesses that they need at least."""
SIDES_A_UNIT = 16
"""Boards of other sides than 9 that are one unit of work."""
DIGITS = np.arange(9)
STARTS = 50
"""Random minimal puzzles of which a lineage takes the hardest, which saves a part of its climb."""
MUTATIONS = 10_000
"""A lineage that has not filled its share by then is given up."""
SLACK = 0.9
"""A lineage goes on from mutants that are nearly as hard, which gets it past most dead ends."""
TURNS = 8
"""Ways of turning a board over which its fewest guesses are taken."""
CLIMBING_DRIFT, HARVEST_DRIFT = 0.2, 0.4
"""How often a mutation moves to another solution grid, on the way up and at the top."""


@dataclass(frozen=True)
class SudokuGenerator(Generator):
    """Minimal Sudokus with one solution; killed, the same command continues.

    Example: erm data sudoku --count 1000 --hard --min-guesses 100 --out hard.jsonl
    """

    usual_size = "9x9"
    sizes = "4x4, 6x6, 9x9 or 16x16."

    min_guesses: int = 0
    """Guesses a solver with naked and hidden singles needs at least; with --hard however the
    board is turned, and 40 if not given."""
    hard: bool = False
    """Climb by mutation towards Sudoku-Extreme, whose median is about 100 such guesses."""
    clues: int = 0
    """Clues at least: more than a minimal puzzle needs make easy ones, as newspapers have."""

    def check(self, height: int, width: int) -> None:
        if self.min_guesses < 0:
            raise InputError("the least number of guesses must not be negative")
        if height != width or height not in BOX_SHAPES:
            sides = ", ".join(f"{side}x{side}" for side in BOX_SHAPES)
            raise InputError(f"Sudokus are {sides}, got {height}x{width}")
        if self.hard and height != SIDE:
            raise InputError(f"hard Sudokus are 9x9, got {height}x{width}")
        if not 0 <= self.clues < height * width:
            raise InputError(f"--clues must be 0 to {height * width - 1}, got {self.clues}")
        if self.clues and (self.hard or self.min_guesses):
            raise InputError("--clues makes easy Sudokus; leave --hard and --min-guesses out")

    def make(self, height: int, width: int, rng: np.random.Generator) -> Iterator[Puzzle]:
        if height == SIDE:
            bar = self.min_guesses or (HARD_BAR if self.hard else 0)
            for clues, solution, guesses in zip(*sudoku_unit(rng, bar, self.hard), strict=True):
                yield self._shown(_puzzle(clues, solution, height, int(guesses)), rng)
            return
        for _ in range(SIDES_A_UNIT):
            clues, solution = generate_side(height, rng)
            guesses = solve_side(clues.reshape(height, width))[2]
            if guesses >= self.min_guesses:
                yield self._shown(_puzzle(clues, solution, height, guesses), rng)

    def _shown(self, puzzle: Puzzle, rng: np.random.Generator) -> Puzzle:
        return with_clues(puzzle, self.clues, rng) if self.clues else puzzle

    def examples(self, rng: np.random.Generator) -> Iterator[tuple[str, Puzzle]]:
        for title, bar in EXAMPLES:
            clues, solutions, guesses = sudoku_unit(rng, bar, hard=False)
            puzzle = _puzzle(clues[0], solutions[0], SIDE, int(guesses[0]))
            if title == "minimal":
                yield f"{GENTLE_CLUES} clues", with_clues(puzzle, GENTLE_CLUES, rng)
            yield title, puzzle


def with_clues(puzzle: Puzzle, least: int, rng: np.random.Generator) -> Puzzle:
    """The puzzle with digits of its answer shown until it has so many clues."""
    assert puzzle.answer is not None
    digits, side = puzzle.givens["digits"].flatten(), puzzle.height
    hidden = rng.permutation(np.flatnonzero(digits == 0))
    more = hidden[: max(0, least - np.count_nonzero(digits))]
    digits[more] = puzzle.answer[more]
    guesses = solve_side(digits.reshape(side, side))[2]
    return _puzzle(digits, puzzle.answer, side, guesses)


def _puzzle(clues: np.ndarray, solution: np.ndarray, side: int, guesses: int) -> Puzzle:
    digits = clues.reshape(side, side).astype(np.int8)
    meta = {"guesses": guesses}
    return Puzzle(NAME, side, side, {"digits": digits}, solution.astype(np.int8), meta)


def sudoku_unit(rng: np.random.Generator, min_guesses: int, hard: bool) -> Batch:
    """One unit of work: a batch of random minimal puzzles, or one lineage of hard ones."""
    if hard:
        return climb(rng, max(min_guesses, 1), LINEAGE_SHARE)
    return minimal_puzzles(rng, TRIES_A_UNIT, min_guesses)


@kernel
@no_type_check
def random_solution(rng, clues, grid, work):
    """Write some solution of the clues, its digits tried in a random order; there must be one."""
    load_board(work[0][0], clues)
    order = np.arange(9)
    shuffle(rng, order)
    search(work, 1, MOST_GUESSES, order)
    grid[:] = work[3][0]


@kernel
@no_type_check
def random_grid(rng, grid, work):
    """A full grid: random diagonal boxes, completed in a random order."""
    clues = np.zeros(CELLS, np.uint8)
    digits = np.arange(1, 10)
    for box in range(3):
        shuffle(rng, digits)
        for k in range(9):
            clues[(3 * box + k // 3) * 9 + 3 * box + k % 3] = digits[k]
    random_solution(rng, clues, grid, work)


@kernel
@no_type_check
def is_spare(clues, cell, work):
    """Whether a unique puzzle stays unique without the clue at that cell.

    Any further solution must differ at that very cell, or the puzzle was not unique with the
    clue, so one search with its digit forbidden there decides.
    """
    digit = clues[cell]
    clues[cell] = 0
    load_board(work[0][0], clues)
    clues[cell] = digit
    work[0][0, 3 * (digit - 1) + cell // 27] &= ~(1 << (cell % 27))
    return search(work, 1, MOST_GUESSES, DIGITS)[0] == 0


@kernel
@no_type_check
def minimise(rng, clues, among, work):
    """Drop spare clues of a unique puzzle among some cells, in a random order."""
    cells = np.flatnonzero((clues > 0) & among)
    shuffle(rng, cells)
    for cell in cells:
        if is_spare(clues, cell, work):
            clues[cell] = 0


@kernel
@no_type_check
def guesses_of(clues, work):
    """Digits tried until the uniqueness of the puzzle is proved."""
    load_board(work[0][0], clues)
    return search(work, 2, MOST_GUESSES, DIGITS)[1]


@kernel
@no_type_check
def minimal_puzzles(rng, tries, least_guesses):
    """Those of a number of random minimal puzzles that need enough guesses."""
    work = scratch()
    puzzles = np.zeros((tries, CELLS), np.uint8)
    grids = np.zeros((tries, CELLS), np.uint8)
    guesses = np.zeros(tries, np.int64)
    kept = 0
    for _ in range(tries):
        random_grid(rng, grids[kept], work)
        puzzles[kept] = grids[kept]
        minimise(rng, puzzles[kept], puzzles[kept] > 0, work)
        guesses[kept] = guesses_of(puzzles[kept], work)
        kept += guesses[kept] >= least_guesses
    return puzzles[:kept], grids[:kept], guesses[:kept]


@kernel
@no_type_check
def _make_unique(rng, clues, grid, work):
    """Add clues of the grid, each where another solution disagrees, until there is none."""
    while True:
        load_board(work[0][0], clues)
        if search(work, 2, MOST_GUESSES, DIGITS)[0] == 1:
            return
        other = work[3][0] if (work[3][0] != grid).any() else work[3][1]
        cells = np.flatnonzero(other != grid)
        cell = cells[below(rng, len(cells))]
        clues[cell] = grid[cell]


@kernel
@no_type_check
def mutate(rng, clues, grid, drift, work):
    """Drop one to three clues, add as many of the solution, repair uniqueness, minimise.

    Small steps and old clues are preferred: four in a hundred such mutants are nearly as hard
    as their parent, one in a hundred of the others. With probability `drift` one dropped clue
    lets the solution move on to another.
    """
    cells = np.flatnonzero(clues)
    shuffle(rng, cells)
    drifts = rng.random() < drift
    dropped = 1 if drifts else 1 + below(rng, 1 + below(rng, 3))
    for cell in cells[:dropped]:
        clues[cell] = 0
    fresh = clues == 0
    if drifts:
        random_solution(rng, clues, grid, work)
    for _ in range(dropped):
        cell = below(rng, CELLS)
        clues[cell] = grid[cell]
    _make_unique(rng, clues, grid, work)
    minimise(rng, clues, fresh, work)
    minimise(rng, clues, ~fresh, work)


@kernel
@no_type_check
def _turn(rng, clues, turned):
    """Write the same board with rows, columns, bands and stacks in another order."""
    places = np.empty((2, 9), np.int64)
    for side in range(2):
        blocks, lines = np.arange(3), np.arange(3)
        shuffle(rng, blocks)
        for block in range(3):
            shuffle(rng, lines)
            for line in range(3):
                places[side, 3 * block + line] = 3 * blocks[block] + lines[line]
    flipped = rng.random() < 0.5
    for row in range(9):
        for column in range(9):
            cell = 9 * places[0, row] + places[1, column]
            turned[9 * column + row if flipped else 9 * row + column] = clues[cell]


@kernel
@no_type_check
def hardness(rng, clues, bar, work):
    """The fewest guesses over some turns of the board; fewer than `bar` as soon as that is known.

    One order of cells may need hundreds of guesses by bad luck where another needs three: what
    climbs by one order finds just that.
    """
    fewest = guesses_of(clues, work)
    turned = np.empty_like(clues)
    for _ in range(TURNS):
        if fewest < bar:
            break
        _turn(rng, clues, turned)
        fewest = min(fewest, guesses_of(turned, work))
    return fewest


@kernel
@no_type_check
def _hardest_start(rng, tries, clues, grid, work):
    """Write the hardest of some random minimal puzzles with its solution; its guesses."""
    level = -1
    candidate, solution = clues.copy(), grid.copy()
    for _ in range(tries):
        random_grid(rng, solution, work)
        candidate[:] = solution
        minimise(rng, candidate, candidate > 0, work)
        reached = hardness(rng, candidate, level, work)
        if reached > level:
            clues[:], grid[:], level = candidate, solution, reached
    return level


@kernel
@no_type_check
def climb(rng, bar, most):
    """One lineage: the puzzles it meets that are hard enough, at most `most` of them.

    It climbs to a floor of its own, from the bar to twice the bar, so that many lineages
    together cover hard and very hard ones; every mutant that reaches the bar counts.
    """
    work = scratch()
    puzzles = np.zeros((most, CELLS), np.uint8)
    grids = np.zeros((most, CELLS), np.uint8)
    guesses = np.zeros(most, np.int64)
    clues, grid = np.zeros(CELLS, np.uint8), np.zeros(CELLS, np.uint8)
    level = _hardest_start(rng, STARTS, clues, grid, work)
    floor = bar * 2.0 ** rng.random()
    kept = 0
    for _ in range(MUTATIONS):
        if kept == most:
            break
        mutant, solution = clues.copy(), grid.copy()
        mutate(rng, mutant, solution, HARVEST_DRIFT if level >= floor else CLIMBING_DRIFT, work)
        if (mutant == clues).all():
            continue
        goes_on = min(SLACK * level, floor)
        reached = hardness(rng, mutant, min(goes_on, bar), work)
        if reached >= bar:
            puzzles[kept], grids[kept] = mutant, solution
            guesses[kept] = guesses_of(mutant, work)
            kept += 1
        if reached >= goes_on:
            clues, grid, level = mutant, solution, reached
    return puzzles[:kept], grids[:kept], guesses[:kept]
