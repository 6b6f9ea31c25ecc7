"""A real reasoner that trains in seconds: 4x4 Sudoku, hidden 16."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from pathlib import Path

import numpy as np
import torch

from erm.model.checkpoint import save_checkpoint
from erm.model.config import ReasonerConfig
from erm.model.inputs import collate
from erm.model.losses import judge
from erm.model.reasoner import Reasoner
from erm.task import load_task
from erm.types import Puzzle


@lru_cache(maxsize=1)
def grids() -> np.ndarray:
    """All 288 solved 4x4 Sudokus, [288, 16]."""
    task = load_task("sudoku")
    rows = list(permutations(range(1, 5)))
    tops = [a + b for a in rows for b in rows if _boxes_hold(a, b)]
    boards = np.array([top + bottom for top in tops for bottom in tops])
    empty = Puzzle("sudoku", 4, 4, {"digits": np.zeros((4, 4), np.int8)})
    return boards[task.rules(empty).is_valid(boards - 1)]


def _boxes_hold(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return all(len({*a[i : i + 2], *b[i : i + 2]}) == 4 for i in (0, 2))


def puzzles(count: int, seed: int, clues: tuple[int, int] = (4, 7)) -> list[Puzzle]:
    """Uniquely solvable 4x4 Sudokus with their answers."""
    draw = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        answer = grids()[draw.integers(len(grids()))]
        shown = np.zeros(16, bool)
        shown[draw.permutation(16)[: draw.integers(clues[0], clues[1] + 1)]] = True
        if (grids()[:, shown] == answer[shown]).all(-1).sum() == 1:
            digits = np.where(shown, answer, 0).astype(np.int8).reshape(4, 4)
            found.append(Puzzle("sudoku", 4, 4, {"digits": digits}, answer.astype(np.int8)))
    return found


def train(steps: int = 150, seed: int = 0) -> Reasoner:
    """A reasoner that solves many of them but not all, with q trained on exactness."""
    task = load_task("sudoku")
    torch.manual_seed(seed)
    config = ReasonerConfig(
        hidden=16,
        inner=32,
        states=4,
        partitions=3,
        interchangeable=True,
        lattice=False,
        path_noise=0.02,
    )
    reasoner = Reasoner(config)
    training = puzzles(512, seed + 1)
    inputs = collate([task.encode(puzzle) for puzzle in training])
    answers = torch.tensor(
        np.stack([puzzle.answer for puzzle in training if puzzle.answer is not None])
    ).long()
    optimiser = torch.optim.AdamW(reasoner.parameters(), 5e-3)
    draw = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        rows = torch.randint(len(training), (32,), generator=draw)
        batch, right = inputs[rows], answers[rows] - 1
        carry = reasoner.start(batch, draw)
        for _ in range(4):
            carry, prediction = reasoner.step(carry.detach(), batch, draw)
            wrong = torch.zeros(len(rows), dtype=torch.bool)
            loss = judge(prediction, batch, right, wrong, structured=True).total
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return reasoner.eval()


def save(folder: Path, reasoner: Reasoner) -> Path:
    return save_checkpoint(folder, reasoner, {"task": "sudoku", "data": {}, "accuracy": []})
