"""`make demo`: a network's candidates, the energy choosing among them, and the solver's proof.

Where no checkpoint is shipped for a kind, its rulebook scores a right and a wrong answer instead.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from rich.text import Text

import erm
from erm import zoo
from erm.cli import report
from erm.cli.draw import draw
from erm.formats.dataset import load_dataset
from erm.progress import console
from erm.rulebook.registry import load_task
from erm.rulebook.task import energy
from erm.search.select import select
from erm.types import Puzzle

PUZZLES = Path(__file__).parent / "puzzles"
KINDS = ("sudoku", "maze", "lightup", "nurikabe", "heyawake", "tapa")
SELECTORS = ("first", "majority", "qhead", "confidence", "energy")
CANDIDATES, STEPS = 8, 16
"""K and D of the pool that is shown: few steps, so that the candidates still disagree."""
SECONDS = 12.0
"""Time limit of a kind's search, so that a busy machine ends too."""


def main() -> None:
    torch.set_num_threads(1)  # More threads slow down networks as small as the shipped ones.
    solved = 0
    for kind in KINDS:
        puzzle = load_dataset(PUZZLES / f"{kind}.txt")[0]
        console.rule(f"[bold]{kind}", align="left")
        if kind in zoo.names():
            solved += solve(puzzle)
        else:
            score(puzzle)
        console.print()
    console.print(
        f"{solved} of {len(KINDS)} kinds solved and certified by the rules.", style="bold"
    )
    console.print("Solve your own:      .venv/bin/erm solve PUZZLE --explain", highlight=False)
    console.print("Watch it on a page:  .venv/bin/erm serve --open", highlight=False)


def solve(puzzle: Puzzle) -> bool:
    """Candidates of the network alone and what selectors choose; then certified search, in which
    the rules go first."""
    solver = erm.load(puzzle.task)
    pool = solver.solve(puzzle, width=CANDIDATES, depth=STEPS, mode="full")
    console.print(candidate_table(pool))
    ends = time.monotonic() + SECONDS
    for result in solver.search(puzzle, width=128, depth=64):
        if result.done or time.monotonic() > ends:
            report.show(console, result, puzzle.task)
            return result.certified
    raise AssertionError("a search ends with a result that is done")


def candidate_table(result: erm.Result) -> Table:
    """The different answers of a pool from low to high energy, and which selectors choose them."""
    pool, task = result.candidates, result.problem.task
    table = Table(
        title=f"network alone: {len(pool)} candidates after {STEPS} steps",
        title_justify="left",
        title_style="",
    )
    for name in ("energy", "candidates", "broken rules", "chosen by"):
        table.add_column(name, justify="right" if name in ("energy", "candidates") else "left")
    choices = {name: select(pool, name).answer for name in SELECTORS}
    answers, first, counts = np.unique(pool.answers, axis=0, return_index=True, return_counts=True)
    order = np.argsort(pool.energy.total[first], kind="stable")
    for at in order[:4]:
        violations = task.violations(result.puzzle, answers[at])
        table.add_row(
            f"{pool.energy.total[first[at]]:.4g}",
            str(counts[at]),
            Text(report.broken(violations), "red") if violations else Text("none", "green"),
            ", ".join(name for name, answer in choices.items() if (answer == answers[at]).all()),
        )
    if len(order) > 4:
        table.caption = f"and {len(order) - 4} more answers of higher energy"
    return table


def score(puzzle: Puzzle, console: Console = console) -> None:
    """The energy of the given answer and of one with a wrong cell."""
    task, right = load_task(puzzle.task), puzzle.answer
    assert right is not None, "the puzzles of the demo come with their answers"
    console.print("No checkpoint for this kind is shipped yet, so its rulebook scores two answers.")
    open_cells = np.flatnonzero(task.domain(puzzle).sum(-1) > 1)
    cell, states = int(open_cells[len(open_cells) // 2]), task.states_of(puzzle)
    wrong = right.copy()
    wrong[cell] = (right[cell] - task.first_state + 1) % states + task.first_state
    energies = energy(task, puzzle, np.stack([right, wrong]))
    for name, answer, terms in (("right", right, energies[0]), ("wrong", wrong, energies[1])):
        violations = task.violations(puzzle, answer)
        cells = {cell for violation in violations for cell in violation.cells}
        console.print(draw(console, puzzle, answer, cells, clues_apart=False), soft_wrap=True)
        broken = report.broken(violations) or "no rule"
        console.print(f"{name} answer breaks {broken}", highlight=False, soft_wrap=True)
        console.print(report.energy_by_term(terms), highlight=False, soft_wrap=True)


if __name__ == "__main__":
    main()
