"""A real reasoner for one kind of puzzle that knows a few boards by heart, trained in seconds.

The page's tests are about the page: where the zoo has no checkpoint of a kind, one of these
stands in.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from erm.model.checkpoint import save_checkpoint
from erm.model.config import ReasonerConfig
from erm.model.inputs import collate
from erm.model.losses import judge
from erm.model.reasoner import Reasoner
from erm.puzzles.maze.rules import distances
from erm.puzzles.pencil import Pencil
from erm.puzzles.sudoku.solver import solve_many
from erm.rulebook.registry import load_task
from erm.types import Puzzle

STEPS_A_START = 4
ROWS = 2


def answered(puzzle: Puzzle) -> Puzzle:
    """The puzzle with its answer, from solvers that share nothing with the networks."""
    if puzzle.task == "sudoku":
        return puzzle.with_answer(solve_many(puzzle.givens["digits"].reshape(1, -1))[0][0])
    if puzzle.task == "maze":
        return puzzle.with_answer(_path(puzzle.givens["cells"]))
    task = load_task(puzzle.task)
    assert isinstance(task, Pencil)
    return puzzle.with_answer(next(task.prover(puzzle.givens).answers(1)))


def _path(cells: np.ndarray) -> np.ndarray:
    (start,), (goal,) = np.argwhere(cells == 3), np.argwhere(cells == 4)
    there, _ = distances(cells, *start)
    back, _ = distances(cells, *goal)
    on = (there >= 0) & (there + back == there[tuple(goal)])
    return on & (cells == 2)


def train(puzzles: Sequence[Puzzle], steps: int = 300, seed: int = 0) -> Reasoner:
    """Until every puzzle is answered by heart at four steps running, or `steps` are over."""
    task = load_task(puzzles[0].task)
    boards = [task.encode(puzzle) for puzzle in puzzles]
    torch.manual_seed(seed)
    config = ReasonerConfig(
        hidden=16,
        inner=32,
        states=boards[0].domain.shape[1],
        features=boards[0].features.shape[1],
        partitions=len(boards[0].partitions),
        interchangeable=task.interchangeable,
        lattice=not task.interchangeable,
    )
    reasoner = Reasoner(config)
    batches = [
        (collate([board] * ROWS), torch.tensor(task.to_states(puzzle, puzzle.answer))[None])
        for board, puzzle in zip(boards, puzzles, strict=True)
        if puzzle.answer is not None
    ]
    optimiser = torch.optim.AdamW(reasoner.parameters(), 4e-3)
    draw = torch.Generator().manual_seed(seed)
    known = 0
    for step in range(steps):
        batch, answer = batches[step % len(batches)]
        answers = answer.expand(ROWS, -1)
        carry = reasoner.start(batch, draw)
        for _ in range(STEPS_A_START):
            carry, prediction = reasoner.step(carry.detach(), batch, draw)
            judged = judge(prediction, batch, answers, structured=True)
            optimiser.zero_grad()
            judged.total.backward()
            optimiser.step()
        known = known + 1 if judged.exact.all() else 0
        if known >= 4 * len(batches):
            break
    return reasoner.eval()


def save(folder: Path, task: str, reasoner: Reasoner) -> Path:
    return save_checkpoint(folder / task, reasoner, {"task": task, "data": {}, "accuracy": []})
