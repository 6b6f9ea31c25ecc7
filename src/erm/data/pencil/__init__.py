"""Lightup, nurikabe, heyawake and tapa boards whose only answer is proved with clingo.

Every generator starts from an answer that it constructs, prints clues for it, and repairs the
board where clingo shows another answer. The encodings under data/encodings are a second opinion
to the rulebooks in `erm.puzzles`, written from the rules and never derived from them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from erm.data.pencil import heyawake, lightup, nurikabe, tapa
from erm.data.pencil.solver import Solver, Undecided, count_solutions, solve
from erm.errors import InputError
from erm.types import MAX_SIDE, Puzzle

__all__ = ["GENERATORS", "MIN_SIDE", "count_solutions", "generate_one", "solve"]

GENERATORS: dict[str, Callable[[int, int, np.random.Generator, bool], Puzzle | None]] = {
    "lightup": lightup.generate,
    "nurikabe": nurikabe.generate,
    "heyawake": heyawake.generate,
    "tapa": tapa.generate,
}
MIN_SIDE = 4
"""Smaller boards hold few different puzzles and most of the repairs do not fit on them."""
ATTEMPTS = 100


def generate_one(
    task_name: str, height: int, width: int, rng: np.random.Generator, minimal: bool = False
) -> Puzzle | None:
    """One board with exactly one answer, the same for the same state of `rng`.

    `minimal` makes it harder: clues are left out as long as the answer stays the only one.
    None, after many attempts, where the size gives no such board.
    """
    if task_name not in GENERATORS:
        raise InputError(
            f"there is no generator of {task_name!r} boards; known: {', '.join(GENERATORS)}"
        )
    if not (MIN_SIDE <= height <= MAX_SIDE and MIN_SIDE <= width <= MAX_SIDE):
        raise InputError(
            f"{task_name} boards are made with sides of {MIN_SIDE} to {MAX_SIDE}, "
            f"but the size asked for is {height}x{width}"
        )
    for _ in range(ATTEMPTS):
        try:
            puzzle = GENERATORS[task_name](height, width, rng, minimal)
        except Undecided:
            continue
        if puzzle is not None:
            _prove(puzzle)
            return puzzle
    return None


def _prove(puzzle: Puzzle) -> None:
    """Generators ask for other answers only; here the board as printed has to name this one."""
    answers = [answer.tolist() for answer in Solver.of(puzzle).answers(2)]
    if puzzle.answer is None or answers != [puzzle.answer.tolist()]:
        raise RuntimeError(f"a generated {puzzle.task} has {len(answers)} answers or another one")
