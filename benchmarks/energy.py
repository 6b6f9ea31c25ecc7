"""How fast energies are, as ratios measured in one run: `python benchmarks/energy.py`.

Each figure is the best of several runs of one core's processor time, so that other work on the
machine hardly shows. Boards and candidates are random: the time does not depend on their sense.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import process_time

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from erm.progress import progress_bar
from erm.rulebook.energy import rules_energy
from erm.rulebook.factor import Factor
from erm.rulebook.permanent import Permutations
from erm.rulebook.registry import load_task
from erm.rulebook.task import Task, energy
from erm.types import Puzzle

CANDIDATES = 128


def seconds(work: Callable[[], object], at_least: float = 0.6) -> float:
    """Processor time of the fastest run; the first, which compiles, does not count."""
    work()
    best, spent = np.inf, 0.0
    while spent < at_least:
        start = process_time()
        work()
        best, spent = min(best, process_time() - start), spent + process_time() - start
    return best


def log_domain_permanents(cost: torch.Tensor, tau: float) -> torch.Tensor:
    """The straightforward way: the same subsets, one logaddexp a step."""
    size = cost.shape[-1]
    score = -cost / tau
    sums: list[torch.Tensor | None] = [torch.zeros(cost.shape[:-2], dtype=cost.dtype)]
    for subset in range(1, 1 << size):
        row = subset.bit_count() - 1
        total: torch.Tensor | None = None
        for column in range(size):
            if subset >> column & 1:
                before = sums[subset ^ (1 << column)]
                assert before is not None
                way = before + score[..., row, column]
                total = way if total is None else torch.logaddexp(total, way)
        sums.append(total)
    last = sums[-1]
    assert last is not None
    return -tau * last


def nurikabe(rng: np.random.Generator) -> Puzzle:
    clues = np.where(rng.random((10, 10)) < 0.15, rng.integers(1, 8, (10, 10)), 0)
    return Puzzle("nurikabe", 10, 10, {"clues": clues.astype(np.int16)})


def heyawake(rng: np.random.Generator) -> Puzzle:
    """Rooms of 2 rows and 5 columns, all numbered."""
    right, down = np.zeros((10, 9), bool), np.zeros((9, 10), bool)
    right[:, 4], down[1::2] = True, True
    clues = np.full((10, 10), -1, np.int16)
    clues[::2, ::5] = rng.integers(0, 5, (5, 2))
    return Puzzle("heyawake", 10, 10, {"right": right, "down": down, "clues": clues})


def maze(rng: np.random.Generator) -> Puzzle:
    """Walls as dense as in Maze-Unique, with start and goal in opposite corners."""
    cells = np.where(rng.random((30, 30)) < 0.5, 1, 2).astype(np.uint8)
    cells[[0, 0, 1, -1, -1, -2], [0, 1, 0, -1, -2, -1]] = 3, 2, 2, 4, 2, 2
    return Puzzle("maze", 30, 30, {"cells": cells})


def sudoku(rng: np.random.Generator) -> Puzzle:
    row, column = np.divmod(np.arange(81), 9)
    solution = (3 * (row % 3) + row // 3 + column) % 9 + 1
    digits = np.where(rng.random(81) < 0.3, rng.permutation(9)[solution - 1] + 1, 0)
    return Puzzle("sudoku", 9, 9, {"digits": digits.reshape(9, 9).astype(np.int8)})


def one_at_a_time(task: Task, puzzle: Puzzle, answers: np.ndarray) -> np.ndarray:
    """Rules are built once here, too: only the scoring is compared."""
    rules, states = task.rules(puzzle), task.to_states(puzzle, answers)
    return np.concatenate(
        [rules_energy(rules, state[None], task.settings).total for state in states]
    )


def permanent_row(rng: np.random.Generator) -> tuple[str, float, float, float]:
    cost = torch.from_numpy(rng.exponential(2.0, (CANDIDATES, 27, 9, 9)))
    ours = partial(Permutations(9).free_energy, cost, 1.0)
    plain = partial(log_domain_permanents, cost, 1.0)
    torch.testing.assert_close(ours(), plain())
    name = "permanent, 128 x 27 units of 9, against logaddexp in torch"
    return name, seconds(ours), seconds(plain), 10


def pool_row(
    make: Callable[[np.random.Generator], Puzzle], rng: np.random.Generator
) -> tuple[str, float, float, float]:
    puzzle = make(rng)
    task = load_task(puzzle.task)
    answers = rng.integers(0, 2, (CANDIDATES, puzzle.cells))
    together = partial(energy, task, puzzle, answers)
    alone = partial(one_at_a_time, task, puzzle, answers)
    np.testing.assert_allclose(together().total, alone(), atol=1e-9)
    name = f"{puzzle.task} {puzzle.height}x{puzzle.width}, 128 candidates, against one at a time"
    return name, seconds(together), seconds(alone), 20


def sudoku_pool_row(rng: np.random.Generator) -> tuple[str, float, float, float]:
    task, puzzles = load_task("sudoku"), [sudoku(rng) for _ in range(64)]
    logits = torch.from_numpy(rng.normal(0, 4, (64, CANDIDATES, 81, 9)))
    log_probs, answers = torch.log_softmax(logits, -1), logits.argmax(-1).numpy() + 1
    together = partial(energy, task, puzzles, answers, log_probs)

    def alone() -> np.ndarray:
        """The first eight candidates of each puzzle stand for all of them."""
        return np.stack(
            [
                [
                    energy(task, puzzle, answers[p, k][None], log_probs[p, k][None]).total[0]
                    for k in range(8)
                ]
                for p, puzzle in enumerate(puzzles)
            ]
        )

    np.testing.assert_allclose(together().total[:, :8], alone())
    name = "sudoku 9x9, 64 puzzles x 128 candidates in one call"
    return name, seconds(together, 2.0), seconds(alone) * CANDIDATES / 8, 1


def decoded_row(rng: np.random.Generator) -> tuple[str, float, float, float]:
    """What decoded answers gain from working out each local pattern once."""
    puzzle = maze(rng)
    task = load_task("maze")
    factors: list[Factor] = list(task.factors(puzzle))
    states = rng.integers(0, 2, (CANDIDATES, puzzle.cells))

    def by_pattern() -> list[np.ndarray]:
        return [factor.decoded_free_energies(states, 2, 1.0, 0.02) for factor in factors]

    def by_cost() -> list[np.ndarray]:
        cost = torch.from_numpy((states[..., None] != np.arange(2)).astype(float))
        return [factor.free_energies(cost / factor.size, 0.02).numpy() for factor in factors]

    for one, other in zip(by_pattern(), by_cost(), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
    name = "maze memories by pattern, against a cost table"
    return name, seconds(by_pattern), seconds(by_cost), 1


def main() -> None:
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    rows = (
        permanent_row,
        partial(pool_row, nurikabe),
        partial(pool_row, heyawake),
        partial(pool_row, maze),
        sudoku_pool_row,
        decoded_row,
    )
    table = Table("what", "ms", "ms, the other way", "ratio", "aim")
    with progress_bar() as bar:
        measuring = bar.add_task("measuring", total=len(rows), note="")
        for row in rows:
            name, ours, other, aim = row(rng)
            aimed = f"{aim:g}" if aim > 1 else ""
            milliseconds = f"{1e3 * ours:.1f}", f"{1e3 * other:.1f}"
            table.add_row(name, *milliseconds, f"{other / ours:.1f}", aimed)
            bar.advance(measuring)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
